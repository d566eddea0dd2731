/** Where joined output goes. */
export interface CatchupTarget {
  /** Shows bytes. */
  write(bytes: Uint8Array): void;
  /** Says that this many bytes were never seen here. */
  missed(count: number): void;
  /** Asks for the scrollback: there is a gap, or nothing yet. */
  attach(): void;
}

/**
 * Joins a terminal's scrollback with the output that follows it.
 *
 * Both carry offsets into all that the terminal ever printed. Output that comes while the
 * scrollback is awaited waits for it; what was shown already is passed over; where a piece
 * is missing (the window was too slow for it) the scrollback is asked for again.
 */
export class Catchup {
  private at = 0;
  private waiting: { offset: number; bytes: Uint8Array }[] | null = [];

  constructor(private readonly target: CatchupTarget) {}

  /** Offset of the end of what was handed on. */
  get end(): number {
    return this.at;
  }

  /** The scrollback came; it ends at `end`. */
  scrollback(bytes: Uint8Array, end: number): void {
    const waiting = this.waiting ?? [];
    this.waiting = null;
    const start = end - bytes.length;
    const isNew = end > this.at;
    this.skipTo(start);
    this.handOn(start, bytes);
    for (const piece of waiting) {
      if (!isNew) {
        // Asking again would give the same again.
        this.skipTo(piece.offset);
      }
      this.output(piece.offset, piece.bytes);
    }
  }

  /** Output came. */
  output(offset: number, bytes: Uint8Array): void {
    if (this.waiting !== null) {
      this.waiting.push({ offset, bytes });
    } else if (offset > this.at) {
      this.waiting = [{ offset, bytes }];
      this.target.attach();
    } else {
      this.handOn(offset, bytes);
    }
  }

  private skipTo(offset: number): void {
    if (offset > this.at) {
      this.target.missed(offset - this.at);
      this.at = offset;
    }
  }

  private handOn(offset: number, bytes: Uint8Array): void {
    const known = this.at - offset;
    if (known < bytes.length) {
      this.at = offset + bytes.length;
      this.target.write(known > 0 ? bytes.subarray(known) : bytes);
    }
  }
}

/** How many bytes may wait for the screen; older ones are passed over, and that is said. */
const WAITING = 512 * 1024;

/** A screen that says when it has shown what it was given. */
export interface Screen {
  /** Shows bytes or text, then calls back. */
  write(data: Uint8Array | string, shown: () => void): void;
}

/**
 * Gives a screen no more than it can show.
 *
 * A command that floods is faster than any screen. What waits is bounded: the window
 * stays responsive, and the end of the output is what one sees.
 */
export class PacedWriter {
  private waiting: Uint8Array[] = [];
  private size = 0;
  private skipped = 0;
  private isShowing = false;

  /**
   * @param screen Where bytes go.
   * @param onShown Hears, after each piece, how many bytes still wait.
   */
  constructor(
    private readonly screen: Screen,
    private readonly onShown: (waiting: number) => void = () => undefined,
  ) {}

  /** Says that bytes were missed on the way here. */
  missed(count: number): void {
    this.skipped += count;
    this.go();
  }

  /** Adds bytes. */
  write(bytes: Uint8Array): void {
    this.waiting.push(bytes);
    this.size += bytes.length;
    while (this.size > WAITING && this.waiting.length > 1) {
      const dropped = this.waiting.shift()?.length ?? 0;
      this.size -= dropped;
      this.skipped += dropped;
    }
    this.go();
  }

  private go(): void {
    const [first] = this.waiting;
    if (this.isShowing || first === undefined) {
      return;
    }
    this.isShowing = true;
    const shown = () => {
      this.isShowing = false;
      this.onShown(this.size);
      this.go();
    };
    if (this.skipped > 0) {
      const note = `\r\n\x1b[0m[${this.skipped} bytes passed too fast to show]\r\n`;
      this.skipped = 0;
      this.screen.write(note, shown);
      return;
    }
    this.waiting.shift();
    this.size -= first.length;
    this.screen.write(first, shown);
  }
}

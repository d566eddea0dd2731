/** How many batches after attaching may still carry bytes that the scrollback has already. */
const OVERLAPPING = 4;

/**
 * Joins a terminal's scrollback with the output that follows it.
 *
 * Output is not numbered, and travels another way than the answer to attaching: bytes
 * that the scrollback ends with may come once more just after it. Output that comes
 * before the scrollback waits for it; what is the end of the scrollback is passed over.
 */
export class Catchup {
  private waiting: Uint8Array[] | null = [];
  private tail: Uint8Array = new Uint8Array();
  private batches = 0;

  constructor(private readonly write: (bytes: Uint8Array) => void) {}

  /** The scrollback came. */
  scrollback(bytes: Uint8Array): void {
    const waiting = this.waiting ?? [];
    this.waiting = null;
    this.tail = bytes;
    if (bytes.length > 0) {
      this.write(bytes);
    }
    this.passOver(waiting);
  }

  /** Output came. */
  output(bytes: Uint8Array): void {
    if (this.waiting !== null) {
      this.waiting.push(bytes);
    } else {
      this.passOver([bytes]);
    }
  }

  private passOver(chunks: readonly Uint8Array[]): void {
    if (chunks.length === 0) {
      return;
    }
    const bytes = join(chunks);
    this.batches += 1;
    if (this.batches > OVERLAPPING || this.tail.length === 0) {
      this.tail = new Uint8Array();
      this.write(bytes);
      return;
    }
    const known = overlap(this.tail, bytes);
    if (known < bytes.length) {
      this.write(bytes.subarray(known));
      this.tail = new Uint8Array();
    }
  }
}

function join(chunks: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** Shorter coincidences are taken for new output: a prompt's last letter may well repeat. */
const COINCIDENCE = 8;

/** The length of the longest beginning of `fresh` that `known` ends with. */
function overlap(known: Uint8Array, fresh: Uint8Array): number {
  for (let length = Math.min(known.length, fresh.length); length >= COINCIDENCE; length -= 1) {
    const from = known.length - length;
    let same = true;
    for (let at = 0; same && at < length; at += 1) {
      same = known[from + at] === fresh[at];
    }
    if (same) {
      return length;
    }
  }
  return 0;
}

import type { TerminalId } from "../generated/protocol.ts";

/** What a terminal view listens for. */
export interface TerminalListener {
  /** Bytes came; the first of them is at this offset in all that was printed. */
  onOutput(offset: number, bytes: Uint8Array): void;
  /** The process ended. */
  onEnded(exitCode: number | undefined): void;
}

/** Bytes of base64. */
export function decodeBase64(text: string): Uint8Array {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index += 1) {
    bytes[index] = binary.charCodeAt(index);
  }
  return bytes;
}

/**
 * Hands terminal output to the views that show it.
 *
 * Output never goes through the store: a flooding command would otherwise wake every
 * selector of the app.
 */
export class TerminalOutput {
  private readonly listeners = new Map<TerminalId, Set<TerminalListener>>();

  /** Begins to listen; the function that comes back ends it. */
  listen(terminal: TerminalId, listener: TerminalListener): () => void {
    const set = this.listeners.get(terminal) ?? new Set();
    set.add(listener);
    this.listeners.set(terminal, set);
    return () => {
      set.delete(listener);
      if (set.size === 0) {
        this.listeners.delete(terminal);
      }
    };
  }

  /** Hands over bytes; false where nobody looks at the terminal. */
  output(terminal: TerminalId, offset: number, data: string): boolean {
    const set = this.listeners.get(terminal);
    if (set === undefined) {
      return false;
    }
    const bytes = decodeBase64(data);
    for (const listener of set) {
      listener.onOutput(offset, bytes);
    }
    return true;
  }

  /** Says that a process ended. */
  ended(terminal: TerminalId, exitCode: number | undefined): void {
    for (const listener of this.listeners.get(terminal) ?? []) {
      listener.onEnded(exitCode);
    }
  }
}

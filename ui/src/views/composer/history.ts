/** Walking through what was said before, as a shell does. */
export interface History {
  /** Earlier messages, oldest first. */
  entries: readonly string[];
  /** Which of them shows; `entries.length` is the draft. */
  at: number;
  /** What was typed before walking began. */
  draft: string;
}

/** Begins at the draft. */
export function beginHistory(entries: readonly string[], draft: string): History {
  return { entries, at: entries.length, draft };
}

/** One step back (-1) or forth (+1); null where there is none. */
export function stepHistory(history: History, step: -1 | 1): History | null {
  const at = history.at + step;
  return at < 0 || at > history.entries.length ? null : { ...history, at };
}

/** What shows now. */
export function historyText(history: History): string {
  return history.entries[history.at] ?? history.draft;
}

/** What a person said, without doubles in a row. */
export function historyEntries(texts: readonly string[]): string[] {
  return texts.filter((text, index) => text !== texts[index - 1]);
}

/** Something in a line of text that may be opened. */
export type Place =
  | {
      type: "file";
      /** Where it begins and ends in the text, in UTF-16 units. */
      from: number;
      to: number;
      /** The file as it is named there. */
      path: string;
      /** Lines and columns count from 1. */
      line?: number;
      column?: number;
    }
  | { type: "address"; from: number; to: number; address: string };

/** Only these are opened: an address of another kind may start any program. */
const ADDRESS = /\bhttps?:\/\/[^\s"'`<>{}|\\^]+/g;
/** Python's way: `File "a b.py", line 3`. */
const QUOTED_LINE = /"([^"\n]{1,512})", line (\d{1,9})/g;
/** A name in quotes may have blanks. */
const QUOTED = /(["'`])([^"'`\n]{1,512})\1(?::(\d{1,9})(?::(\d{1,9}))?)?/g;
/** Rustc, gcc, eslint, node, grep: `a.rs:3:7`; tsc, msbuild: `a.ts(3,7)`. */
const WORD =
  /(?:file:\/\/)?([^\s"'`<>|()[\]{}:;,*?!$&=\u2500-\u257f]{1,512})(?::(\d{1,9})(?::(\d{1,9}))?|\((\d{1,9})(?:,(\d{1,9}))?\))?/g;

/**
 * What of a line may be a file or an address. Which of the files exist is asked of the backend.
 *
 * @param text A line as a program printed it.
 */
export function placesIn(text: string): Place[] {
  const places: Place[] = [];
  const isFree = (from: number, to: number) =>
    places.every((place) => to <= place.from || from >= place.to);
  for (const match of text.matchAll(ADDRESS)) {
    const address = trimmedAddress(match[0]);
    places.push({ type: "address", from: match.index, to: match.index + address.length, address });
  }
  const add = (from: number, to: number, path: string, line?: string, column?: string) => {
    if (isFree(from, to) && mayBeFile(path)) {
      places.push({
        type: "file",
        from,
        to,
        path,
        ...(line === undefined ? {} : { line: Number(line) }),
        ...(column === undefined ? {} : { column: Number(column) }),
      });
    }
  };
  for (const { index, 0: all, 1: path = "", 2: line } of text.matchAll(QUOTED_LINE)) {
    add(index, index + all.length, path, line);
  }
  for (const { index, 0: all, 2: path = "", 3: line, 4: column } of text.matchAll(QUOTED)) {
    add(index, index + all.length, path, line, column);
  }
  for (const match of text.matchAll(WORD)) {
    const [all, word = "", line, column, lineInBrackets, columnInBrackets] = match;
    const hasLine = (line ?? lineInBrackets) !== undefined;
    // A sentence's end is not the name's.
    const path = hasLine ? word : word.replace(/\.+$/, "");
    const to = match.index + all.length - (word.length - path.length);
    add(match.index, to, path, line ?? lineInBrackets, column ?? columnInBrackets);
  }
  return places.sort((one, other) => one.from - other.from);
}

/** Whether a word looks like a file's name: others are not worth a question. */
function mayBeFile(path: string): boolean {
  return /[./]/.test(path) && /[\p{L}\p{N}_]/u.test(path) && !/^-?\d+(\.\d+)*$/.test(path);
}

/** An address without the punctuation of the sentence that it stands in. */
function trimmedAddress(address: string): string {
  let end = address.length;
  while (end > 0) {
    const last = address[end - 1] ?? "";
    const rest = address.slice(0, end);
    // A bracket that closes one of the sentence's is not the address's.
    const closes = { ")": "(", "]": "[" }[last];
    const isUnopened = closes !== undefined && times(rest, last) > times(rest, closes);
    if (!/[.,;:!?'*]/.test(last) && !isUnopened) {
      break;
    }
    end -= 1;
  }
  return address.slice(0, end);
}

function times(text: string, character: string): number {
  return text.split(character).length - 1;
}

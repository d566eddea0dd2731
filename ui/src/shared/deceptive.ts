/**
 * Characters that make text look like something that it is not.
 *
 * A command, a path or a diff is consented to by reading it. A carriage return or an
 * escape sequence hides what came before; a bidirectional control reorders; a zero-width
 * character makes two names look alike. All of these are shown as visible escapes.
 */

/** How strictly text is read. */
export type Strictness =
  /** Commands, paths, titles, one line each: line breaks are shown too. */
  | "line"
  /** Program text and diffs: line breaks and tabs are themselves. */
  | "block"
  /** Prose in any language: joiners and special spaces are at home in it. */
  | "prose";

/** A character that must not be shown as it is. */
export interface Escape {
  /** Where it begins, as a UTF-16 offset. */
  from: number;
  /** Where it ends. */
  to: number;
  /** What is shown. */
  shown: string;
  /** What it is, in words. */
  name: string;
}

const NAMES: Record<number, string> = {
  0x00: "null character",
  0x07: "bell",
  0x08: "backspace",
  0x09: "tab",
  0x0a: "line feed",
  0x0d: "carriage return",
  0x1b: "escape, begins a terminal sequence",
  0x7f: "delete",
  0x9b: "control sequence introducer",
  0xa0: "no-break space",
  0xad: "soft hyphen",
  0x061c: "Arabic letter mark",
  0x200b: "zero-width space",
  0x200c: "zero-width non-joiner",
  0x200d: "zero-width joiner",
  0x200e: "left-to-right mark",
  0x200f: "right-to-left mark",
  0x2028: "line separator",
  0x2029: "paragraph separator",
  0x202a: "left-to-right embedding",
  0x202b: "right-to-left embedding",
  0x202c: "end of bidirectional formatting",
  0x202d: "left-to-right override",
  0x202e: "right-to-left override",
  0x2060: "word joiner",
  0x2066: "left-to-right isolate",
  0x2067: "right-to-left isolate",
  0x2068: "first strong isolate",
  0x2069: "end of isolate",
  0xfeff: "byte order mark",
};

/** Invisible characters beyond the controls: format characters, fillers, tags, unpaired halves. */
const INVISIBLE =
  /[\p{Cf}\p{Cs}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2028\u2029\u3164\ufe00-\ufe0f\uffa0\u{e0100}-\u{e01ef}]/u;
/** Spaces that look like the ordinary one but are not: a shell takes them for a letter. */
const ODD_SPACE = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/;
const PICTOGRAPH = /\p{Extended_Pictographic}/u;
/** Nothing outside of printable ASCII, tab and line feed: the usual case, settled at once. */
const PLAIN = /^[\x20-\x7e\t\n]*$/;
const PLAIN_LINE = /^[\x20-\x7e]*$/;

/** Every character of `text` that must be shown as an escape, in order. */
export function findEscapes(text: string, strictness: Strictness): Escape[] {
  if ((strictness === "line" ? PLAIN_LINE : PLAIN).test(text)) {
    return [];
  }
  const escapes: Escape[] = [];
  let from = 0;
  for (const character of text) {
    const to = from + character.length;
    if (mustEscape(character, text, from, to, strictness)) {
      const code = character.codePointAt(0) ?? 0;
      escapes.push({ from, to, shown: escapeOf(code), name: nameOf(code) });
    }
    from = to;
  }
  return escapes;
}

function mustEscape(
  character: string,
  text: string,
  from: number,
  to: number,
  strictness: Strictness,
): boolean {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) {
    // A line ending of a foreign system in prose or program text is not a trick; a lone return is.
    const ending = code === 0x0d && text[to] === "\n" && strictness === "prose";
    return strictness === "line" || !(code === 0x0a || code === 0x09 || ending);
  }
  if (code < 0x7f) {
    return false;
  }
  if (code < 0xa0) {
    return true;
  }
  if (ODD_SPACE.test(character)) {
    return strictness !== "prose";
  }
  if (!INVISIBLE.test(character)) {
    return false;
  }
  if (code === 0xfe0f || code === 0x200d) {
    return !(strictness === "prose" || partOfEmoji(text, from, to, code));
  }
  // Persian and Indic prose needs the non-joiner, some prose the soft hyphen.
  return !(strictness === "prose" && (code === 0x200c || code === 0xad));
}

function partOfEmoji(text: string, from: number, to: number, code: number): boolean {
  const before = [...text.slice(Math.max(0, from - 4), from)];
  const last = before.at(-1) === "\ufe0f" ? before.at(-2) : before.at(-1);
  const follows = last !== undefined && PICTOGRAPH.test(last);
  if (code === 0xfe0f) {
    return follows;
  }
  const next = text.codePointAt(to);
  return follows && next !== undefined && PICTOGRAPH.test(String.fromCodePoint(next));
}

function escapeOf(code: number): string {
  switch (code) {
    case 0x09:
      return "\\t";
    case 0x0a:
      return "\\n";
    case 0x0d:
      return "\\r";
    default:
      return code < 0x100
        ? `\\x${code.toString(16).padStart(2, "0")}`
        : `\\u{${code.toString(16)}}`;
  }
}

function nameOf(code: number): string {
  const point = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  return `${NAMES[code] ?? "invisible character"} (${point})`;
}

/** `text` with every deceptive character as its escape: for accessible names and titles. */
export function escapeText(text: string, strictness: Strictness = "line"): string {
  let result = "";
  let at = 0;
  for (const { from, to, shown } of findEscapes(text, strictness)) {
    result += text.slice(at, from) + shown;
    at = to;
  }
  return at === 0 ? text : result + text.slice(at);
}

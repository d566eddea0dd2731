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
  0: "null character",
  7: "bell",
  8: "backspace",
  9: "tab",
  10: "line feed",
  13: "carriage return",
  27: "escape, begins a terminal sequence",
  127: "delete",
  155: "control sequence introducer",
  160: "no-break space",
  173: "soft hyphen",
  1564: "Arabic letter mark",
  8203: "zero-width space",
  8204: "zero-width non-joiner",
  8205: "zero-width joiner",
  8206: "left-to-right mark",
  8207: "right-to-left mark",
  8232: "line separator",
  8233: "paragraph separator",
  8234: "left-to-right embedding",
  8235: "right-to-left embedding",
  8236: "end of bidirectional formatting",
  8237: "left-to-right override",
  8238: "right-to-left override",
  8288: "word joiner",
  8294: "left-to-right isolate",
  8295: "right-to-left isolate",
  8296: "first strong isolate",
  8297: "end of isolate",
  65279: "byte order mark",
};

/** Format characters (bidirectional and zero-width ones, tags) and unpaired surrogates. */
const FORMAT = /[\p{Cf}\p{Cs}]/u;
/** Further characters without a shape, as ranges of code points: fillers, separators, selectors. */
const SHAPELESS: readonly (readonly [number, number])[] = [
  [0x034f, 0x034f],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x2028, 0x2029],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f],
  [0xffa0, 0xffa0],
  [0xe0100, 0xe01ef],
];
/** Spaces that look like the ordinary one but are not: a shell takes them for a letter. */
const ODD_SPACE = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/;
const PICTOGRAPH = /\p{Extended_Pictographic}/u;
/** Nothing outside of printable ASCII, tab and line feed: the usual case, settled at once. */
const PLAIN = /^[\x20-\x7e\t\n]*$/;
const PLAIN_LINE = /^[\x20-\x7e]*$/;

/** Letters that are drawn like Latin ones. The micro sign's twin is left out: `μs` is a unit. */
const TWIN = /[\u0370-\u03bb\u03bd-\u03ff\u0400-\u052f]/;
const WORD = /[\p{L}\p{M}\p{N}_]+/gu;
const LATIN = /[A-Za-z]/;

/** Where a word mixes Latin letters with ones that look like them: `pаypal` with a Cyrillic а. */
function findTwins(text: string, strictness: Strictness): Set<number> {
  const twins = new Set<number>();
  if (strictness === "prose" || !TWIN.test(text)) {
    return twins;
  }
  for (const match of text.matchAll(WORD)) {
    const [word] = match;
    if (LATIN.test(word) && TWIN.test(word)) {
      for (let at = 0; at < word.length; at += 1) {
        if (TWIN.test(word.charAt(at))) {
          twins.add(match.index + at);
        }
      }
    }
  }
  return twins;
}

/** Every character of `text` that must be shown as an escape, in order. */
export function findEscapes(text: string, strictness: Strictness): Escape[] {
  if ((strictness === "line" ? PLAIN_LINE : PLAIN).test(text)) {
    return [];
  }
  const escapes: Escape[] = [];
  const twins = findTwins(text, strictness);
  let from = 0;
  for (const character of text) {
    const to = from + character.length;
    if (twins.has(from) || mustEscape(character, text, from, to, strictness)) {
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
  if (!isInvisible(character, code)) {
    return false;
  }
  if (code === 0xfe0f || code === 0x200d) {
    return !(strictness === "prose" || partOfEmoji(text, from, to, code));
  }
  // Persian and Indic prose needs the non-joiner, some prose the soft hyphen.
  return !(strictness === "prose" && (code === 0x200c || code === 0xad));
}

function isInvisible(character: string, code: number): boolean {
  return FORMAT.test(character) || SHAPELESS.some(([first, last]) => code >= first && code <= last);
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
  const kind = TWIN.test(String.fromCodePoint(code))
    ? "letter that looks like a Latin one"
    : "invisible character";
  return `${NAMES[code] ?? kind} (${point})`;
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

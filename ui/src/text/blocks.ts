import MarkdownIt, { type Token } from "markdown-it";

/** Never HTML: what the model writes is text. Bare addresses become links. */
const parser = new MarkdownIt("default", { html: false, linkify: true, typographer: false });
// Only schemes that a person can follow outside of the app.
parser.validateLink = (address) => /^(https?:|mailto:)/i.test(address.trim());

/** One top-level block of a Markdown text. */
export interface MarkdownPart {
  /** Its source. */
  source: string;
  /** Its tokens. */
  tokens: Token[];
}

/** Tokens of a source. */
export function parseMarkdown(source: string): Token[] {
  return parser.parse(source, {});
}

/**
 * Cuts a growing text into its top-level blocks, and reads again only what may still
 * change: the last block. Blocks before it keep their identity, so that what shows them
 * need not be rendered again.
 */
export class MarkdownStream {
  private settled: MarkdownPart[] = [];
  private settledText = "";
  private lastText = "";
  private lastParts: MarkdownPart[] = [];

  /** The blocks of `text`. */
  parts(text: string): MarkdownPart[] {
    if (text === this.lastText) {
      return this.lastParts;
    }
    if (!text.startsWith(this.settledText)) {
      this.settled = [];
      this.settledText = "";
    }
    const rest = text.slice(this.settledText.length);
    const fresh = cut(rest);
    const open = fresh.pop();
    for (const part of fresh) {
      this.settled.push(part);
      this.settledText += part.source;
    }
    this.lastText = text;
    this.lastParts = open === undefined ? [...this.settled] : [...this.settled, open];
    return this.lastParts;
  }
}

/** The top-level blocks of a source. Their sources joined are the whole. */
function cut(source: string): MarkdownPart[] {
  const tokens = parseMarkdown(source);
  const starts = lineStarts(source);
  const parts: MarkdownPart[] = [];
  let own: Token[] = [];
  let line = 0;
  const close = (end: number) => {
    const from = starts[line] ?? source.length;
    const to = starts[end] ?? source.length;
    parts.push({ source: source.slice(from, to), tokens: own });
    own = [];
    line = end;
  };
  for (const token of tokens) {
    const begins = token.level === 0 && token.nesting >= 0;
    if (begins && own.length > 0 && token.map !== null) {
      close(token.map[0]);
    }
    own.push(token);
  }
  if (own.length > 0 || line < starts.length) {
    close(starts.length);
  }
  return parts.filter((part) => part.source !== "");
}

function lineStarts(source: string): number[] {
  const starts = [0];
  for (let at = source.indexOf("\n"); at !== -1; at = source.indexOf("\n", at + 1)) {
    starts.push(at + 1);
  }
  return starts;
}

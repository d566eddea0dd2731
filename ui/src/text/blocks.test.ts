import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MarkdownStream, parseMarkdown } from "./blocks.ts";

const TEXT = `# Title

A paragraph with **bold** and
a second line.

- one
- two

  still two

\`\`\`rust
fn main() {

}
\`\`\`

| a | b |
|---|---|
| 1 | 2 |

> quoted

1. first
2. second

End.`;

/** What a token shows, without places. */
function shape(tokens: ReturnType<typeof parseMarkdown>): string[] {
  return tokens.map((token) => `${token.type}:${token.content}`);
}

describe("MarkdownStream", () => {
  it("gives the same tokens as reading the whole at once, however the text arrives", () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: TEXT.length }), { maxLength: 12 }), (points) => {
        const stream = new MarkdownStream();
        for (const point of [...points].sort((a, b) => a - b)) {
          stream.parts(TEXT.slice(0, point));
        }
        const parts = stream.parts(TEXT);
        expect(parts.map((part) => part.source).join("")).toBe(TEXT);
        expect(parts.flatMap((part) => shape(part.tokens))).toEqual(shape(parseMarkdown(TEXT)));
      }),
    );
  });

  it("keeps the identity of blocks that cannot change any more", () => {
    const stream = new MarkdownStream();
    const before = stream.parts("one\n\ntwo\n\nthr");
    const after = stream.parts("one\n\ntwo\n\nthree\n\nfour");
    expect(after[0]).toBe(before[0]);
    expect(after[1]).toBe(before[1]);
  });

  it("begins anew when the text is another", () => {
    const stream = new MarkdownStream();
    stream.parts("one\n\ntwo\n\nthree");
    expect(stream.parts("other").map((part) => part.source)).toEqual(["other"]);
  });
});

describe("parseMarkdown", () => {
  it("makes neither HTML nor script links", () => {
    const types = parseMarkdown("<img src=x onerror=alert(1)> [a](javascript:alert(1))")
      .flatMap((token) => [token, ...(token.children ?? [])])
      .map((token) => token.type);
    expect(types).not.toContain("html_inline");
    expect(types).not.toContain("html_block");
    expect(types).not.toContain("link_open");
  });
});

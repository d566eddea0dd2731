import fc from "fast-check";
import { expect, it } from "vitest";
import { Catchup } from "./catchup.ts";

const encode = (text: string) => new TextEncoder().encode(text);

function follow(): { catchup: Catchup; text: () => string } {
  let written = "";
  const decoder = new TextDecoder();
  const catchup = new Catchup((bytes) => {
    written += decoder.decode(bytes);
  });
  return { catchup, text: () => written };
}

it("shows the scrollback before output that came earlier", () => {
  const { catchup, text } = follow();
  catchup.output(encode("after the scrollback\n"));
  expect(text()).toBe("");
  catchup.scrollback(encode("before\n"));
  expect(text()).toBe("before\nafter the scrollback\n");
});

it("passes over output that the scrollback ends with", () => {
  const { catchup, text } = follow();
  catchup.scrollback(encode("line one\nline two\n"));
  catchup.output(encode("line two\nline three\n"));
  catchup.output(encode("line four\n"));
  expect(text()).toBe("line one\nline two\nline three\nline four\n");
});

it("loses and doubles nothing, wherever the scrollback was taken", () => {
  // Lines with numbers: no two stretches are alike, as real output mostly is.
  const whole = Array.from({ length: 40 }, (_, n) => `${n} ${n * 7919} of the output\n`).join("");
  fc.assert(
    fc.property(fc.nat({ max: 400 }), fc.nat({ max: 400 }), (a, b) => {
      const [sent, taken] = [Math.min(a, b), Math.max(a, b)];
      const { catchup, text } = follow();
      catchup.scrollback(encode(whole.slice(0, taken)));
      // The last batch before the scrollback comes once more, then the rest.
      const repeated = taken - sent >= 8 ? whole.slice(sent, taken) : "";
      catchup.output(encode(repeated + whole.slice(taken)));
      expect(text()).toBe(whole);
    }),
  );
});

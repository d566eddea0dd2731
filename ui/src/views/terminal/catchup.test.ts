import fc from "fast-check";
import { expect, it } from "vitest";
import { Catchup } from "./catchup.ts";

const encode = (text: string) => new TextEncoder().encode(text);

function follow(): { catchup: Catchup; text: () => string; attached: () => number } {
  let written = "";
  let attached = 0;
  const decoder = new TextDecoder();
  const catchup = new Catchup({
    write: (bytes) => {
      written += decoder.decode(bytes);
    },
    missed: (count) => {
      written += `[${count}]`;
    },
    attach: () => {
      attached += 1;
    },
  });
  return { catchup, text: () => written, attached: () => attached };
}

it("shows the scrollback before output that came earlier", () => {
  const { catchup, text } = follow();
  catchup.output(7, encode("after"));
  expect(text()).toBe("");
  catchup.scrollback(encode("before\n"), 7);
  expect(text()).toBe("before\nafter");
  expect(catchup.end).toBe(12);
});

it("says how much is missing before the scrollback", () => {
  const { catchup, text } = follow();
  catchup.scrollback(encode("end"), 1003);
  expect(text()).toBe("[1000]end");
});

it("asks once for what it missed, and goes on after it", () => {
  const { catchup, text, attached } = follow();
  catchup.scrollback(encode("one"), 3);
  catchup.output(6, encode("three"));
  catchup.output(11, encode("four"));
  expect([text(), attached()]).toEqual(["one", 1]);
  catchup.scrollback(encode("onetwothree"), 11);
  expect(text()).toBe("onetwothreefour");
});

it("does not ask for ever where asking gives nothing new", () => {
  const { catchup, text, attached } = follow();
  catchup.scrollback(encode("one"), 3);
  catchup.output(9, encode("three"));
  catchup.scrollback(encode("one"), 3);
  expect([text(), attached()]).toEqual(["one[6]three", 1]);
});

it("loses and doubles nothing, whatever is lost on the way and wherever the scrollback begins", () => {
  const whole = Array.from({ length: 60 }, (_, n) => `${n} ${n * 7919} of the output\n`).join("");
  const lengths = fc.array(fc.tuple(fc.integer({ min: 1, max: 90 }), fc.boolean()), {
    minLength: 1,
    maxLength: 30,
  });
  fc.assert(
    fc.property(lengths, fc.nat({ max: 400 }), (pieces, taken) => {
      let sent = 0;
      let text = "";
      let asks = false;
      const decoder = new TextDecoder();
      const catchup = new Catchup({
        write: (bytes) => {
          text += decoder.decode(bytes);
        },
        missed: () => expect.unreachable(),
        attach: () => {
          asks = true;
        },
      });
      catchup.scrollback(encode(whole.slice(0, taken)), taken);
      for (const [length, arrives] of pieces) {
        const end = Math.min(whole.length, sent + length);
        if (arrives) {
          catchup.output(sent, encode(whole.slice(sent, end)));
        }
        sent = end;
        if (asks) {
          asks = false;
          const now = Math.max(sent, taken);
          catchup.scrollback(encode(whole.slice(0, now)), now);
        }
      }
      const now = Math.max(sent, taken);
      catchup.output(now, encode("!"));
      if (asks) {
        catchup.scrollback(encode(`${whole.slice(0, now)}!`), now + 1);
      }
      expect(text).toBe(`${whole.slice(0, now)}!`);
    }),
  );
});

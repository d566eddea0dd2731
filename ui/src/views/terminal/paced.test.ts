import { expect, it } from "vitest";
import { PacedWriter } from "./paced.ts";

/** A screen that shows only when it is told to. */
function slowScreen() {
  const given: (Uint8Array | string)[] = [];
  let pending: (() => void) | null = null;
  return {
    given,
    screen: {
      write(data: Uint8Array | string, shown: () => void) {
        given.push(data);
        pending = shown;
      },
    },
    show() {
      const shown = pending;
      pending = null;
      shown?.();
      return shown !== null;
    },
  };
}

const KIB = 1024;

it("gives the next bytes only when the last were shown, in order", () => {
  const { given, screen, show } = slowScreen();
  const writer = new PacedWriter(screen);
  writer.write(new Uint8Array([1]));
  writer.write(new Uint8Array([2]));
  expect(given).toEqual([new Uint8Array([1])]);
  show();
  expect(given).toEqual([new Uint8Array([1]), new Uint8Array([2])]);
});

it("passes over what waits too long, says how much, and shows the end", () => {
  const { given, screen, show } = slowScreen();
  const writer = new PacedWriter(screen);
  const total = 100;
  for (let n = 0; n < total; n += 1) {
    writer.write(new Uint8Array(64 * KIB).fill(n));
  }
  while (show()) {
    // Until nothing waits.
  }
  const notes = given.filter((data) => typeof data === "string");
  const bytes = given.filter((data) => typeof data !== "string");
  expect(notes).toEqual([
    `\r\n\x1b[0m[${(total - bytes.length) * 64 * KIB} bytes passed too fast to show]\r\n`,
  ]);
  expect(bytes.at(-1)?.[0]).toBe(total - 1);
  expect(bytes.length).toBeLessThan(12);
});

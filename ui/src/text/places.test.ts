import { describe, expect, it } from "vitest";
import { placesIn } from "./places.ts";

/** The places of a text in short: `path:line:column`. */
function short(text: string): string[] {
  return placesIn(text).map((place) => {
    const whole = text.slice(place.from, place.to);
    return place.type === "address"
      ? `${place.address} of ${whole}`
      : `${[place.path, place.line, place.column].filter((part) => part !== undefined).join("|")} of ${whole}`;
  });
}

describe("places in a line", () => {
  it.each([
    ["  --> src/main.rs:12:5", ["src/main.rs|12|5 of src/main.rs:12:5"]],
    ["   ╭─[src/lamp.ts:3:7]", ["src/lamp.ts|3|7 of src/lamp.ts:3:7"]],
    ["src/a.ts(3,7): error TS1005: ';' expected.", ["src/a.ts|3|7 of src/a.ts(3,7)"]],
    ['  File "my lib/a.py", line 3, in f', ['my lib/a.py|3 of "my lib/a.py", line 3']],
    ["    at run (/p/src/a.mjs:10:5)", ["/p/src/a.mjs|10|5 of /p/src/a.mjs:10:5"]],
    ["    at file:///p/src/a.mjs:10:5", ["/p/src/a.mjs|10|5 of file:///p/src/a.mjs:10:5"]],
    ["src/a.rs:12:let x = 1;", ["src/a.rs|12 of src/a.rs:12"]],
    ["\tmodified:   ui/src/a.tsx", ["ui/src/a.tsx of ui/src/a.tsx"]],
    ["Look at README.md.", ["README.md of README.md"]],
    ["'my file.txt' was written", ["my file.txt of 'my file.txt'"]],
    ["./gradlew: not found", ["./gradlew of ./gradlew"]],
    ["Größe/überall.md:4", ["Größe/überall.md|4 of Größe/überall.md:4"]],
  ])("%j", (text, expected) => {
    expect(short(text)).toEqual(expected);
  });

  it.each([
    ["Local: http://localhost:5173/", ["http://localhost:5173/ of http://localhost:5173/"]],
    ["(see https://a.b/c_(d)).", ["https://a.b/c_(d) of https://a.b/c_(d)"]],
    ["[docs](https://a.b/c)", ["https://a.b/c of https://a.b/c"]],
    ["<https://a.b/c?d=1&e=2>", ["https://a.b/c?d=1&e=2 of https://a.b/c?d=1&e=2"]],
  ])("%j", (text, expected) => {
    expect(short(text)).toEqual(expected);
  });

  it.each(["12:34:56", "1.2.3", "...", "a && b", "v2", "100% done", "javascript:alert(1)", "{}"])(
    "finds none in %j",
    (text) => {
      expect(short(text)).toEqual([]);
    },
  );

  it("never overlap and stay inside of the text", () => {
    const text = 'see "src/a.rs:3" at https://x.y/src/b.rs:4 and src/c.rs(5), File "d.py", line 6';
    const places = placesIn(text);
    let end = 0;
    for (const { from, to } of places) {
      expect(from).toBeGreaterThanOrEqual(end);
      expect(to).toBeGreaterThan(from);
      end = to;
    }
    expect(end).toBeLessThanOrEqual(text.length);
    expect(places).toHaveLength(4);
  });

  it("are found in a long line without trying for ever", () => {
    expect(
      placesIn(`${"a".repeat(200_000)} ${"(".repeat(50_000)} ${"/x".repeat(50_000)}`),
    ).toBeDefined();
  });
});

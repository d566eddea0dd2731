import fc from "fast-check";
import { expect, it } from "vitest";
import { beginHistory, historyEntries, historyText, stepHistory } from "./history.ts";

it("goes back through what was said, newest first, and forth again to the draft", () => {
  let history = beginHistory(["one", "two"], "draft");
  const seen: string[] = [];
  for (const step of [-1, -1, -1, 1, 1, 1] as const) {
    history = stepHistory(history, step) ?? history;
    seen.push(historyText(history));
  }
  expect(seen).toEqual(["two", "one", "one", "two", "draft", "draft"]);
});

it("leaves out doubles in a row only", () => {
  expect(historyEntries(["a", "a", "b", "a"])).toEqual(["a", "b", "a"]);
});

it("always comes back to the draft after as many steps forth as back", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string()),
      fc.string(),
      fc.nat({ max: 10 }),
      (entries, draft, steps) => {
        let history = beginHistory(entries, draft);
        let back = 0;
        for (let n = 0; n < steps; n += 1) {
          const next = stepHistory(history, -1);
          if (next !== null) {
            history = next;
            back += 1;
          }
        }
        for (let n = 0; n < back; n += 1) {
          history = stepHistory(history, 1) ?? history;
        }
        expect(historyText(history)).toBe(draft);
      },
    ),
  );
});

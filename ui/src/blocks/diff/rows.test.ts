import fc from "fast-check";
import { expect, it } from "vitest";
import type { DiffLine, LineChange } from "../../generated/protocol.ts";
import { splitRows } from "./rows.ts";

const line = fc
  .constantFrom<LineChange>("context", "added", "removed")
  .map((kind): DiffLine => ({ kind, text: kind, emphasis: [], missingNewline: false }));

it("shows every line exactly once on its own side, in order", () => {
  fc.assert(
    fc.property(fc.array(line), (lines) => {
      const rows = splitRows(lines);
      const olds = rows.flatMap((row) => (row.old === null ? [] : [row.old.index]));
      const news = rows.flatMap((row) => (row.fresh === null ? [] : [row.fresh.index]));
      const places = lines.map((one, index) => ({ kind: one.kind, index }));
      expect(olds).toEqual(places.filter((p) => p.kind !== "added").map((p) => p.index));
      expect(news).toEqual(places.filter((p) => p.kind !== "removed").map((p) => p.index));
    }),
  );
});

it("stands a removed line against the added line in its place", () => {
  const of = (kind: LineChange, text: string): DiffLine => ({
    kind,
    text,
    emphasis: [],
    missingNewline: false,
  });
  const rows = splitRows([of("removed", "a"), of("removed", "b"), of("added", "A")]);
  expect(rows.map((r) => [r.old?.line.text ?? null, r.fresh?.line.text ?? null])).toEqual([
    ["a", "A"],
    ["b", null],
  ]);
});

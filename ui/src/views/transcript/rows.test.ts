import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CallItem, CallStatus, GroupKind, Item } from "../../generated/protocol.ts";
import { groupChips, groupWords, isFoldable, makeRows } from "./rows.ts";

const STATUSES: CallStatus[] = [
  "writing",
  "queued",
  "waiting",
  "running",
  "succeeded",
  "failed",
  "denied",
  "cancelled",
];

function call(id: string, part: Partial<CallItem> = {}, kind: GroupKind = "read"): CallItem {
  return {
    call: id,
    tool: "Any",
    status: "succeeded",
    mutating: false,
    view: {
      title: id,
      tone: "neutral",
      blocks: [],
      group: { kind, chips: [{ kind: "path", text: id }] },
    },
    ...part,
  };
}

function item(id: string, one: CallItem): Item {
  return { id, body: { type: "call", call: one } };
}

const anyItem: fc.Arbitrary<Item> = fc
  .record({
    id: fc.uuid(),
    kind: fc.constantFrom("user", "call", "call", "call"),
    status: fc.constantFrom(...STATUSES),
    mutating: fc.boolean(),
  })
  .map(({ id, kind, status, mutating }) =>
    kind === "user"
      ? { id, body: { type: "user", text: "" } }
      : item(id, call(id, { status, mutating })),
  );

describe("makeRows", () => {
  it("shows every entry once, in order, and folds only what may be folded", () => {
    fc.assert(
      fc.property(fc.array(anyItem, { maxLength: 30 }), (items) => {
        const rows = makeRows(items, "grouped", []);
        const shown = rows.flatMap((row) =>
          row.kind === "item" ? [row.item.id] : row.calls.map((one) => one.call),
        );
        expect(shown).toEqual(items.map((one) => one.id));
        for (const row of rows) {
          if (row.kind === "group") {
            expect(row.calls.length).toBeGreaterThan(1);
            expect(row.calls.every(isFoldable)).toBe(true);
          }
        }
        rows.forEach((row, index) => {
          const next = rows[index + 1];
          expect(row.kind === "group" && next?.kind === "group").toBe(false);
        });
      }),
    );
  });

  it.each(["failed", "denied", "cancelled", "waiting"] as const)(
    "gives a %s call a row of its own between the others",
    (status) => {
      const items = [
        item("a", call("a")),
        item("b", call("b")),
        item("c", call("c", { status })),
        item("d", call("d")),
        item("e", call("e")),
      ];
      expect(makeRows(items, "grouped", []).map((row) => row.kind)).toEqual([
        "group",
        "item",
        "group",
      ]);
    },
  );

  it("never folds a call that may change something, whatever its group says", () => {
    expect(isFoldable(call("a", { mutating: true }))).toBe(false);
  });

  it("folds nothing when expanded", () => {
    const items = [item("a", call("a")), item("b", call("b"))];
    expect(makeRows(items, "expanded", []).map((row) => row.kind)).toEqual(["item", "item"]);
  });

  it("keeps the identity of rows that did not change", () => {
    const items = [
      item("a", call("a")),
      item("b", call("b")),
      { id: "t", body: { type: "assistant", text: "x", streaming: true } } satisfies Item,
    ];
    const before = makeRows(items, "grouped", []);
    const after = makeRows(
      [...items.slice(0, 2), { id: "t", body: { type: "assistant", text: "xy", streaming: true } }],
      "grouped",
      before,
    );
    expect(after[0]).toBe(before[0]);
    expect(after[1]).not.toBe(before[1]);
  });
});

describe("a group's words", () => {
  it("counts by kind, in the tense of what is going on", () => {
    const calls = [call("a"), call("b"), call("p", {}, "search")];
    expect(groupWords(calls)).toBe("Read 2 files, searched 1 time");
    expect(groupWords([...calls, call("c", { status: "running" })])).toBe(
      "Reading 3 files, searching 1 time",
    );
  });

  it("names its targets without doubles, and how many more", () => {
    const calls = [call("a"), call("a"), call("b"), call("c"), call("d")];
    expect(groupChips(calls, 2)).toEqual({
      chips: [
        { kind: "path", text: "a" },
        { kind: "path", text: "b" },
      ],
      more: 2,
    });
  });
});

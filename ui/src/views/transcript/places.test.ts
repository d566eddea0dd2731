import { describe, expect, it } from "vitest";
import type { CallItem, Item } from "../../generated/protocol.ts";
import { firstFrom, placesOf } from "./places.ts";
import { makeRows } from "./rows.ts";

function read(id: string): Item {
  const call: CallItem = {
    call: `call-${id}`,
    tool: "Read",
    status: "succeeded",
    mutating: false,
    view: {
      title: `Read ${id}`,
      tone: "neutral",
      blocks: [],
      group: { kind: "read", chips: [{ kind: "path", text: id }] },
    },
  };
  return { id, body: { type: "call", call } };
}

const items: Item[] = [
  { id: "a", body: { type: "user", text: "hello" } },
  read("b"),
  read("c"),
  { id: "d", body: { type: "assistant", text: "done", streaming: false } },
  read("e"),
];
const found = ["a", "c", "e", "gone"].map((item) => ({ item, excerpt: item }));

describe("places of found entries", () => {
  it("are rows, a group's row for a call that folds", () => {
    const places = placesOf(found, items, makeRows(items, "grouped", []));
    expect(places).toEqual([
      { row: 0, key: "a", grouped: false, call: null, excerpt: "a" },
      { row: 1, key: "b", grouped: true, call: "call-c", excerpt: "c" },
      { row: 3, key: "e", grouped: false, call: "call-e", excerpt: "e" },
    ]);
  });

  it("are each call's own row where nothing folds", () => {
    const places = placesOf(found, items, makeRows(items, "expanded", []));
    expect(places.map(({ row, grouped }) => [row, grouped])).toEqual([
      [0, false],
      [2, false],
      [4, false],
    ]);
  });

  it("begin with what is in sight, and else with the last", () => {
    const places = placesOf(found, items, makeRows(items, "grouped", []));
    expect([0, 1, 2, 3, 4].map((row) => firstFrom(places, row))).toEqual([0, 1, 2, 2, 2]);
    expect(firstFrom([], 0)).toBe(-1);
  });
});

import type { CallId, FoundEntry, Item } from "../../generated/protocol.ts";
import type { Row } from "./rows.ts";

/** Where a found entry shows. */
export interface Place {
  /** Its row. */
  row: number;
  /** The row's key, for a group that must be opened. */
  key: string;
  /** Whether the row is a group that holds it. */
  grouped: boolean;
  /** The call, where it is one. */
  call: CallId | null;
  /** The line around the text. */
  excerpt: string;
}

/** Where found entries show, in order. An entry that is gone by now has no place. */
export function placesOf(
  found: readonly FoundEntry[],
  items: readonly Item[],
  rows: readonly Row[],
): Place[] {
  const calls = new Map<string, CallId>();
  for (const { id, body } of items) {
    if (body.type === "call") {
      calls.set(id, body.call.call);
    }
  }
  const single = new Map<string, number>();
  const grouped = new Map<CallId, number>();
  rows.forEach((row, index) => {
    if (row.kind === "item") {
      single.set(row.key, index);
    } else {
      for (const { call } of row.calls) {
        grouped.set(call, index);
      }
    }
  });
  return found.flatMap(({ item, excerpt }) => {
    const call = calls.get(item) ?? null;
    const group = call === null ? undefined : grouped.get(call);
    const row = group ?? single.get(item);
    const key = row === undefined ? undefined : rows[row]?.key;
    return row === undefined || key === undefined
      ? []
      : [{ row, key, grouped: group !== undefined, call, excerpt }];
  });
}

/** The place to begin at: the first one in sight or below it, else the last. */
export function firstFrom(places: readonly Place[], row: number): number {
  const below = places.findIndex((place) => place.row >= row);
  return below === -1 ? places.length - 1 : below;
}

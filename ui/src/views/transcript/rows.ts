import type { CallItem, Chip, Density, GroupKind, Item, ItemId } from "../../generated/protocol.ts";

/** One row of the transcript. */
export type Row =
  | { kind: "item"; key: ItemId; item: Item }
  | { kind: "group"; key: ItemId; calls: CallItem[] };

/**
 * Whether a call may fold into a group: it has one, changes nothing, and nothing about
 * it needs to be seen. Failed, denied, cancelled and waiting calls always stand alone.
 */
export function isFoldable(call: CallItem): boolean {
  const asks = call.view.blocks.some((block) => block.type === "terminal_input");
  if (call.view.group === undefined || call.mutating || asks) {
    return false;
  }
  switch (call.status) {
    case "writing":
    case "queued":
    case "running":
    case "succeeded":
      return true;
    case "waiting":
    case "failed":
    case "denied":
    case "cancelled":
      return false;
  }
}

function foldableCall(item: Item): CallItem | null {
  return item.body.type === "call" && isFoldable(item.body.call) ? item.body.call : null;
}

/**
 * The rows of a transcript: every entry is one, except that two or more consecutive
 * foldable calls are one together. Rows that did not change keep their identity.
 */
export function makeRows(items: readonly Item[], density: Density, before: readonly Row[]): Row[] {
  const rows: Row[] = [];
  const old = new Map(before.map((row) => [row.key, row]));
  let run: Item[] = [];
  const settle = () => {
    const first = run[0];
    if (first === undefined) {
      return;
    }
    rows.push(run.length === 1 ? itemRow(first, old) : groupRow(first.id, run, old));
    run = [];
  };
  for (const item of items) {
    if (density === "grouped" && foldableCall(item) !== null) {
      run.push(item);
    } else {
      settle();
      rows.push(itemRow(item, old));
    }
  }
  settle();
  return rows;
}

function itemRow(item: Item, old: ReadonlyMap<ItemId, Row>): Row {
  const known = old.get(item.id);
  return known?.kind === "item" && known.item === item
    ? known
    : { kind: "item", key: item.id, item };
}

function groupRow(key: ItemId, run: readonly Item[], old: ReadonlyMap<ItemId, Row>): Row {
  const calls = run.flatMap((item) => foldableCall(item) ?? []);
  const known = old.get(key);
  const same =
    known?.kind === "group" &&
    known.calls.length === calls.length &&
    known.calls.every((call, index) => call === calls[index]);
  return same ? known : { kind: "group", key, calls };
}

/** What a group does, in words: `Read 3 files, searched 1 pattern`. */
export function groupWords(calls: readonly CallItem[]): string {
  const counts: Record<GroupKind, number> = { read: 0, search: 0, list: 0 };
  for (const call of calls) {
    counts[call.view.group?.kind ?? "read"] += 1;
  }
  const running = calls.some(isUnderWay);
  const verbs: Record<GroupKind, [string, string, string, string]> = {
    read: ["Reading", "Read", "file", "files"],
    search: ["Searching", "Searched", "time", "times"],
    list: ["Listing", "Listed", "place", "places"],
  };
  const parts = (["read", "search", "list"] as const).flatMap((kind) => {
    const number = counts[kind];
    const [doing, done, one, many] = verbs[kind];
    return number === 0 ? [] : [`${running ? doing : done} ${number} ${number === 1 ? one : many}`];
  });
  return parts
    .map((part, index) => (index === 0 ? part : part.charAt(0).toLowerCase() + part.slice(1)))
    .join(", ");
}

/** Whether a call has not ended yet. */
export function isUnderWay(call: CallItem): boolean {
  return ["writing", "queued", "waiting", "running"].includes(call.status);
}

/** The targets that a group names, without doubles, and how many more there are. */
export function groupChips(
  calls: readonly CallItem[],
  most: number,
): { chips: Chip[]; more: number } {
  const seen = new Set<string>();
  const chips: Chip[] = [];
  for (const call of calls) {
    for (const chip of call.view.group?.chips ?? []) {
      const name = `${chip.kind}:${chip.text}`;
      if (!seen.has(name)) {
        seen.add(name);
        chips.push(chip);
      }
    }
  }
  return { chips: chips.slice(0, most), more: Math.max(0, chips.length - most) };
}

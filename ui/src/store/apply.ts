import type { Item, ItemBody, SessionChange, SessionSnapshot } from "../generated/protocol.ts";

/**
 * A snapshot after one change. Pure; `sequence` is the caller's affair.
 *
 * A change that names an entry which is not there leaves the snapshot as it is: the
 * backend numbers its changes, so a missing entry was removed by an earlier one.
 */
export function applyChange(snapshot: SessionSnapshot, change: SessionChange): SessionSnapshot {
  switch (change.type) {
    case "item_added":
      return { ...snapshot, items: [...snapshot.items, change.item] };
    case "item_replaced":
      return { ...snapshot, items: replaceItem(snapshot.items, change.item.id, () => change.item) };
    case "text_appended":
      return {
        ...snapshot,
        items: replaceItem(snapshot.items, change.item, (item) => appendText(item, change.text)),
      };
    case "items_removed": {
      const gone = new Set(change.items);
      return { ...snapshot, items: snapshot.items.filter((item) => !gone.has(item.id)) };
    }
    case "request_opened":
      return { ...snapshot, requests: [...snapshot.requests, change.request] };
    case "request_closed":
      return {
        ...snapshot,
        requests: snapshot.requests.filter((request) => request.id !== change.request),
      };
    case "mode_changed":
      return { ...snapshot, mode: change.mode };
    case "turn_changed":
      return { ...snapshot, turn: change.turn };
    case "queue_changed":
      return { ...snapshot, queue: change.queue };
    case "undos_changed":
      return { ...snapshot, undos: change.undos };
    case "usage_changed":
      return { ...snapshot, usage: change.usage, turnUsage: change.turnUsage };
    case "title_changed":
      return { ...snapshot, title: change.title };
    case "changed_files":
      return { ...snapshot, changedFiles: change.paths };
  }
}

/** Looks from the end: what changes is nearly always among the last entries. */
function replaceItem(items: Item[], id: string, next: (item: Item) => Item): Item[] {
  for (let index = items.length - 1; index >= 0; index -= 1) {
    const item = items[index];
    if (item?.id === id) {
      const copy = items.slice();
      copy[index] = next(item);
      return copy;
    }
  }
  return items;
}

function appendText(item: Item, text: string): Item {
  const body = appendToBody(item.body, text);
  return body === item.body ? item : { ...item, body };
}

function appendToBody(body: ItemBody, text: string): ItemBody {
  return body.type === "assistant" || body.type === "thinking"
    ? { ...body, text: body.text + text }
    : body;
}

import type { UndoEffect } from "../../generated/protocol.ts";

/** What happens to a file, in one word. */
export const EFFECT: Record<UndoEffect, string> = {
  restore: "restored",
  recreate: "brought back",
  remove: "deleted",
  merge: "merged",
  conflict: "conflict",
  nothing: "as it was",
  impossible: "cannot be restored",
};

/** Whether an undo does something to such a file by itself. */
export function acts(effect: UndoEffect): boolean {
  return effect === "restore" || effect === "recreate" || effect === "remove" || effect === "merge";
}

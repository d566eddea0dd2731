import type { KeyboardEvent } from "react";
import { isTyping } from "../../shared/keys.ts";
import type { LooksChoice } from "./useLooks.ts";
import type { Places } from "./usePlaces.ts";

/** The keys of the panel of changes, with what they do. */
export const PANEL_KEYS: readonly (readonly [string, string])[] = [
  ["N", "next change, and past the last the next file"],
  ["P", "previous change"],
  ["J", "next file"],
  ["K", "previous file"],
  ["A", "accept the change, or take that back"],
  ["X", "reject the change"],
  ["C", "comment on the change"],
  ["R", "mark the file as reviewed, or take that back"],
  ["S", "side by side, or in one column"],
  ["I", "show white space and line endings"],
  ["W", "over the whole width, or beside the conversation"],
  ["?", "these keys"],
  ["Esc", "close"],
];

interface Question {
  /** Where one is. */
  places: Places;
  /** How lines look. */
  looks: LooksChoice;
  /** Whether the panel takes the whole width. */
  wide: boolean;
  /** Closes what is open. */
  onClose: () => void;
  /** Takes the whole width, or gives it back. */
  onWide: () => void;
  /** Shows the keys. */
  onKeys: () => void;
}

/** What a key does in the panel. */
export function usePanelKeys(question: Question): (event: KeyboardEvent) => void {
  const { places, looks, onClose, onWide, onKeys } = question;
  const actions: Record<string, () => void> = {
    n: () => places.step(1),
    p: () => places.step(-1),
    j: () => places.stepFile(1),
    k: () => places.stepFile(-1),
    a: () => {
      const here = places.here();
      if (here !== null && here.hunk !== null) {
        here.review.accept(here.hunk, !here.accepted);
      }
    },
    x: () => {
      const here = places.here();
      here?.review.reject(here.hunk);
    },
    c: () => places.handle.current?.comment(places.place),
    r: () => {
      const here = places.here();
      here?.review.mark(!here.review.reviewed);
    },
    s: () => looks.choose({ layout: looks.layout === "split" ? "unified" : "split" }),
    i: () => looks.choose({ visible: !looks.visible }),
    w: onWide,
    "?": onKeys,
    escape: onClose,
  };
  return (event) => {
    if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const action = actions[event.key.toLowerCase()];
    if (action !== undefined) {
      event.preventDefault();
      event.stopPropagation();
      action();
    }
  };
}

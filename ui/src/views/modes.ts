import type { Mode } from "../generated/protocol.ts";

/** How a mode is told to a person. */
export interface ModeWords {
  /** Its name. */
  name: string;
  /** What it means for the next call. */
  meaning: string;
}

/** All modes in words. */
export const MODES: Record<Mode, ModeWords> = {
  default: {
    name: "Ask",
    meaning: "Reading inside the project is allowed, everything else asks.",
  },
  acceptEdits: {
    name: "Accept edits",
    meaning: "Edits inside the project are allowed too.",
  },
  plan: {
    name: "Plan",
    meaning: "Only reading is allowed without a question.",
  },
  auto: {
    name: "Auto",
    meaning: "A classifier decides, or leaves it to you. Offline, a table of everyday work does.",
  },
  bypassPermissions: {
    name: "Bypass permissions",
    meaning: "Everything runs that no rule and no safety check stops.",
  },
  dontAsk: {
    name: "Don’t ask",
    meaning: "What would ask is denied.",
  },
};

/** All modes in the order in which they are offered. */
export const MODE_ORDER: readonly Mode[] = [
  "default",
  "acceptEdits",
  "plan",
  "auto",
  "bypassPermissions",
  "dontAsk",
];

/** The modes that Shift+Tab goes through. */
const CYCLE: readonly Mode[] = MODE_ORDER.slice(0, 4);

/** The mode after this one; from a mode outside of the cycle, the first. */
export function nextMode(mode: Mode): Mode {
  return CYCLE[(CYCLE.indexOf(mode) + 1) % CYCLE.length] ?? "default";
}

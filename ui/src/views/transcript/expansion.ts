import { createContext, useContext } from "react";
import type { Block, CallItem, Density } from "../../generated/protocol.ts";

/**
 * Which rows are open. Kept outside of the rows: a row that scrolls out of sight is not
 * rendered, and must come back as it was.
 */
export interface Expansion {
  /** What the person chose, by row. */
  chosen: ReadonlyMap<string, boolean>;
  /** Opens or closes a row. */
  set(key: string, open: boolean): void;
  /** How calls show when nothing was chosen. */
  density: Density;
}

const Context = createContext<Expansion>({
  chosen: new Map(),
  set: () => undefined,
  density: "grouped",
});

/** Gives rows their expansion. */
export const ExpansionProvider = Context.Provider;

/** Whether a row is open, and how to change it. */
export function useExpanded(key: string, byDefault: boolean): [boolean, (open: boolean) => void] {
  const { chosen, set } = useContext(Context);
  return [chosen.get(key) ?? byDefault, (open) => set(key, open)];
}

/** The density in force. */
export function useDensity(): Density {
  return useContext(Context).density;
}

/** Blocks that show before anyone asked. */
const OPEN: ReadonlySet<Block["type"]> = new Set(["diff", "question", "terminal_input"]);

/**
 * Whether a call shows its blocks before anyone asked: changes, failures, questions and agents at work do, and what
 * shows another thing in its own place.
 */
export function opensByDefault(call: CallItem, density: Density): boolean {
  if (call.view.blocks.length === 0 || call.status === "waiting") {
    return false;
  }
  return (
    density === "expanded" ||
    call.status === "failed" ||
    call.view.transparent === true ||
    (call.status === "running" && call.view.blocks.some((block) => block.type === "sub_session")) ||
    call.view.blocks.some(({ type }) => OPEN.has(type))
  );
}

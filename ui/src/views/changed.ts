import type { View } from "../generated/protocol.ts";
import { currentSnapshot } from "../store/state.ts";
import { useUi } from "./adroit.tsx";

/** The files that a view is about: those its group names and those its diffs change. */
export function filesOf(view: View): string[] {
  const named = view.group?.chips.filter((chip) => chip.kind === "path") ?? [];
  const changed = view.blocks.flatMap((block) => (block.type === "diff" ? [block.path] : []));
  return [...named.map((chip) => chip.text), ...changed];
}

const NONE: string[] = [];

/** Files that somebody else has changed since the agent read or wrote them. */
export function useChangedFiles(): readonly string[] {
  return useUi((state) => currentSnapshot(state)?.changedFiles ?? NONE);
}

/** Those of the view's files that are not what they were for the agent. */
export function useChangedOf(view: View): readonly string[] {
  const changed = useChangedFiles();
  return changed.length === 0 ? NONE : filesOf(view).filter((file) => changed.includes(file));
}

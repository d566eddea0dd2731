import { useMemo, useState } from "react";
import type { DiffLayout } from "../../blocks/context.ts";

/** How changed lines look. */
export interface Looks {
  /** One column or two. */
  layout: DiffLayout;
  /** Whether lines that differ in white space only count as the same. */
  ignoreSpace: boolean;
  /** Whether white space and line endings are made visible. */
  visible: boolean;
}

/** How they look, and how that is changed. */
export interface LooksChoice extends Looks {
  /** Changes some of it. */
  choose(part: Partial<Looks>): void;
}

/** Keeps it while the panel is open. */
export function useLooks(): LooksChoice {
  const [looks, setLooks] = useState<Looks>({
    layout: "unified",
    ignoreSpace: false,
    visible: false,
  });
  return useMemo(
    () => ({ ...looks, choose: (part) => setLooks((before) => ({ ...before, ...part })) }),
    [looks],
  );
}

import { useMemo, useState } from "react";
import type { BlockContext, DiffLayout } from "../../blocks/context.ts";
import { useAdroit } from "../adroit.tsx";

/** How many lines a block of a conversation shows before it folds. */
const LINES = 60;

/** What the blocks of a conversation may ask of the window. */
export function useBlocks(): BlockContext {
  const { openLink, places, setPanels, terminals } = useAdroit();
  const [diffLayout, setDiffLayout] = useState<DiffLayout>("unified");
  return useMemo<BlockContext>(
    () => ({
      openLink,
      openPlace: (path, line) => void places.show(path, line),
      showTerminal: (terminal) => setPanels({ terminal: true, activeTerminal: terminal }),
      typeInto: (terminal, text) => void terminals.write(terminal, text),
      // Another agent's conversation stands beside this one.
      showSession: (agent) => setPanels({ agent }),
      // Each call's row puts itself in here.
      showWhole: () => undefined,
      lineLimit: LINES,
      diffLayout,
      setDiffLayout,
    }),
    [openLink, places, setPanels, terminals, diffLayout],
  );
}

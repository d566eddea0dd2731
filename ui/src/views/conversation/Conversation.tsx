import { type JSX, useMemo, useState } from "react";
import { type BlockContext, BlockContextProvider, type DiffLayout } from "../../blocks/context.ts";
import { currentSnapshot } from "../../store/state.ts";
import { useAdroit, useUi } from "../adroit.tsx";
import { WaitingUndos } from "../changes/WaitingUndos.tsx";
import { Composer } from "../composer/Composer.tsx";
import { Queue } from "../composer/Queue.tsx";
import { RequestDock } from "../requests/RequestDock.tsx";
import { Transcript } from "../transcript/Transcript.tsx";
import { Announcer } from "./Announcer.tsx";
import styles from "./Conversation.module.css";

/** How many lines a block of the transcript shows before it folds. */
const TRANSCRIPT_LINES = 60;

/** The transcript, what waits for an answer, and the place to type. */
export function Conversation(): JSX.Element {
  const { openLink, places, setPanels, sessions, terminals } = useAdroit();
  const session = useUi((state) => currentSnapshot(state)?.session ?? null);
  // The panel of changes shows what waits itself.
  const reviewing = useUi((state) => state.panels.changes !== null);
  const [diffLayout, setDiffLayout] = useState<DiffLayout>("unified");
  const context = useMemo<BlockContext>(
    () => ({
      openLink,
      openPlace: (path, line) => void places.show(path, line),
      showTerminal: (terminal) => setPanels({ terminal: true, activeTerminal: terminal }),
      typeInto: (terminal, text) => void terminals.write(terminal, text),
      showSession: (other) => void sessions.show(other),
      // Each call's row puts itself in here.
      showWhole: () => undefined,
      lineLimit: TRANSCRIPT_LINES,
      diffLayout,
      setDiffLayout,
    }),
    [openLink, places, setPanels, sessions, terminals, diffLayout],
  );
  if (session === null) {
    return <p className={styles.waiting}>Opening the session…</p>;
  }
  return (
    <BlockContextProvider value={context}>
      <Transcript key={session} />
      <div className={styles.foot}>
        <RequestDock />
        {reviewing ? null : <WaitingUndos />}
        <Queue />
        <Composer key={session} />
      </div>
      <Announcer />
    </BlockContextProvider>
  );
}

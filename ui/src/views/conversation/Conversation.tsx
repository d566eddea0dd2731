import type { JSX } from "react";
import { BlockContextProvider } from "../../blocks/context.ts";
import { currentSnapshot } from "../../store/state.ts";
import { useUi } from "../adroit.tsx";
import { WaitingUndos } from "../changes/WaitingUndos.tsx";
import { Composer } from "../composer/Composer.tsx";
import { Queue } from "../composer/Queue.tsx";
import { RequestDock } from "../requests/RequestDock.tsx";
import { Transcript } from "../transcript/Transcript.tsx";
import { Announcer } from "./Announcer.tsx";
import styles from "./Conversation.module.css";
import { useBlocks } from "./useBlocks.ts";

/** The transcript, what waits for an answer, and the place to type. */
export function Conversation(): JSX.Element {
  const session = useUi((state) => currentSnapshot(state)?.session ?? null);
  // The panel of changes shows what waits itself.
  const reviewing = useUi((state) => state.panels.changes !== null);
  const context = useBlocks();
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

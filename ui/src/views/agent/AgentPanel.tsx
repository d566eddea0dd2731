import { X } from "lucide-react";
import { type JSX, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { BlockContextProvider } from "../../blocks/context.ts";
import type { Item, SessionId, WireError } from "../../generated/protocol.ts";
import { IconButton } from "../../shared/Button.tsx";
import { ErrorNote } from "../../shared/ErrorNote.tsx";
import { SafeText } from "../../shared/SafeText.tsx";
import { useAdroit, useUi } from "../adroit.tsx";
import { useBlocks } from "../conversation/useBlocks.ts";
import { EntryRow } from "../transcript/EntryRow.tsx";
import { type Expansion, ExpansionProvider } from "../transcript/expansion.ts";
import styles from "./AgentPanel.module.css";

const NONE: Item[] = [];

/** The conversation of an agent that works for the one that shows: its calls as they are now. */
export function AgentPanel({ agent }: { agent: SessionId }): JSX.Element {
  const { setPanels } = useAdroit();
  const error = useLook(agent);
  const blocks = useBlocks();
  const expansion = useExpansion();
  const title = useUi((state) => state.sessions[agent]?.snapshot?.title ?? "");
  const items = useUi((state) => state.sessions[agent]?.snapshot?.items ?? NONE);
  const heading = useRef<HTMLHeadingElement>(null);
  // Another agent is read from its top.
  useEffect(() => heading.current?.focus(), [agent]);
  const close = () => setPanels({ agent: null });
  return (
    <aside
      className={styles.panel}
      aria-label="Agent"
      data-testid="agent-panel"
      onKeyDown={(event) => {
        if (event.key === "Escape") {
          close();
        }
      }}
    >
      <header className={styles.header}>
        <h2 className={styles.heading} ref={heading} tabIndex={-1}>
          Agent: <SafeText text={title} />
        </h2>
        <IconButton label="Close the agent’s conversation" keys="Esc" onPress={close}>
          <X size={15} />
        </IconButton>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so keys must reach it */}
      <section className={styles.body} tabIndex={0} aria-label="Conversation of the agent">
        <ErrorNote error={error} />
        <BlockContextProvider value={blocks}>
          <ExpansionProvider value={expansion}>
            {items.map((item) => (
              <EntryRow key={item.id} item={item} />
            ))}
          </ExpansionProvider>
        </BlockContextProvider>
      </section>
    </aside>
  );
}

/** Follows the conversation while it shows; what is wrong where it cannot be had. */
function useLook(agent: SessionId): WireError | null {
  const { sessions } = useAdroit();
  const [error, setError] = useState<WireError | null>(null);
  useEffect(() => {
    let wanted = true;
    void sessions.look(agent).then((failure) => {
      if (wanted) {
        setError(failure);
      }
    });
    return () => {
      wanted = false;
      sessions.lookAway(agent);
    };
  }, [sessions, agent]);
  return error;
}

function useExpansion(): Expansion {
  const density = useUi((state) => state.settings?.density ?? "grouped");
  const [chosen, setChosen] = useState<ReadonlyMap<string, boolean>>(new Map());
  const set = useCallback((key: string, open: boolean) => {
    setChosen((map) => new Map(map).set(key, open));
  }, []);
  return useMemo(() => ({ chosen, set, density }), [chosen, set, density]);
}

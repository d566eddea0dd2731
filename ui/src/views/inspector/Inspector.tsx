import { X } from "lucide-react";
import { type JSX, useEffect, useRef, useState } from "react";
import type { CallId, CallRecord, WireError } from "../../generated/protocol.ts";
import { IconButton } from "../../shared/Button.tsx";
import { ErrorNote } from "../../shared/ErrorNote.tsx";
import { currentSnapshot } from "../../store/state.ts";
import { CodeFence } from "../../text/CodeFence.tsx";
import { useAdroit, useUi } from "../adroit.tsx";
import styles from "./Inspector.module.css";
import { Section } from "./Section.tsx";
import { Trace } from "./Trace.tsx";
import { WhatIfBox } from "./WhatIf.tsx";

/** Lines of an input or a result that show before the rest folds. */
const LINES = 40;

/** Answers "why?" for one call: what decided, each stage, the rules, the input and the result. */
export function Inspector({ call }: { call: CallId }): JSX.Element {
  const { setPanels } = useAdroit();
  const { known, error } = useRecord(call);
  const heading = useRef<HTMLHeadingElement>(null);
  // Another call is read from its top.
  useEffect(() => heading.current?.focus(), [call]);
  const close = () => setPanels({ inspected: null });
  return (
    <aside
      className={styles.inspector}
      aria-label="Inspector"
      data-testid="inspector"
      onKeyDown={(event) => {
        if (event.key === "Escape") {
          close();
        }
      }}
    >
      <header className={styles.header}>
        <h2 className={styles.heading} ref={heading} tabIndex={-1}>
          Why?
        </h2>
        <IconButton label="Close inspector" keys="Esc" onPress={close}>
          <X size={15} />
        </IconButton>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so keys must reach it */}
      <section className={styles.body} tabIndex={0} aria-label="Trace of the call">
        <ErrorNote error={error} />
        {known === null ? null : <Known known={known} />}
        <WhatIfBox />
      </section>
    </aside>
  );
}

function Known({ known }: { known: CallRecord }): JSX.Element {
  return (
    <>
      {known.record === null ? (
        <p className={styles.faint}>Nothing was decided about this call yet.</p>
      ) : (
        <Trace record={known.record} />
      )}
      <Section title="Input">
        <CodeFence
          text={JSON.stringify(known.input, null, 2) ?? ""}
          language="json"
          limit={LINES}
        />
      </Section>
      <Section title="Result the model got">
        {known.result === null ? (
          <p className={styles.faint}>There is none yet.</p>
        ) : (
          <CodeFence text={known.result} language="" limit={LINES} />
        )}
      </Section>
    </>
  );
}

interface Recorded {
  known: CallRecord | null;
  error: WireError | null;
}

/** The record of a call, asked for again whenever the call goes on. */
function useRecord(call: CallId): Recorded {
  const { sessions } = useAdroit();
  const [recorded, setRecorded] = useState<Recorded & { call: CallId }>({
    call,
    known: null,
    error: null,
  });
  const status = useUi((state) => {
    const item = currentSnapshot(state)?.items.find(
      ({ body }) => body.type === "call" && body.call.call === call,
    );
    return item?.body.type === "call" ? item.body.call.status : null;
  });
  // A new status means a longer record.
  useEffect(() => {
    let wanted = true;
    void sessions.record(call).then((outcome) => {
      if (wanted) {
        setRecorded(
          outcome.ok
            ? { call, known: outcome.value, error: null }
            : { call, known: null, error: outcome.error },
        );
      }
    });
    return () => {
      wanted = false;
    };
  }, [sessions, call, status]);
  return recorded.call === call ? recorded : { known: null, error: null };
}

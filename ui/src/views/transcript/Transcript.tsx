import { ArrowDown } from "lucide-react";
import { type JSX, useCallback, useMemo, useRef, useState } from "react";
import { VList } from "virtua";
import type { CallId, Item } from "../../generated/protocol.ts";
import { Button } from "../../shared/Button.tsx";
import { currentSnapshot } from "../../store/state.ts";
import { useUi } from "../adroit.tsx";
import { EntryRow } from "./EntryRow.tsx";
import { type Expansion, ExpansionProvider } from "./expansion.ts";
import { FindBar } from "./FindBar.tsx";
import { GroupRow } from "./GroupRow.tsx";
import { Marked } from "./Marked.tsx";
import { makeRows, type Row } from "./rows.ts";
import { useSticky } from "./sticky.ts";
import styles from "./Transcript.module.css";
import { TurnFoot } from "./TurnFoot.tsx";
import { useFinding } from "./useFinding.ts";
import { Welcome } from "./Welcome.tsx";

const NONE: Item[] = [];

type Shown = Row | { kind: "foot"; key: "foot" };
const FOOT: Shown = { kind: "foot", key: "foot" };

/** The conversation so far. It keeps to its end unless the person scrolled away from it. */
export function Transcript(): JSX.Element {
  const items = useUi((state) => currentSnapshot(state)?.items ?? NONE);
  const density = useUi((state) => state.settings?.density ?? "grouped");
  const expansion = useExpansion(density);
  const before = useRef<Row[]>([]);
  const rows = useMemo(() => {
    before.current = makeRows(items, density, before.current);
    return before.current;
  }, [items, density]);
  const shown = useMemo<Shown[]>(() => [...rows, FOOT], [rows]);
  const { list, away, onScroll, onGesture, keep, toEnd, reveal, top } = useSticky(shown);
  const sight = useMemo(() => ({ reveal, top }), [reveal, top]);
  const finding = useFinding(items, rows, expansion, sight);
  const isFinding = useUi((state) => state.panels.finding);
  const found = isFinding ? finding.places[finding.at] : undefined;
  const idle = useUi((state) => currentSnapshot(state)?.turn.type !== "running");
  const said = useMemo(() => items.filter((item) => item.body.type === "user").length, [items]);
  if (items.length === 0 && idle) {
    return <Welcome />;
  }
  return (
    <section
      className={styles.transcript}
      aria-label="Transcript"
      data-region="transcript"
      data-turn={idle ? "idle" : "running"}
      data-messages={said}
      onWheelCapture={onGesture}
      onTouchMoveCapture={onGesture}
      onPointerDownCapture={onGesture}
      onKeyDownCapture={onGesture}
    >
      {isFinding ? <FindBar finding={finding} /> : null}
      <ExpansionProvider value={expansion}>
        <VList
          ref={list}
          data={shown}
          className={styles.list ?? ""}
          tabIndex={0}
          data-region-focus
          aria-label="Messages and calls"
          role="group"
          bufferSize={600}
          onScroll={onScroll}
          // Streamed text and late colours change a row's size, not the rows.
          onResize={keep}
        >
          {(row) => (
            <div className={styles.row} key={row.key}>
              <Marked isFound={row.key === found?.key && !found.grouped}>
                <RowView row={row} found={row.key === found?.key ? found.call : null} />
              </Marked>
            </div>
          )}
        </VList>
      </ExpansionProvider>
      {away ? (
        <div className={styles.jump}>
          <Button small onPress={toEnd}>
            <ArrowDown size={13} aria-hidden /> Jump to latest
          </Button>
        </div>
      ) : null}
    </section>
  );
}

interface RowProps {
  row: Shown;
  /** The call of the row that a search has come to. */
  found: CallId | null;
}

function RowView({ row, found }: RowProps): JSX.Element {
  switch (row.kind) {
    case "item":
      return <EntryRow item={row.item} />;
    case "group":
      return <GroupRow id={row.key} calls={row.calls} found={found} />;
    case "foot":
      return <TurnFoot />;
  }
}

function useExpansion(density: Expansion["density"]): Expansion {
  const [chosen, setChosen] = useState<ReadonlyMap<string, boolean>>(new Map());
  const set = useCallback((key: string, open: boolean) => {
    setChosen((map) => new Map(map).set(key, open));
  }, []);
  return useMemo(() => ({ chosen, set, density }), [chosen, set, density]);
}

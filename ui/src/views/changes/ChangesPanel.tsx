import { Keyboard, Maximize2, Minimize2, X } from "lucide-react";
import { type JSX, useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { ChangeList, WireError } from "../../generated/protocol.ts";
import { Button, IconButton } from "../../shared/Button.tsx";
import { ErrorNote } from "../../shared/ErrorNote.tsx";
import { Notice } from "../../shared/Notice.tsx";
import { currentSnapshot, type ShownChanges, type UiState } from "../../store/state.ts";
import { useAdroit, useUi } from "../adroit.tsx";
import styles from "./Changes.module.css";
import { CommentBar } from "./CommentBar.tsx";
import { FileTree } from "./FileTree.tsx";
import { FileView } from "./FileView.tsx";
import { KeyList } from "./KeyList.tsx";
import { ScopeBar } from "./ScopeBar.tsx";
import { useComments } from "./useComments.ts";
import { useLooks } from "./useLooks.ts";
import { usePanelKeys } from "./usePanelKeys.ts";
import { usePlaces } from "./usePlaces.ts";
import { WaitingUndos } from "./WaitingUndos.tsx";

/** All changes of a call, a turn, the session, or against the last commit, file by file. */
export function ChangesPanel(): JSX.Element | null {
  const shown = useUi((state) => state.panels.changes);
  return shown === null ? null : <Panel shown={shown} />;
}

function Panel({ shown }: { shown: ShownChanges }): JSX.Element {
  const { setPanels, changes } = useAdroit();
  const { list, error, refresh } = useList(shown);
  const [failure, setFailure] = useState<WireError | null>(null);
  const looks = useLooks();
  const comments = useComments();
  const [keysShown, setKeysShown] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    heading.current?.focus();
  }, []);
  const files = list?.files ?? [];
  const places = usePlaces(shown, files);
  const { path } = places;
  const wide = shown.wide === true;
  const close = () => setPanels({ changes: null });
  const onKeyDown = usePanelKeys({
    places,
    looks,
    wide,
    onClose: keysShown ? () => setKeysShown(false) : close,
    onWide: () => setPanels({ changes: { ...shown, wide: !wide } }),
    onKeys: () => setKeysShown(!keysShown),
  });
  const onReviewed = useCallback(() => refresh(), [refresh]);
  async function acceptAll(accepted: boolean): Promise<void> {
    const outcome = await changes.review(shown.scope, null, [], accepted);
    setFailure(outcome.ok ? null : outcome.error);
    refresh();
  }
  return (
    <aside
      className={styles.panel}
      aria-label="Changes"
      data-region="changes"
      data-testid="changes"
      onKeyDown={onKeyDown}
    >
      <header className={styles.header}>
        <h2 className={styles.heading} ref={heading} tabIndex={-1} data-region-focus>
          Changes
        </h2>
        <span className={styles.grow} />
        <IconButton
          label="Keys"
          keys="?"
          pressed={keysShown}
          onPress={() => setKeysShown(!keysShown)}
        >
          <Keyboard size={15} />
        </IconButton>
        <IconButton
          label={wide ? "Show the conversation" : "Over the whole width"}
          keys="W"
          onPress={() => setPanels({ changes: { ...shown, wide: !wide } })}
        >
          {wide ? <Minimize2 size={14} /> : <Maximize2 size={14} />}
        </IconButton>
        <IconButton label="Close changes" keys="Esc" onPress={close}>
          <X size={15} />
        </IconButton>
      </header>
      <ScopeBar
        shown={shown}
        list={list}
        looks={looks}
        onAcceptAll={(accepted) => void acceptAll(accepted)}
      />
      {keysShown ? <KeyList /> : null}
      {wide ? <AskedMeanwhile shown={shown} /> : null}
      <ErrorNote error={error ?? failure} />
      {list === null || list.notes.length === 0 ? null : (
        <div className={styles.notes}>
          {list.notes.map((note) => (
            <Notice key={note} tone="warning" text={note} />
          ))}
        </div>
      )}
      <WaitingUndos />
      {list !== null && files.length === 0 ? (
        <p className={styles.none}>Nothing is changed here.</p>
      ) : null}
      {path === null ? null : (
        <div className={styles.body}>
          <FileTree files={files} current={path} onShow={places.show} onLetter={onKeyDown} />
          <FileView
            shown={shown}
            path={path}
            list={list}
            looks={looks}
            comments={comments}
            place={places.place}
            onPlace={places.step}
            onCompared={places.compared}
            handle={places.handle}
            onReviewed={onReviewed}
          />
        </div>
      )}
      <CommentBar comments={comments} />
    </aside>
  );
}

/** Over the whole width the requests of the agent are out of sight: that one waits is said. */
function AskedMeanwhile({ shown }: { shown: ShownChanges }): JSX.Element | null {
  const { setPanels } = useAdroit();
  const asked = useUi((state) => (currentSnapshot(state)?.requests.length ?? 0) > 0);
  return asked ? (
    <p className={styles.asked} role="status">
      The agent waits for an answer.
      <Button
        small
        look="primary"
        onPress={() => setPanels({ changes: { ...shown, wide: false } })}
      >
        Show it
      </Button>
    </p>
  ) : null;
}

/** Tells when changes may be others than before: a call ended, or an undo left its remark. */
function signature(state: UiState): string {
  const items = currentSnapshot(state)?.items ?? [];
  const states = items.map(({ body }) =>
    body.type === "call" && body.call.changes !== undefined
      ? `${body.call.changes.state[0]}${body.call.changes.files.length}`
      : "",
  );
  return `${items.length}${states.join("")}`;
}

interface Listed {
  list: ChangeList | null;
  error: WireError | null;
  refresh: () => void;
}

function useList({ scope }: ShownChanges): Listed {
  const { changes } = useAdroit();
  const [known, setKnown] = useState<{ list: ChangeList | null; error: WireError | null }>({
    list: null,
    error: null,
  });
  const [asked, setAsked] = useState(0);
  const refresh = useCallback(() => setAsked((times) => times + 1), []);
  const now = useUi(signature);
  // A scope is a value: two of the same words are the same question.
  const question = JSON.stringify(scope);
  useEffect(() => {
    let wanted = true;
    void changes.list(JSON.parse(question)).then((outcome) => {
      if (wanted) {
        setKnown(
          outcome.ok ? { list: outcome.value, error: null } : { list: null, error: outcome.error },
        );
      }
    });
    return () => {
      wanted = false;
    };
  }, [changes, question, now, asked]);
  return useMemo(() => ({ ...known, refresh }), [known, refresh]);
}

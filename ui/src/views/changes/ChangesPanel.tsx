import { X } from "lucide-react";
import { type JSX, useEffect, useMemo, useRef, useState } from "react";
import type { ChangeList, WireError } from "../../generated/protocol.ts";
import { IconButton } from "../../shared/Button.tsx";
import { ErrorNote } from "../../shared/ErrorNote.tsx";
import { isTyping } from "../../shared/keys.ts";
import { Notice } from "../../shared/Notice.tsx";
import { currentSnapshot, type ShownChanges, type UiState } from "../../store/state.ts";
import { useAdroit, useUi } from "../adroit.tsx";
import styles from "./Changes.module.css";
import { CommentBar } from "./CommentBar.tsx";
import { FileList } from "./FileList.tsx";
import { FileView } from "./FileView.tsx";
import { ScopeBar } from "./ScopeBar.tsx";
import { useComments } from "./useComments.ts";

/** All changes of a call, a turn, the session, or against the last commit, file by file. */
export function ChangesPanel(): JSX.Element | null {
  const shown = useUi((state) => state.panels.changes);
  return shown === null ? null : <Panel shown={shown} />;
}

function Panel({ shown }: { shown: ShownChanges }): JSX.Element {
  const { setPanels } = useAdroit();
  const { list, error, refresh } = useList(shown);
  const [ignoreSpace, setIgnoreSpace] = useState(false);
  const comments = useComments();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    heading.current?.focus();
  }, []);
  const files = list?.files ?? [];
  const path = files.some((file) => file.path === shown.path)
    ? shown.path
    : (files[0]?.path ?? null);
  const close = () => setPanels({ changes: null });
  const go = (step: 1 | -1) => {
    const at = files.findIndex((file) => file.path === path);
    const next = files[at + step];
    if (next !== undefined) {
      setPanels({ changes: { ...shown, path: next.path } });
    }
  };
  return (
    <aside
      className={styles.panel}
      aria-label="Changes"
      data-region="changes"
      data-testid="changes"
      onKeyDown={(event) => {
        if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) {
          return;
        }
        if (event.key === "Escape") {
          close();
        } else if (event.key === "j") {
          go(1);
        } else if (event.key === "k") {
          go(-1);
        } else {
          return;
        }
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      <header className={styles.header}>
        <h2 className={styles.heading} ref={heading} tabIndex={-1} data-region-focus>
          Changes
        </h2>
        <ScopeBar
          shown={shown}
          list={list}
          ignoreSpace={ignoreSpace}
          onIgnoreSpace={setIgnoreSpace}
        />
        <IconButton label="Close changes" keys="Esc" onPress={close}>
          <X size={15} />
        </IconButton>
      </header>
      <ErrorNote error={error} />
      {list?.notes.map((note) => (
        <Notice key={note} tone="warning" text={note} />
      ))}
      {list !== null && files.length === 0 ? (
        <p className={styles.none}>Nothing is changed here.</p>
      ) : null}
      {path === null ? null : (
        <div className={styles.body}>
          <FileList
            files={files}
            current={path}
            onShow={(file) => setPanels({ changes: { ...shown, path: file } })}
          />
          <FileView
            shown={shown}
            path={path}
            list={list}
            ignoreSpace={ignoreSpace}
            comments={comments}
            onStep={go}
            onReviewed={refresh}
          />
        </div>
      )}
      <CommentBar comments={comments} />
    </aside>
  );
}

/** Tells when changes may be others than before: a call ended, or an undo left its remark. */
function signature(state: UiState): string {
  const items = currentSnapshot(state)?.items ?? [];
  const states = items.map(({ body }) =>
    body.type === "call" && body.call.changes !== undefined ? body.call.changes.state[0] : "",
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
  return useMemo(() => ({ ...known, refresh: () => setAsked((times) => times + 1) }), [known]);
}

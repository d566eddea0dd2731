import { type JSX, useEffect, useState } from "react";
import { Dialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import type { FileChoice, UndoChoice, UndoPreview, WireError } from "../../generated/protocol.ts";
import { Button } from "../../shared/Button.tsx";
import dialog from "../../shared/Dialog.module.css";
import { ErrorNote } from "../../shared/ErrorNote.tsx";
import { Notice } from "../../shared/Notice.tsx";
import { SafeText } from "../../shared/SafeText.tsx";
import { currentSnapshot, type Undoing } from "../../store/state.ts";
import { useAdroit, useUi } from "../adroit.tsx";
import { type Extent, ExtentChoice } from "./ExtentChoice.tsx";
import { acts } from "./effects.ts";
import styles from "./Undo.module.css";
import { UndoFileRow } from "./UndoFileRow.tsx";

/** Asks before changes are taken back: each file, what happens to it, and what cannot be restored. */
export function UndoDialog(): JSX.Element | null {
  const { setPanels } = useAdroit();
  const undoing = useUi((state) => state.panels.undoing);
  if (undoing === null) {
    return null;
  }
  const close = () => setPanels({ undoing: null });
  return (
    <ModalOverlay
      className={dialog.overlay ?? ""}
      isOpen
      isDismissable
      onOpenChange={(open) => {
        if (!open) {
          close();
        }
      }}
    >
      <Modal className={`${dialog.modal} ${styles.modal}`}>
        <Dialog className={styles.dialog ?? ""} data-modal data-testid="undo-dialog">
          <Heading slot="title" className={dialog.title ?? ""}>
            {`${verb(undoing)}: `}
            <SafeText text={undoing.title} />
          </Heading>
          <UndoBody undoing={undoing} onClose={close} />
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

/** What is done, in a word. */
function verb({ target, rejects }: Undoing): string {
  if (target.redo) {
    return "Do again";
  }
  return rejects === true ? "Reject" : "Undo";
}

interface BodyProps {
  undoing: Undoing;
  onClose: () => void;
}

function UndoBody({ undoing, onClose }: BodyProps): JSX.Element {
  const { preview, error, refresh, fail } = usePreview(undoing);
  const [choices, setChoices] = useState<ReadonlyMap<string, UndoChoice>>(new Map());
  const [extent, setExtent] = useState<Extent>("files");
  const { changes, notify } = useAdroit();
  const [busy, setBusy] = useState(false);
  const running = useUi((state) => currentSnapshot(state)?.turn.type === "running");
  const files = extent === "conversation" ? [] : (preview?.files ?? []);
  const able =
    extent !== "files" ||
    files.some(({ path, effect }) => acts(effect) || (choices.get(path) ?? "keep") !== "keep");

  async function goAhead(act: () => Promise<WireError | null>): Promise<void> {
    setBusy(true);
    const failure = await act();
    setBusy(false);
    if (failure === null) {
      onClose();
    } else {
      fail(failure);
    }
  }

  async function later(): Promise<WireError | null> {
    const chosen: FileChoice[] = [...choices].map(([path, choice]) => ({ path, choice }));
    const outcome = await changes.undoLater(undoing.target, undoing.title, chosen);
    return outcome.ok ? null : outcome.error;
  }

  async function takeBack(): Promise<WireError | null> {
    if (extent !== "conversation" && preview !== null) {
      const chosen: FileChoice[] = [...choices].map(([path, choice]) => ({ path, choice }));
      const outcome = await changes.undo(undoing.target, preview.fingerprint, chosen);
      if (!outcome.ok) {
        if (outcome.error.code === "stale") {
          refresh();
        }
        return outcome.error;
      }
      const { left } = outcome.value;
      if (left.length > 0) {
        notify({
          tone: "warning",
          text: `Left as they are: ${left.map(({ path }) => path).join(", ")}.`,
          hint: left[0]?.reason,
        });
      }
    }
    if (extent !== "files" && undoing.turn !== undefined) {
      const outcome = await changes.rewind(undoing.turn);
      return outcome.ok ? null : outcome.error;
    }
    return null;
  }

  return (
    <>
      {undoing.turn === undefined ? null : <ExtentChoice extent={extent} onChange={setExtent} />}
      <ErrorNote error={error} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so keys must reach it */}
      <section className={styles.files} aria-label="What would happen" tabIndex={0}>
        {preview === null && error === null ? <p className={styles.faint}>Looking…</p> : null}
        {extent === "conversation"
          ? null
          : preview?.notes.map((note) => <Notice key={note} tone="warning" text={note} />)}
        <ul className={styles.list}>
          {files.map((file) => (
            <UndoFileRow
              key={file.path}
              file={file}
              choice={choices.get(file.path) ?? "keep"}
              onChoose={(choice) => setChoices((map) => new Map(map).set(file.path, choice))}
            />
          ))}
        </ul>
      </section>
      <div className={dialog.actions}>
        <Button autoFocus onPress={onClose}>
          Cancel
        </Button>
        <Button
          look={running ? "plain" : "primary"}
          isDisabled={busy || !able || (preview === null && extent !== "conversation")}
          onPress={() => void goAhead(takeBack)}
        >
          {running ? `${verb(undoing)} now` : verb(undoing)}
        </Button>
        {running ? (
          <Button
            look="primary"
            isDisabled={busy || !able || preview === null}
            onPress={() => void goAhead(later)}
          >
            When the turn ends
          </Button>
        ) : null}
      </div>
      {running ? (
        <p className={styles.while}>
          The agent is at work. “Now” changes the files under its hands; otherwise they go back when
          its turn ends. The agent is told either way.
        </p>
      ) : null}
    </>
  );
}

interface Previewed {
  preview: UndoPreview | null;
  error: WireError | null;
  refresh: () => void;
  fail: (error: WireError) => void;
}

function usePreview(undoing: Undoing): Previewed {
  const { changes } = useAdroit();
  const [asked, setAsked] = useState(0);
  const [preview, setPreview] = useState<UndoPreview | null>(null);
  const [error, setError] = useState<WireError | null>(null);
  // Asked again on demand: `asked` only counts.
  useEffect(() => {
    let wanted = true;
    void changes.preview(undoing.target).then((outcome) => {
      if (!wanted) {
        return;
      }
      if (outcome.ok) {
        setPreview(outcome.value);
      } else if (undoing.turn === undefined || outcome.error.code !== "not_found") {
        setError(outcome.error);
      } else {
        // A turn that changed no file: only the conversation can go back.
        setPreview({ fingerprint: "", files: [], notes: [] });
      }
    });
    return () => {
      wanted = false;
    };
  }, [changes, undoing, asked]);
  return {
    preview,
    error,
    refresh: () => setAsked((times) => times + 1),
    fail: setError,
  };
}

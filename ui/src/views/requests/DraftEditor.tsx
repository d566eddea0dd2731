import { type JSX, useEffect, useId, useState } from "react";
import { Blocks } from "../../blocks/Blocks.tsx";
import type {
  ChangePreview,
  DraftChange,
  DraftKind,
  DraftOffer,
  PermissionRequest,
  WireError,
} from "../../generated/protocol.ts";
import { ErrorNote } from "../../shared/ErrorNote.tsx";
import { SafeText } from "../../shared/SafeText.tsx";
import { useAdroit } from "../adroit.tsx";
import styles from "./Requests.module.css";

/** How long the typing must rest before the change is looked at, milliseconds. */
const REST = 150;

/** What has a text that can be edited. */
type TextKind = Exclude<DraftKind, "questions">;

const READY: Record<TextKind, string> = {
  command: "Your version is judged anew: if it needs an answer, you are asked about it.",
  file: "This is what will be applied:",
  plan: "This is what the agent will carry out:",
};

/** What of a request can be edited as text; null where nothing can. */
export function textKindOf(offer: DraftOffer | undefined): TextKind | null {
  return offer?.text === true && offer.kind !== "questions" ? offer.kind : null;
}

const LABEL: Record<TextKind, string> = {
  command: "Command",
  file: "New content of the file",
  plan: "Plan, in Markdown",
};

const UNTOUCHED: Record<TextKind, string> = {
  command: "Change the command, then use your version.",
  file: "Change the text. What would be applied shows here.",
  plan: "Change the plan, then approve your version.",
};

/** A text that is edited, with what the backend makes of it. */
export interface Editing {
  /** The text; null until it came. */
  text: string | null;
  /** Changes it. */
  setText: (text: string) => void;
  /** Whether it is still what was proposed. */
  isUntouched: boolean;
  /** What this very text would do; null while that is not known. */
  preview: ChangePreview | null;
  /** Why the backend did not answer. */
  error: WireError | null;
}

interface Props {
  /** What is edited. */
  kind: TextKind;
  /** The text. */
  editing: Editing;
}

/**
 * The text of a waiting call, and under it what would be applied, as the backend says.
 *
 * A plain text field: it reads well to assistive software, keeps the system's own editing,
 * and colours are in the diff below it.
 */
export function DraftEditor({ kind, editing }: Props): JSX.Element {
  const { text, setText, isUntouched, preview, error } = editing;
  const field = useId();
  const state = useId();
  return (
    <div className={styles.editor}>
      <label className={styles.label} htmlFor={field}>
        {LABEL[kind]}
      </label>
      <textarea
        id={field}
        className={styles.draft}
        rows={kind === "command" ? 3 : 14}
        value={text ?? ""}
        disabled={text === null}
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="off"
        aria-describedby={state}
        aria-invalid={!isUntouched && preview?.problem != null}
        // biome-ignore lint/a11y/noAutofocus: it opens because the person wants to edit
        autoFocus
        onChange={(event) => setText(event.target.value)}
      />
      <p className={styles.draftState} id={state} role="status" data-testid="draft-state">
        {isUntouched ? UNTOUCHED[kind] : stateWords(kind, preview)}
      </p>
      <ErrorNote error={error} />
      {preview?.view == null ? null : kind === "command" ? (
        <CommandPreview view={preview.view} />
      ) : (
        <Blocks blocks={preview.view.blocks} />
      )}
    </div>
  );
}

function stateWords(kind: TextKind, preview: ChangePreview | null): string {
  if (preview === null) {
    return "Looking at it…";
  }
  if (preview.problem !== null) {
    return `This cannot be applied: ${preview.problem}.`;
  }
  return READY[kind];
}

/** Only worth showing where the field above does not show everything: hidden characters. */
function CommandPreview({ view }: { view: NonNullable<ChangePreview["view"]> }): JSX.Element {
  return (
    <>
      {view.blocks.map((block, index) =>
        block.type === "terminal" ? (
          <pre key={index} className={styles.commandText} data-testid="draft-command">
            <SafeText text={block.command} strictness="block" />
          </pre>
        ) : null,
      )}
    </>
  );
}

/** The change that a text is; of a plan, to see what becomes of it, whatever mode comes after. */
function changeTo({ draft }: PermissionRequest, text: string): DraftChange {
  return draft?.kind === "plan" ? { type: "plan", text, mode: "default" } : { type: "text", text };
}

/** Fetches the text of a request, and asks what each version of it would do. */
export function useEditing(
  request: PermissionRequest,
  rejected: number[],
  isOpen: boolean,
): Editing {
  const { sessions } = useAdroit();
  const [text, setText] = useState<string | null>(null);
  const [proposed, setProposed] = useState<string | null>(null);
  const [looked, setLooked] = useState<{ text: string; preview: ChangePreview } | null>(null);
  const [error, setError] = useState<WireError | null>(null);
  const left = rejected.join();

  useEffect(() => {
    if (!isOpen) {
      setText(null);
      return;
    }
    let wanted = true;
    const places = left === "" ? [] : left.split(",").map(Number);
    void sessions.draft(request, places).then((outcome) => {
      if (wanted) {
        setText(outcome.ok ? outcome.value.text : null);
        setProposed(outcome.ok ? outcome.value.text : null);
        setError(outcome.ok ? null : outcome.error);
      }
    });
    return () => {
      wanted = false;
    };
  }, [sessions, request, left, isOpen]);

  useEffect(() => {
    if (text === null) {
      return;
    }
    let wanted = true;
    const timer = setTimeout(() => {
      void sessions.previewChange(request, changeTo(request, text)).then((outcome) => {
        if (wanted) {
          setError(outcome.ok ? null : outcome.error);
          setLooked(outcome.ok ? { text, preview: outcome.value } : null);
        }
      });
    }, REST);
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [sessions, request, text]);

  // An answer about another version must not enable the button for this one.
  const preview = looked?.text === text ? looked.preview : null;
  return { text, setText, isUntouched: text === proposed, preview, error };
}

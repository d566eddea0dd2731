import type {
  ChangeList,
  ChangeScope,
  FileChoice,
  FileComparison,
  HunkPlace,
  ItemId,
  UndoPreview,
  UndoResult,
  UndoTarget,
} from "../generated/protocol.ts";
import { type ActionContext, attempt, type Outcome } from "./context.ts";

/** What can be done with what calls changed. Failures go back to the view that asked. */
export interface ChangesActions {
  /** The files of a scope. */
  list(scope: ChangeScope): Promise<Outcome<ChangeList>>;
  /** One of them, old against new. */
  file(scope: ChangeScope, path: string, ignoreSpace: boolean): Promise<Outcome<FileComparison>>;
  /** Says that a file, or places of it, were found good, or takes that back; no path: every file. */
  review(
    scope: ChangeScope,
    path: string | null,
    hunks: HunkPlace[],
    reviewed: boolean,
  ): Promise<Outcome<unknown>>;
  /** What taking something back would do. */
  preview(target: UndoTarget): Promise<Outcome<UndoPreview>>;
  /** Takes it back as the preview said. */
  undo(
    target: UndoTarget,
    fingerprint: string,
    choices: FileChoice[],
  ): Promise<Outcome<UndoResult>>;
  /** Takes it back when the turn ends; at once where none runs. */
  undoLater(target: UndoTarget, title: string, choices: FileChoice[]): Promise<Outcome<unknown>>;
  /** Takes nothing back when the turn ends after all. */
  forgetUndo(undo: ItemId): Promise<Outcome<unknown>>;
  /** Goes back in the conversation to before a turn; its message is typed again. */
  rewind(turn: number): Promise<Outcome<unknown>>;
}

/** Makes them. */
export function changesActions(context: ActionContext): ChangesActions {
  const { store } = context;

  /** The session that shows. A view of changes exists only where there is one. */
  function session(): string {
    return store.getState().current ?? "";
  }

  return {
    list: (scope) => attempt(context, "changes.list", { session: session(), scope }),
    file: (scope, path, ignoreSpace) =>
      attempt(context, "changes.file", { session: session(), scope, path, ignoreSpace }),
    review: (scope, path, hunks, reviewed) =>
      attempt(context, "changes.review", {
        session: session(),
        scope,
        hunks,
        reviewed,
        ...(path === null ? {} : { path }),
      }),
    preview: (target) => attempt(context, "undo.preview", { session: session(), target }),
    undo: (target, fingerprint, choices) =>
      attempt(context, "undo.apply", { session: session(), target, fingerprint, choices }),
    undoLater: (target, title, choices) =>
      attempt(context, "undo.later", { session: session(), target, title, choices }),
    forgetUndo: (undo) => attempt(context, "undo.forget", { session: session(), undo }),
    async rewind(turn) {
      const current = session();
      const outcome = await attempt(context, "session.rewind", { session: current, turn });
      if (outcome.ok) {
        store.setState(({ drafts }) => ({
          drafts: { ...drafts, [current]: outcome.value.text },
        }));
      }
      return outcome;
    },
  };
}

import { createContext, useContext } from "react";
import type { Hunk, LineComment, SessionId, TerminalId } from "../generated/protocol.ts";

/** How a diff is laid out. */
export type DiffLayout = "unified" | "split";

/** A diff that is looked through before anything is done: places are left out, lines commented. */
export interface DiffReview {
  /** Places that are left out, by their position. */
  rejected: ReadonlySet<number>;
  /** Leaves a place out, or takes it again; null where all or nothing is decided about. */
  toggle: ((hunk: number) => void) | null;
  /** What was said about lines. */
  comments: readonly LineComment[];
  /** Says something about a line; nothing takes it back. */
  comment(comment: LineComment): void;
  /** What is decided about places that are done already; absent where nothing is done yet. */
  done?: DoneReview;
}

/** Changes that are done, looked through place by place. */
export interface DoneReview {
  /** Places that were accepted, by their position. */
  accepted: ReadonlySet<number>;
  /** Accepts a place, or takes that back. */
  accept(hunk: Hunk, accepted: boolean): void;
  /** Takes a place back. */
  reject(hunk: Hunk): void;
}

/** What blocks may ask of the view that they are in. They know neither the store nor the views. */
export interface BlockContext {
  /** Opens an address outside of the app. */
  openLink(address: string): void;
  /** Shows a place of a file. */
  openPlace(path: string, line?: number): void;
  /** Brings a terminal to the front. */
  showTerminal(terminal: TerminalId): void;
  /** Types into a terminal. What is typed is kept nowhere. */
  typeInto(terminal: TerminalId, text: string): void;
  /** Shows another conversation. */
  showSession(session: SessionId): void;
  /** Shows the whole input and result of the call, where a block shows only part of it. */
  showWhole(): void;
  /** How many lines a block shows before it folds. */
  lineLimit: number;
  /** How diffs are laid out. */
  diffLayout: DiffLayout;
  /** Changes that. */
  setDiffLayout(layout: DiffLayout): void;
  /** Present where the diff is looked through before it is applied. */
  review?: DiffReview;
}

const Context = createContext<BlockContext | null>(null);

/** Gives blocks their context. */
export const BlockContextProvider = Context.Provider;

/** The context of a block. */
export function useBlockContext(): BlockContext {
  const context = useContext(Context);
  if (context === null) {
    throw new Error("A block was rendered outside of a BlockContextProvider.");
  }
  return context;
}

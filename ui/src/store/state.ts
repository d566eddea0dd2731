import type {
  AppState,
  CallId,
  ChangeScope,
  Inbox,
  Project,
  SessionId,
  SessionSnapshot,
  SessionSummary,
  SettingsState,
  TerminalId,
  TerminalSummary,
  Tone,
  UndoTarget,
  WireError,
} from "../generated/protocol.ts";
import type { Sessions } from "./sessions.ts";

/** The tabs of the settings panel. */
export type SettingsTab =
  | "permissions"
  | "hooks"
  | "agents"
  | "model"
  | "appearance"
  | "execution"
  | "files";

/** What is open beside the conversation. Of this window only: the backend does not know it. */
export interface Panels {
  /** Whether the list of sessions shows. */
  sidebar: boolean;
  /** Whether the terminal panel shows. */
  terminal: boolean;
  /** Which terminal is in front. */
  activeTerminal: TerminalId | null;
  /** Which tab of the settings shows; null while the panel is closed. */
  settings: SettingsTab | null;
  /** Whether the inbox shows. */
  inbox: boolean;
  /** Which call the inspector explains; null while it is closed. */
  inspected: CallId | null;
  /** Which agent's conversation stands beside; null while none does. */
  agent: SessionId | null;
  /** Which changes are looked through; null while that panel is closed. */
  changes: ShownChanges | null;
  /** What is about to be taken back; null while nothing is asked. */
  undoing: Undoing | null;
  /** Which place of a file is looked at; null while none is. */
  place: ShownPlace | null;
  /** Whether the conversation is searched. */
  finding: boolean;
}

/** A place of a file that is looked at. */
export interface ShownPlace {
  /** The file. */
  path: string;
  /** The line, from 1; null for the beginning. */
  line: number | null;
  /** The column, from 1. */
  column: number | null;
}

/** Which changes are looked through. */
export interface ShownChanges {
  /** Of what. */
  scope: ChangeScope;
  /** Its name, where it is a call. */
  title?: string;
  /** The file that is looked at; null for the first. */
  path: string | null;
  /** Whether they take the place of the conversation. */
  wide?: boolean;
}

/** What is about to be taken back, with its name for the person. */
export interface Undoing {
  /** What. */
  target: UndoTarget;
  /** Of what: a call's title, a file's name. */
  title: string;
  /** The turn before which the conversation may go back as well. */
  turn?: number;
  /** Whether changes that were looked through are rejected. */
  rejects?: boolean;
}

/** A remark for the person. */
export interface Remark {
  /** How it should be felt. */
  tone: Tone;
  /** What happened. */
  text: string;
  /** What to do next. */
  hint?: string | undefined;
}

/** Everything the views show. */
export interface UiState {
  /** What the app is; null until the backend answered. */
  app: AppState | null;
  /** Why the backend did not answer at the start. */
  startFailure: WireError | null;
  /** The open project. */
  project: Project | null;
  /** The path of the project that is opened at the start, before anything shows. */
  opening: string | null;
  /** Stored sessions of the project, newest first. */
  sessionList: SessionSummary[];
  /** The session that shows. */
  current: SessionId | null;
  /** Open sessions, those in the background included. */
  sessions: Sessions;
  /** What waits for an answer in all sessions of this app; null until it was asked for. */
  inbox: Inbox | null;
  /** Settings in force. */
  settings: SettingsState | null;
  /** Grows when hooks have run: whoever shows their runs asks again. */
  hooksRan: number;
  /** Terminals of the session that shows. */
  terminals: TerminalSummary[];
  /** Terminals that printed something nobody has looked at. */
  unread: ReadonlySet<TerminalId>;
  /** What is typed and not sent, by session. */
  drafts: Readonly<Record<SessionId, string>>;
  /** What is open beside the conversation. */
  panels: Panels;
}

/** The state before anything is known. */
export const INITIAL: UiState = {
  app: null,
  startFailure: null,
  project: null,
  opening: null,
  sessionList: [],
  current: null,
  sessions: {},
  inbox: null,
  settings: null,
  hooksRan: 0,
  terminals: [],
  unread: new Set(),
  drafts: {},
  panels: {
    sidebar: true,
    terminal: false,
    activeTerminal: null,
    settings: null,
    inbox: false,
    inspected: null,
    agent: null,
    changes: null,
    undoing: null,
    place: null,
    finding: false,
  },
};

/** The snapshot of the session that shows. */
export function currentSnapshot(state: UiState): SessionSnapshot | null {
  return state.current === null ? null : (state.sessions[state.current]?.snapshot ?? null);
}

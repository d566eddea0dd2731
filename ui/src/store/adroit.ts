import { createStore, type StoreApi } from "zustand/vanilla";
import type { Event, Position, SessionId, TerminalId } from "../generated/protocol.ts";
import type { Host } from "../host/host.ts";
import { type ChangesActions, changesActions } from "./changes-actions.ts";
import type { ActionContext } from "./context.ts";
import { openFile } from "./files.ts";
import { type FrameClock, FrameQueue, windowFrames } from "./frames.ts";
import { type PlaceActions, placeActions } from "./place-actions.ts";
import { type ProjectActions, projectActions } from "./projects.ts";
import { type SessionActions, sessionActions } from "./session-actions.ts";
import { ingest, type SessionEvent } from "./sessions.ts";
import { type SettingsActions, settingsActions } from "./settings-actions.ts";
import { INITIAL, type Panels, type Remark, type UiState } from "./state.ts";
import { type TerminalActions, terminalActions } from "./terminal-actions.ts";
import { TerminalOutput } from "./terminals.ts";

/** The state of the app and what can be done with it. */
export interface Adroit {
  /** The state. */
  store: StoreApi<UiState>;
  /** Projects, trust, settings in force. */
  projects: ProjectActions;
  /** Sessions, messages, requests. */
  sessions: SessionActions;
  /** What calls changed, and taking it back. */
  changes: ChangesActions;
  /** Settings and keys. */
  settings: SettingsActions;
  /** Terminals. */
  terminals: TerminalActions;
  /** Places in files. */
  places: PlaceActions;
  /** Opens and closes what is beside the conversation. */
  setPanels(change: Partial<Panels>): void;
  /** Changes what is typed in the session that shows. */
  setDraft(text: string): void;
  /** Shows a remark. */
  notify(remark: Remark): void;
  /** Opens an address outside of the app. */
  openLink(address: string): void;
  /** Opens a settings file at a place; where that cannot be, the place is copied. */
  openFile(file: string, position?: Position): Promise<void>;
  /** Begins to listen to the backend; the function that comes back ends it. */
  connect(): () => void;
}

/** Puts the store and its actions over a backend. */
export function createAdroit(
  host: Host,
  notify: (remark: Remark) => void,
  clock: FrameClock = windowFrames,
): Adroit {
  const store = createStore<UiState>(() => INITIAL);
  const output = new TerminalOutput();
  const context: ActionContext = { host, store, output, notify };
  const sessions = sessionActions(context);
  const projects = projectActions(context, sessions);
  const terminals = terminalActions(context);
  const queue = new FrameQueue<Event>(clock, (events) => {
    react(events, { context, sessions, projects, terminals });
  });
  return {
    store,
    projects,
    sessions,
    changes: changesActions(context),
    settings: settingsActions(context),
    terminals,
    places: placeActions(context),
    setPanels(change) {
      store.setState((state) => ({ panels: { ...state.panels, ...change } }));
    },
    setDraft(text) {
      store.setState(({ current, drafts }) =>
        current === null ? {} : { drafts: { ...drafts, [current]: text } },
      );
    },
    notify,
    openLink(address) {
      host.openLink(address).catch((error: { message?: string; hint?: string }) => {
        notify({
          tone: "danger",
          text: error.message ?? "The link was not opened.",
          hint: error.hint,
        });
      });
    },
    openFile: (file, position) => openFile(context, file, position),
    connect() {
      return host.subscribe({
        onBatch: (batch) => queue.push(batch.events),
        onReconnected: () => {
          for (const id of Object.keys(store.getState().sessions)) {
            void sessions.resync(id);
          }
          void projects.refreshSettings();
          void terminals.refresh();
        },
      });
    },
  };
}

interface Reactors {
  context: ActionContext;
  sessions: SessionActions;
  projects: ProjectActions;
  terminals: TerminalActions;
}

/** What events that are no session changes ask to be done once, whatever their number. */
interface Wishes {
  settings: boolean;
  hooks: boolean;
  terminals: boolean;
  list: boolean;
  inbox: boolean;
  projects: Set<string>;
}

function react(events: readonly Event[], reactors: Reactors): void {
  const { context } = reactors;
  const changes: SessionEvent[] = [];
  const wishes: Wishes = {
    settings: false,
    hooks: false,
    terminals: false,
    list: false,
    inbox: false,
    projects: new Set(),
  };
  for (const event of events) {
    switch (event.type) {
      case "session":
        changes.push(event);
        noteSessionChange(event, context, wishes);
        break;
      case "terminal_output":
        if (!context.output.output(event.terminal, event.offset, event.data)) {
          markUnread(context, event.terminal);
        }
        break;
      case "terminals_changed":
        wishes.terminals = true;
        break;
      case "terminal_ended":
        context.output.ended(event.terminal, event.exitCode);
        wishes.terminals = true;
        break;
      case "settings_changed":
        wishes.settings = true;
        break;
      case "hooks_ran":
        wishes.hooks = true;
        break;
      case "project_changed":
        wishes.projects.add(event.path);
        break;
      case "folder_requested":
        void openRequested(event.path, reactors);
        break;
      case "notice":
        context.notify({ tone: event.tone, text: event.text, hint: event.hint });
        break;
    }
  }
  applyChanges(changes, reactors);
  fulfil(wishes, reactors);
}

/** A flood wakes nobody: a terminal becomes unread once. */
function markUnread({ store }: ActionContext, terminal: TerminalId): void {
  const { unread } = store.getState();
  if (!unread.has(terminal)) {
    store.setState({ unread: new Set([...unread, terminal]) });
  }
}

async function openRequested(path: string, { context, projects }: Reactors): Promise<void> {
  const error = await projects.open(path);
  if (error !== null) {
    context.notify({ tone: "danger", text: error.message, hint: error.hint });
  }
}

function noteSessionChange(event: SessionEvent, context: ActionContext, wishes: Wishes): void {
  const { change } = event;
  if (change.type === "title_changed" || change.type === "turn_changed") {
    const idle = change.type === "turn_changed" && change.turn.type === "idle";
    wishes.list ||= idle || change.type === "title_changed";
  }
  // Of any session, those that are not open here included.
  wishes.inbox ||= change.type === "request_opened" || change.type === "request_closed";
  const item =
    change.type === "item_added" || change.type === "item_replaced" ? change.item.body : null;
  const { current, terminals } = context.store.getState();
  if (item?.type === "call" && item.call.terminal !== undefined && event.session === current) {
    const { terminal } = item.call;
    wishes.terminals ||= !terminals.some((one) => one.terminal === terminal);
  }
  if (change.type === "request_closed" && change.end === "expired") {
    context.notify({ tone: "info", text: "A request expired without an answer; nothing was run." });
  }
}

function applyChanges(changes: readonly SessionEvent[], reactors: Reactors): void {
  if (changes.length === 0) {
    return;
  }
  const { store } = reactors.context;
  const { sessions, gaps } = ingest(store.getState().sessions, changes);
  store.setState({ sessions });
  for (const id of gaps) {
    void reactors.sessions.resync(id);
  }
}

function fulfil(wishes: Wishes, reactors: Reactors): void {
  if (wishes.inbox) {
    void reactors.sessions.refreshInbox();
  }
  if (wishes.settings) {
    void reactors.projects.refreshSettings();
    resyncCurrent(reactors, reactors.context.store.getState().current);
  }
  if (wishes.hooks) {
    reactors.context.store.setState(({ hooksRan }) => ({ hooksRan: hooksRan + 1 }));
  }
  if (wishes.terminals) {
    void reactors.terminals.refresh();
  }
  if (wishes.list) {
    void reactors.sessions.refreshList();
  }
  for (const path of wishes.projects) {
    void reactors.projects.refresh(path);
  }
}

/** The model's name is in the snapshot and follows the settings without an event of its own. */
function resyncCurrent(reactors: Reactors, current: SessionId | null): void {
  if (current !== null) {
    void reactors.sessions.resync(current);
  }
}

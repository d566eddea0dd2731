import type {
  Answer,
  CallId,
  CallRecord,
  ChangePreview,
  DraftChange,
  DraftText,
  FoundText,
  ItemId,
  Mode,
  PermissionRequest,
  RuleCheck,
  SessionId,
  WhatIf,
  WhatIfAnswer,
  WireError,
} from "../generated/protocol.ts";
import { type ActionContext, attempt, type Outcome, run } from "./context.ts";
import { rememberPlace } from "./memory.ts";
import { dropSession, expectSession, settle } from "./sessions.ts";

/** What can be done with sessions. */
export interface SessionActions {
  /** Asks for the stored sessions again. */
  refreshList(): Promise<void>;
  /** Begins a session and shows it. */
  create(): Promise<void>;
  /** Shows a session; its failure is a remark. */
  show(session: SessionId): Promise<void>;
  /** Shows a session if it still exists; false where it does not. */
  resume(session: SessionId): Promise<boolean>;
  /** Follows an agent's conversation beside the one that shows; null where it can be had. */
  look(session: SessionId): Promise<WireError | null>;
  /** Follows it no more. */
  lookAway(session: SessionId): void;
  /** Deletes a session. The view asked before. */
  remove(session: SessionId): Promise<void>;
  /** Asks for a snapshot again. */
  resync(session: SessionId): Promise<void>;
  /** Says something, at the next step of a turn that runs where it steers; false where it was not taken. */
  submit(text: string, steer?: boolean): Promise<boolean>;
  /** Stops the turn. */
  stop(): Promise<void>;
  /** Takes a message out of the queue; its text, or null where it is gone. */
  unqueue(message: ItemId): Promise<string | null>;
  /** Changes the text of a queued message; false where that was not taken. */
  editQueued(message: ItemId, text: string): Promise<boolean>;
  /** Says a queued message at the next step, or after the turn again. */
  steer(message: ItemId, steer: boolean): Promise<void>;
  /** Switches the mode; false where the person must confirm it first. */
  setMode(mode: Mode, confirmed?: boolean): Promise<boolean>;
  /** Answers a request; null where it was taken. */
  answer(request: PermissionRequest, answer: Answer): Promise<WireError | null>;
  /** The text of a waiting call, without the places of its diff that are named. */
  draft(request: PermissionRequest, rejected: number[]): Promise<Outcome<DraftText>>;
  /** What a change would do to a waiting call. */
  previewChange(request: PermissionRequest, change: DraftChange): Promise<Outcome<ChangePreview>>;
  /** Asks again what waits in all sessions. */
  refreshInbox(): Promise<void>;
  /** Says what a rule would cover. */
  checkRule(request: PermissionRequest, rule: string): Promise<Outcome<RuleCheck>>;
  /** Calls of before that other rules or another mode would decide otherwise. */
  whatIf(question: Omit<WhatIf, "session">): Promise<Outcome<WhatIfAnswer>>;
  /** The entries of the session that shows which have a text. */
  find(text: string): Promise<Outcome<FoundText>>;
  /** All that is known of a call of the session that shows. */
  record(call: CallId): Promise<Outcome<CallRecord>>;
}

/** Makes them. */
export function sessionActions(context: ActionContext): SessionActions {
  const { store } = context;

  async function refreshList(): Promise<void> {
    const { project } = store.getState();
    if (project === null) {
      return;
    }
    const list = await run(context, "session.list", { path: project.path });
    if (list !== null && store.getState().project?.path === project.path) {
      store.setState({ sessionList: list.sessions });
    }
  }

  function bring(session: SessionId): void {
    const { project, panels } = store.getState();
    store.setState({
      current: session,
      terminals: [],
      panels: {
        ...panels,
        inspected: null,
        agent: null,
        changes: null,
        undoing: null,
        activeTerminal: null,
      },
    });
    if (project !== null) {
      rememberPlace({ project: project.path, session });
    }
  }

  async function load(session: SessionId): Promise<WireError | null> {
    const known = store.getState().sessions[session] !== undefined;
    store.setState({ sessions: expectSession(store.getState().sessions, session) });
    const outcome = await attempt(context, "session.open", { session });
    if (!outcome.ok) {
      if (!known) {
        store.setState({ sessions: dropSession(store.getState().sessions, session) });
      }
      return outcome.error;
    }
    const { sessions, gaps } = settle(store.getState().sessions, outcome.value);
    store.setState({ sessions });
    // A gap that is still open means that the backend moved on meanwhile: ask again.
    return gaps.length > 0 ? load(session) : null;
  }

  const actions: SessionActions = {
    refreshList,
    async create() {
      const { project } = store.getState();
      if (project === null) {
        return;
      }
      const snapshot = await run(context, "session.create", { path: project.path });
      if (snapshot === null) {
        return;
      }
      const { sessions } = settle(store.getState().sessions, snapshot);
      store.setState({ sessions });
      bring(snapshot.session);
      await refreshList();
    },
    async show(session) {
      const error = await load(session);
      if (error === null) {
        bring(session);
      } else {
        context.notify({ tone: "danger", text: error.message, hint: error.hint });
      }
    },
    async resume(session) {
      const loaded = (await load(session)) === null;
      if (loaded) {
        bring(session);
      }
      return loaded;
    },
    look: load,
    lookAway(session) {
      if (store.getState().current !== session) {
        store.setState({ sessions: dropSession(store.getState().sessions, session) });
      }
    },
    async remove(session) {
      if ((await run(context, "session.delete", { session })) === null) {
        return;
      }
      store.setState({ sessions: dropSession(store.getState().sessions, session) });
      await refreshList();
      if (store.getState().current === session) {
        const next = store.getState().sessionList[0];
        await (next === undefined ? actions.create() : actions.show(next.session));
      }
    },
    async resync(session) {
      const error = await load(session);
      if (error !== null) {
        context.notify({ tone: "danger", text: error.message, hint: error.hint });
      }
    },
    async submit(text, steer = false) {
      const { current: session } = store.getState();
      return (
        session !== null && (await run(context, "turn.submit", { session, text, steer })) !== null
      );
    },
    async stop() {
      const { current } = store.getState();
      if (current !== null) {
        await run(context, "turn.stop", { session: current });
      }
    },
    async unqueue(message) {
      const { current } = store.getState();
      if (current === null) {
        return null;
      }
      const removed = await run(context, "queue.remove", { session: current, message });
      return removed?.text ?? null;
    },
    async editQueued(message, text) {
      const { current: session } = store.getState();
      return (
        session !== null && (await run(context, "queue.edit", { session, message, text })) !== null
      );
    },
    async steer(message, steer) {
      const { current: session } = store.getState();
      if (session !== null) {
        await run(context, "queue.steer", { session, message, steer });
      }
    },
    async setMode(mode, confirmed = false) {
      const { current: session } = store.getState();
      if (session === null) {
        return true;
      }
      const outcome = await attempt(context, "mode.set", { session, mode, confirmed });
      if (!outcome.ok && outcome.error.code === "unconfirmed") {
        return false;
      }
      if (!outcome.ok) {
        const { message, hint } = outcome.error;
        context.notify({ tone: "danger", text: message, hint });
      }
      return true;
    },
    async answer({ session, id, nonce }, answer) {
      const outcome = await attempt(context, "request.answer", {
        session,
        request: id,
        nonce,
        answer,
      });
      return outcome.ok ? null : outcome.error;
    },
    draft({ session, id }, rejected) {
      return attempt(context, "request.draft", { session, request: id, rejected });
    },
    previewChange({ session, id }, change) {
      return attempt(context, "request.preview_change", { session, request: id, change });
    },
    async refreshInbox() {
      const inbox = await attempt(context, "inbox.list", {});
      // The dock shows what this session asks even where the list cannot be had.
      if (inbox.ok) {
        store.setState({ inbox: inbox.value });
      }
    },
    checkRule({ session, id }, rule) {
      return attempt(context, "request.check_rule", { session, request: id, rule });
    },
    whatIf(question) {
      const { current } = store.getState();
      return attempt(context, "permissions.what_if", { ...question, session: current ?? "" });
    },
    find(text) {
      const { current } = store.getState();
      return attempt(context, "session.find", { session: current ?? "", text });
    },
    record(call) {
      const { current } = store.getState();
      return attempt(context, "call.record", { session: current ?? "", call });
    },
  };
  return actions;
}

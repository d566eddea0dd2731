import type { Project, SessionId, SettingsState, WireError } from "../generated/protocol.ts";
import { type ActionContext, attempt, run } from "./context.ts";
import { recallPlace, rememberPlace } from "./memory.ts";
import type { SessionActions } from "./session-actions.ts";
import { INITIAL } from "./state.ts";

/** What can be done with projects. */
export interface ProjectActions {
  /** Asks the backend what it is, and opens the folder that it was started on. */
  start(): Promise<void>;
  /** Opens a folder; null where it worked. */
  open(path: string): Promise<WireError | null>;
  /** Lets the person choose a folder, and opens it. */
  pick(): Promise<WireError | null>;
  /** Goes back to the picker. */
  leave(): Promise<void>;
  /** Takes a folder off the recent ones. */
  forget(path: string): Promise<void>;
  /** Answers the trust question. */
  trust(trusted: boolean): Promise<void>;
  /** Asks for the open project again. */
  refresh(path: string): Promise<void>;
  /** Asks for the settings again. */
  refreshSettings(): Promise<void>;
}

/** Makes them. */
export function projectActions(context: ActionContext, sessions: SessionActions): ProjectActions {
  const { store } = context;

  async function refreshApp(): Promise<void> {
    const app = await run(context, "app.state", {});
    if (app !== null) {
      store.setState({ app });
    }
  }

  async function refreshSettings(): Promise<void> {
    const { project, current } = store.getState();
    const settings = await run(context, "settings.get", {
      project: project?.path ?? null,
      session: current,
    });
    if (settings !== null) {
      store.setState({ settings });
    }
  }

  async function open(path: string, session: SessionId | null = null): Promise<WireError | null> {
    const outcome = await attempt(context, "project.open", { path });
    if (!outcome.ok) {
      return outcome.error;
    }
    await enter(outcome.value, session);
    return null;
  }

  async function enter(project: Project, session: SessionId | null): Promise<void> {
    rememberPlace({ project: project.path, session });
    store.setState({ project, current: null, sessionList: [], terminals: [] });
    await sessions.refreshList();
    const resumed = session !== null && (await sessions.resume(session));
    if (!resumed) {
      await sessions.create();
    }
    await refreshSettings();
  }

  return {
    async start() {
      const outcome = await attempt(context, "app.state", {});
      if (!outcome.ok) {
        store.setState({ startFailure: outcome.error });
        return;
      }
      const app = outcome.value;
      const place = recallPlace();
      const path = place?.project ?? app.startFolder;
      store.setState({ app, startFailure: null, opening: path });
      if (path === null) {
        await refreshSettings();
        return;
      }
      const error = await open(path, place?.session ?? null);
      store.setState({ opening: null });
      if (error !== null) {
        rememberPlace(null);
        context.notify({ tone: "danger", text: error.message, hint: error.hint });
        await refreshSettings();
      }
    },
    open,
    async pick() {
      const outcome = await attempt(context, "project.pick", {});
      if (!outcome.ok) {
        return outcome.error;
      }
      return outcome.value.path === null ? null : open(outcome.value.path);
    },
    async leave() {
      rememberPlace(null);
      const { app, settings, panels } = store.getState();
      store.setState({ ...INITIAL, app, settings: keepLooks(settings), panels });
      await refreshApp();
      await refreshSettings();
    },
    async forget(path) {
      if ((await run(context, "project.forget", { path })) !== null) {
        await refreshApp();
      }
    },
    async trust(trusted) {
      const { project } = store.getState();
      if (project === null) {
        return;
      }
      const changed = await run(context, "project.trust", { path: project.path, trusted });
      if (changed !== null) {
        store.setState({ project: changed });
        await refreshSettings();
      }
    },
    async refresh(path) {
      if (store.getState().project?.path !== path) {
        return;
      }
      const outcome = await attempt(context, "project.open", { path });
      if (outcome.ok) {
        store.setState({ project: outcome.value });
      } else {
        const { message, hint } = outcome.error;
        context.notify({ tone: "danger", text: message, hint });
      }
    },
    refreshSettings,
  };
}

/** Theme and density belong to the person, not to the project that is left. */
function keepLooks(settings: SettingsState | null): SettingsState | null {
  return settings === null ? null : { ...settings, rules: [], files: [] };
}

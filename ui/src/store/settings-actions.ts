import type {
  Provider,
  ProviderCheck,
  SettingsChange,
  SettingsState,
  TerminalId,
  TerminalState,
  WireError,
} from "../generated/protocol.ts";
import { type ActionContext, attempt, type Outcome, run } from "./context.ts";
import { InOrderByKey } from "./in-order.ts";
import type { TerminalListener } from "./terminals.ts";

/** What can be done with settings. Failures go back to the form that asked. */
export interface SettingsActions {
  /** Changes a setting; null where it worked. */
  change(change: SettingsChange): Promise<WireError | null>;
  /** Stores a key. */
  setSecret(provider: Provider, key: string): Promise<WireError | null>;
  /** Removes a stored key. */
  clearSecret(provider: Provider): Promise<WireError | null>;
  /** Tries the provider in force. */
  check(): Promise<Outcome<ProviderCheck>>;
}

/** Makes them. */
export function settingsActions(context: ActionContext): SettingsActions {
  const { store } = context;
  function take(outcome: Outcome<SettingsState>): WireError | null {
    if (outcome.ok) {
      store.setState({ settings: outcome.value });
      return null;
    }
    return outcome.error;
  }
  function scope(): { project: string | null; session: string | null } {
    const { project, current } = store.getState();
    return { project: project?.path ?? null, session: current };
  }
  return {
    async change(change) {
      return take(await attempt(context, "settings.change", { ...scope(), change }));
    },
    async setSecret(provider, key) {
      return take(await attempt(context, "secret.set", { provider, key }));
    },
    async clearSecret(provider) {
      return take(await attempt(context, "secret.clear", { provider }));
    },
    check() {
      return attempt(context, "provider.check", scope());
    },
  };
}

/** What can be done with terminals. */
export interface TerminalActions {
  /** Asks for the terminals of the session that shows. */
  refresh(): Promise<void>;
  /** Opens a terminal of the person's own and brings it to the front. */
  open(rows: number, columns: number): Promise<void>;
  /** The state of a terminal. */
  attach(terminal: TerminalId): Promise<Outcome<TerminalState>>;
  /** Listens to a terminal's output. */
  listen(terminal: TerminalId, listener: TerminalListener): () => void;
  /** Types. */
  write(terminal: TerminalId, text: string): Promise<void>;
  /** Tells the size. */
  resize(terminal: TerminalId, rows: number, columns: number): Promise<void>;
  /** Ends what runs in it. */
  close(terminal: TerminalId): Promise<void>;
}

/** Makes them. */
export function terminalActions(context: ActionContext): TerminalActions {
  const { store, output } = context;
  async function refresh(): Promise<void> {
    const { current } = store.getState();
    if (current === null) {
      return;
    }
    const list = await run(context, "terminal.list", { session: current });
    if (list !== null && store.getState().current === current) {
      store.setState({ terminals: list.terminals });
    }
  }
  const typing = new InOrderByKey<TerminalId, string>(
    async (terminal, text) => {
      await run(context, "terminal.write", { terminal, text });
    },
    (earlier, later) => earlier + later,
  );
  const sizing = new InOrderByKey<TerminalId, { rows: number; columns: number }>(
    async (terminal, size) => {
      // A terminal that just ended has no size any more; that is not worth a remark.
      await attempt(context, "terminal.resize", { terminal, ...size });
    },
    (_, later) => later,
  );
  return {
    refresh,
    async open(rows, columns) {
      const { current } = store.getState();
      if (current === null) {
        return;
      }
      const opened = await run(context, "terminal.open", { session: current, rows, columns });
      if (opened !== null) {
        const { panels } = store.getState();
        store.setState({ panels: { ...panels, activeTerminal: opened.summary.terminal } });
        await refresh();
      }
    },
    attach(terminal) {
      return attempt(context, "terminal.attach", { terminal });
    },
    listen(terminal, listener) {
      return output.listen(terminal, listener);
    },
    write(terminal, text) {
      return typing.push(terminal, text);
    },
    resize(terminal, rows, columns) {
      return sizing.push(terminal, { rows, columns });
    },
    async close(terminal) {
      await run(context, "terminal.close", { terminal });
      await refresh();
    },
  };
}

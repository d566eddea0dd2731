import type { TerminalId, TerminalProcesses, TerminalState } from "../generated/protocol.ts";
import { type ActionContext, attempt, type Outcome, run } from "./context.ts";
import { InOrderByKey } from "./in-order.ts";
import type { TerminalListener } from "./terminals.ts";

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
  /** Says how far the output was shown, so that more is sent. */
  shown(terminal: TerminalId, offset: number): Promise<void>;
  /** Tells the size. */
  resize(terminal: TerminalId, rows: number, columns: number): Promise<void>;
  /** Ends what runs in it. */
  close(terminal: TerminalId): Promise<void>;
  /** Lets its command go on in the background. */
  background(terminal: TerminalId): Promise<void>;
  /** What runs in it. */
  processes(terminal: TerminalId): Promise<Outcome<TerminalProcesses>>;
  /** Ends one of its processes. */
  endProcess(terminal: TerminalId, pid: number): Promise<void>;
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
      const unread = new Set(store.getState().unread);
      if (unread.delete(terminal)) {
        store.setState({ unread });
      }
      return output.listen(terminal, listener);
    },
    async shown(terminal, offset) {
      await attempt(context, "terminal.shown", { terminal, offset });
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
    async background(terminal) {
      await run(context, "terminal.background", { terminal });
      await refresh();
    },
    processes(terminal) {
      return attempt(context, "terminal.processes", { terminal });
    },
    async endProcess(terminal, pid) {
      await run(context, "terminal.end_process", { terminal, pid });
    },
  };
}

import type { StoreApi } from "zustand/vanilla";
import type { WireError } from "../generated/protocol.ts";
import { type CommandName, type Host, type Input, type Output, toWireError } from "../host/host.ts";
import type { Remark, UiState } from "./state.ts";
import type { TerminalOutput } from "./terminals.ts";

/** What the actions work with. */
export interface ActionContext {
  /** The backend. */
  host: Host;
  /** The state. */
  store: StoreApi<UiState>;
  /** Where terminal bytes go. */
  output: TerminalOutput;
  /** Shows a remark. */
  notify(remark: Remark): void;
}

/** What came of a command: its output, or a failure for the view that asked. */
export type Outcome<T> = { ok: true; value: T } | { ok: false; error: WireError };

/** Runs a command and hands the failure to the caller, who shows it where it belongs. */
export async function attempt<N extends CommandName>(
  context: ActionContext,
  name: N,
  input: Input<N>,
): Promise<Outcome<Output<N>>> {
  try {
    return { ok: true, value: await context.host.rpc(name, input) };
  } catch (thrown) {
    return { ok: false, error: toWireError(thrown) };
  }
}

/** Runs a command and shows its failure as a remark; null then. */
export async function run<N extends CommandName>(
  context: ActionContext,
  name: N,
  input: Input<N>,
): Promise<Output<N> | null> {
  const outcome = await attempt(context, name, input);
  if (outcome.ok) {
    return outcome.value;
  }
  const { message, hint } = outcome.error;
  context.notify({ tone: "danger", text: message, hint });
  return null;
}

import type { Commands, EventBatch, WireError } from "../generated/protocol.ts";

/** The name of a command. */
export type CommandName = keyof Commands;
/** What a command takes. */
export type Input<N extends CommandName> = Commands[N]["input"];
/** What a command gives. */
export type Output<N extends CommandName> = Commands[N]["output"];

/** Where batches of events go. */
export interface EventListener {
  /** One batch, in order. */
  onBatch(batch: EventBatch): void;
  /** The connection broke and is up again: events may be missing. */
  onReconnected(): void;
}

/**
 * The backend as the UI sees it.
 *
 * Two implementations exist: the desktop window and the loopback host for a plain
 * browser. Nothing else in the UI knows how the backend is reached.
 */
export interface Host {
  /** Runs a command. Rejects with a `WireError`, never with anything else. */
  rpc<N extends CommandName>(name: N, input: Input<N>): Promise<Output<N>>;
  /** Begins to listen; the function that comes back ends it. */
  subscribe(listener: EventListener): () => void;
  /** Opens an address outside of the app. */
  openLink(address: string): Promise<void>;
  /** Opens a settings file in the person's own editor; false where this host cannot. */
  openFile(file: string): Promise<boolean>;
}

/** Whether a value has the shape of a `WireError`. */
export function isWireError(value: unknown): value is WireError {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof (value as WireError).message === "string" &&
    typeof (value as WireError).code === "string"
  );
}

/** Makes a `WireError` of whatever was thrown, so that every failure can be shown. */
export function toWireError(thrown: unknown): WireError {
  if (isWireError(thrown)) {
    return thrown;
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return {
    code: "failed",
    message: message === "" ? "Something failed without saying what." : message,
    hint: "Try again; if it stays, restart Adroit.",
  };
}

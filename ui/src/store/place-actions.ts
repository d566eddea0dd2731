import type { FileLines } from "../generated/protocol.ts";
import { type ActionContext, attempt, type Outcome, run } from "./context.ts";

/** What can be done with places in files. */
export interface PlaceActions {
  /**
   * Which of some names are files of the workspace: their paths, in the same order.
   *
   * @param folder Where relative names start.
   */
  find(folder: string, names: string[]): Promise<(string | null)[]>;
  /** Some lines of a file; the first has the number 1. */
  view(path: string, first: number, count: number): Promise<Outcome<FileLines>>;
  /** Shows a place: in the person's editor where one is named, else here. */
  show(path: string, line?: number, column?: number): Promise<void>;
  /** Opens a place in the person's editor. */
  edit(path: string, line?: number, column?: number): Promise<void>;
}

/** Makes them. */
export function placeActions(context: ActionContext): PlaceActions {
  const { store } = context;

  /** The session that shows. A place is named only in one. */
  function session(): string {
    return store.getState().current ?? "";
  }

  async function edit(path: string, line?: number, column?: number): Promise<void> {
    const position = line === undefined ? null : { line, column: column ?? 1 };
    await run(context, "place.edit", { session: session(), path, position });
  }

  return {
    async find(folder, names) {
      const outcome = await attempt(context, "place.find", { session: session(), folder, names });
      // What cannot be asked is no link; the text stays as it is.
      return outcome.ok ? outcome.value.paths : names.map(() => null);
    },
    view: (path, first, count) =>
      attempt(context, "place.view", { session: session(), path, first, count }),
    edit,
    async show(path, line, column) {
      if (store.getState().settings?.editor) {
        await edit(path, line, column);
        return;
      }
      const { panels } = store.getState();
      store.setState({
        panels: { ...panels, place: { path, line: line ?? null, column: column ?? null } },
      });
    },
  };
}

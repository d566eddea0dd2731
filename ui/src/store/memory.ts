import type { SessionId } from "../generated/protocol.ts";

/** What a reload of the page brings back. */
export interface Place {
  /** The project's folder. */
  project: string;
  /** The session that showed. */
  session: SessionId | null;
}

const KEY = "adroit.place";

/** Where this window was before it was reloaded; null in a new window. */
export function recallPlace(): Place | null {
  try {
    const text = sessionStorage.getItem(KEY);
    const value: unknown = text === null ? null : JSON.parse(text);
    if (typeof value === "object" && value !== null && "project" in value) {
      const { project, session } = value as { project: unknown; session?: unknown };
      if (typeof project === "string") {
        return { project, session: typeof session === "string" ? session : null };
      }
    }
  } catch {
    // Storage may be refused; then a reload begins afresh, which loses nothing stored.
  }
  return null;
}

/** Remembers where this window is. */
export function rememberPlace(place: Place | null): void {
  try {
    if (place === null) {
      sessionStorage.removeItem(KEY);
    } else {
      sessionStorage.setItem(KEY, JSON.stringify(place));
    }
  } catch {
    // As above.
  }
}

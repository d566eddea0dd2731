import type { Event, SessionId, SessionSnapshot } from "../generated/protocol.ts";
import { applyChange } from "./apply.ts";

/** A numbered change of a session. */
export type SessionEvent = Extract<Event, { type: "session" }>;

/** What is known of one open session. */
export interface SessionEntry {
  /** Its state, absent until the first snapshot came. */
  snapshot: SessionSnapshot | null;
  /** Events that came while a snapshot is awaited, oldest first. */
  waiting: SessionEvent[];
  /** True while a snapshot is awaited: at first, and after a gap. */
  stale: boolean;
}

/** The open sessions. */
export type Sessions = Readonly<Record<SessionId, SessionEntry>>;

/** What came of a batch. */
export interface Ingested {
  /** The sessions after it; the same object where nothing changed. */
  sessions: Sessions;
  /** Sessions whose snapshot must be asked for now. */
  gaps: SessionId[];
}

/** Begins to await the first snapshot of a session; events from now on are kept for it. */
export function expectSession(sessions: Sessions, id: SessionId): Sessions {
  return sessions[id] === undefined
    ? { ...sessions, [id]: { snapshot: null, waiting: [], stale: true } }
    : sessions;
}

/** Forgets a session. */
export function dropSession(sessions: Sessions, id: SessionId): Sessions {
  const { [id]: _gone, ...rest } = sessions;
  return rest;
}

/**
 * Applies session events in order.
 *
 * 1. An event of a session that is not open here is passed over.
 * 2. An event that is in the snapshot already (its number is not greater) is passed over.
 * 3. The next number is applied.
 * 4. Anything later means that an event is missing: it waits, and a snapshot is asked for.
 */
export function ingest(sessions: Sessions, events: readonly SessionEvent[]): Ingested {
  let next: Record<SessionId, SessionEntry> | null = null;
  const gaps: SessionId[] = [];
  for (const event of events) {
    const entry = (next ?? sessions)[event.session];
    if (entry === undefined) {
      continue;
    }
    const changed = take(entry, event);
    if (changed === entry) {
      continue;
    }
    if (changed.stale && !entry.stale) {
      gaps.push(event.session);
    }
    next = next ?? { ...sessions };
    next[event.session] = changed;
  }
  return { sessions: next ?? sessions, gaps };
}

function take(entry: SessionEntry, event: SessionEvent): SessionEntry {
  if (entry.stale || entry.snapshot === null) {
    return { ...entry, waiting: [...entry.waiting, event] };
  }
  const { snapshot } = entry;
  if (event.sequence <= snapshot.sequence) {
    return entry;
  }
  if (event.sequence > snapshot.sequence + 1) {
    return { ...entry, stale: true, waiting: [event] };
  }
  const applied = applyChange(snapshot, event.change);
  return { ...entry, snapshot: { ...applied, sequence: event.sequence } };
}

/**
 * Takes a snapshot that was asked for, then the events that waited for it.
 *
 * Of a snapshot older than what is shown only that is taken which no event tells (the
 * model): the answer to an earlier question may come late.
 */
export function settle(sessions: Sessions, snapshot: SessionSnapshot): Ingested {
  const entry = sessions[snapshot.session];
  const shown = entry?.snapshot ?? null;
  const base =
    shown !== null && shown.sequence > snapshot.sequence
      ? { ...shown, model: snapshot.model }
      : snapshot;
  const settled: SessionEntry = { snapshot: base, waiting: [], stale: false };
  return ingest({ ...sessions, [snapshot.session]: settled }, entry?.waiting ?? []);
}

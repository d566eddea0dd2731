import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SessionChange, SessionSnapshot } from "../generated/protocol.ts";
import { applyChange } from "./apply.ts";
import { expectSession, ingest, type SessionEvent, type Sessions, settle } from "./sessions.ts";

const ID = "ses_1";

function empty(): SessionSnapshot {
  return {
    session: ID,
    project: "/p",
    title: "",
    sequence: 0,
    mode: "default",
    model: "offline",
    items: [],
    requests: [],
    changedFiles: [],
    queue: [],
    undos: [],
    turn: { type: "idle" },
    usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
    turnUsage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
  };
}

const itemId = fc.integer({ min: 0, max: 6 }).map((n) => `item_${n}`);
const change: fc.Arbitrary<SessionChange> = fc.oneof(
  itemId.map((id) => ({
    type: "item_added" as const,
    item: { id, body: { type: "assistant" as const, text: "", streaming: true } },
  })),
  fc.record({ type: fc.constant("text_appended" as const), item: itemId, text: fc.string() }),
  itemId.map((id) => ({
    type: "item_replaced" as const,
    item: { id, body: { type: "user" as const, text: "replaced" } },
  })),
  fc.array(itemId, { maxLength: 3 }).map((items) => ({ type: "items_removed" as const, items })),
  fc.record({ type: fc.constant("title_changed" as const), title: fc.string() }),
  fc.constantFrom("plan", "acceptEdits", "default").map((mode) => ({
    type: "mode_changed" as const,
    mode: mode as "plan",
  })),
);

/** The backend: numbers changes and keeps every intermediate snapshot. */
function run(changes: SessionChange[]): { snapshots: SessionSnapshot[]; events: SessionEvent[] } {
  const snapshots = [empty()];
  const events: SessionEvent[] = [];
  changes.forEach((one, index) => {
    const sequence = index + 1;
    const before = snapshots[index] ?? empty();
    snapshots.push({ ...applyChange(before, one), sequence });
    events.push({ type: "session", session: ID, sequence, change: one });
  });
  return { snapshots, events };
}

function opened(snapshot: SessionSnapshot): Sessions {
  return settle(expectSession({}, ID), snapshot).sessions;
}

describe("ingest", () => {
  it("gives the later snapshot when the events after an earlier one are applied", () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 25 }), fc.nat(), (changes, at) => {
        const { snapshots, events } = run(changes);
        const start = at % snapshots.length;
        const from = snapshots[start] ?? empty();
        const result = ingest(opened(from), events.slice(start));
        expect(result.gaps).toEqual([]);
        expect(result.sessions[ID]?.snapshot).toEqual(snapshots.at(-1));
      }),
    );
  });

  it("passes over events that are in the snapshot already, however they are repeated", () => {
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 15 }), fc.nat(), (changes, at) => {
        const { snapshots, events } = run(changes);
        const upTo = 1 + (at % events.length);
        const doubled = [...events.slice(0, upTo), ...events.slice(0, upTo), ...events];
        const result = ingest(opened(empty()), doubled);
        expect(result.sessions[ID]?.snapshot).toEqual(snapshots.at(-1));
      }),
    );
  });

  it("asks for a snapshot once when events are missing, and is right after it came", () => {
    fc.assert(
      fc.property(
        fc.array(change, { minLength: 3, maxLength: 20 }),
        fc.nat(),
        fc.nat(),
        (changes, lost, when) => {
          const { snapshots, events } = run(changes);
          const missing = lost % (events.length - 1);
          const seen = events.filter((_, index) => index !== missing);
          const first = ingest(opened(empty()), seen);
          expect(first.gaps).toEqual([ID]);
          expect(first.sessions[ID]?.snapshot).toEqual(snapshots[missing]);
          // The snapshot may be of any moment after the lost event.
          const moment = missing + 1 + (when % (snapshots.length - missing - 1));
          const answer = snapshots[moment] ?? empty();
          const second = settle(first.sessions, answer);
          expect(second.gaps).toEqual([]);
          expect(second.sessions[ID]?.snapshot).toEqual(snapshots.at(-1));
          expect(second.sessions[ID]?.stale).toBe(false);
        },
      ),
    );
  });

  it("keeps events that come before the first snapshot", () => {
    const { snapshots, events } = run([
      { type: "title_changed", title: "a" },
      { type: "title_changed", title: "b" },
    ]);
    const waiting = ingest(expectSession({}, ID), events);
    expect(waiting.gaps).toEqual([]);
    const result = settle(waiting.sessions, empty());
    expect(result.sessions[ID]?.snapshot).toEqual(snapshots[2]);
  });

  it("passes over sessions that are not open", () => {
    const { events } = run([{ type: "title_changed", title: "a" }]);
    const before: Sessions = {};
    expect(ingest(before, events).sessions).toBe(before);
  });

  it("does not go back to a snapshot older than what is shown", () => {
    const { snapshots, events } = run([
      { type: "title_changed", title: "a" },
      { type: "title_changed", title: "b" },
    ]);
    const shown = ingest(opened(empty()), events).sessions;
    const result = settle(shown, snapshots[1] ?? empty());
    expect(result.sessions[ID]?.snapshot?.title).toBe("b");
  });
});

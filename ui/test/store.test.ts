import { describe, expect, it } from "vitest";
import { type Adroit, createAdroit } from "../src/store/adroit.ts";
import { currentSnapshot, type Remark } from "../src/store/state.ts";
import { FakeHost } from "./fake-host.ts";
import { bashRequest, scene, snapshot } from "./scenes.ts";

/** Lets every promise that is under way settle. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) {
    await Promise.resolve();
  }
}

async function started(): Promise<{ adroit: Adroit; host: FakeHost; remarks: Remark[] }> {
  const host = new FakeHost(scene());
  const remarks: Remark[] = [];
  const adroit = createAdroit(
    host,
    (remark) => remarks.push(remark),
    // Every batch is a frame of its own.
    { request: (flush) => flush() },
  );
  adroit.connect();
  await adroit.projects.start();
  return { adroit, host, remarks };
}

describe("the store", () => {
  it("opens the folder that the app was started on, with a session", async () => {
    const { adroit } = await started();
    const state = adroit.store.getState();
    expect(state.project?.name).toBe("lantern");
    expect(currentSnapshot(state)?.session).toBe("ses_1");
    expect(state.opening).toBeNull();
  });

  it("follows events, and asks for a snapshot when one is missing", async () => {
    const { adroit, host } = await started();
    host.change({ type: "mode_changed", mode: "plan" });
    expect(currentSnapshot(adroit.store.getState())?.mode).toBe("plan");
    expect(host.given("session.open")).toEqual([]);
    // This one is lost on the way.
    host.scene.snapshot.sequence += 1;
    host.scene.snapshot.title = "Changed while nobody listened";
    host.change({ type: "mode_changed", mode: "acceptEdits" });
    await settled();
    expect(host.given("session.open")).toEqual([{ session: "ses_1" }]);
    const now = currentSnapshot(adroit.store.getState());
    expect(now?.mode).toBe("acceptEdits");
    expect(now?.title).toBe("Changed while nobody listened");
  });

  it("asks for everything again when the connection was lost", async () => {
    const { adroit, host } = await started();
    host.scene.snapshot.requests = [bashRequest()];
    host.scene.snapshot.sequence += 5;
    host.reconnect();
    await settled();
    expect(currentSnapshot(adroit.store.getState())?.requests).toHaveLength(1);
  });

  it("asks for the settings once, however many events say that they changed", async () => {
    const { host } = await started();
    const before = host.given("settings.get").length;
    host.emit({ type: "settings_changed" }, { type: "settings_changed" });
    await settled();
    expect(host.given("settings.get").length).toBe(before + 1);
  });

  it("hands terminal output to who listens, and to nobody after", async () => {
    const { adroit, host } = await started();
    const heard: string[] = [];
    const stop = adroit.terminals.listen("term_2", {
      onOutput: (offset, bytes) => heard.push(`${offset} ${new TextDecoder().decode(bytes)}`),
      onEnded: (code) => heard.push(`ended ${code}`),
    });
    host.emit({ type: "terminal_output", terminal: "term_2", offset: 5, data: btoa("one") });
    host.emit({ type: "terminal_output", terminal: "other", offset: 0, data: btoa("two") });
    host.emit({ type: "terminal_ended", terminal: "term_2", exitCode: 3 });
    stop();
    host.emit({ type: "terminal_output", terminal: "term_2", offset: 8, data: btoa("late") });
    expect(heard).toEqual(["5 one", "ended 3"]);
    // What nobody looked at is marked until somebody does.
    expect([...adroit.store.getState().unread]).toEqual(["other", "term_2"]);
    adroit.terminals.listen("term_2", { onOutput: () => undefined, onEnded: () => undefined });
    expect([...adroit.store.getState().unread]).toEqual(["other"]);
  });

  it("says that a request expired", async () => {
    const { host, remarks } = await started();
    host.ask(bashRequest());
    host.change({ type: "request_closed", request: "req_1", end: "expired" });
    expect(remarks.map(({ text }) => text)).toEqual([
      "A request expired without an answer; nothing was run.",
    ]);
  });

  it("gives the failure of an answer to who answered, and shows others as remarks", async () => {
    const { adroit, host, remarks } = await started();
    const stale = await adroit.sessions.answer(bashRequest(), { type: "allow_once" });
    expect(stale?.code).toBe("stale");
    expect(remarks).toEqual([]);
    host.failures.set("mode.set", { code: "untrusted", message: "Not here.", hint: "Trust it." });
    await adroit.sessions.setMode("plan");
    expect(remarks).toEqual([{ tone: "danger", text: "Not here.", hint: "Trust it." }]);
  });

  it("shows the picker and the reason when the folder cannot be opened", async () => {
    const host = new FakeHost(scene({ snapshot: snapshot() }));
    host.failures.set("project.open", { code: "not_found", message: "The folder is gone." });
    const remarks: Remark[] = [];
    const adroit = createAdroit(host, (remark) => remarks.push(remark), {
      request: (flush) => flush(),
    });
    await adroit.projects.start();
    const state = adroit.store.getState();
    expect([state.project, state.opening]).toEqual([null, null]);
    expect(remarks.map(({ text }) => text)).toEqual(["The folder is gone."]);
  });
});

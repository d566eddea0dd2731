import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import type { CallItem } from "../src/generated/protocol.ts";
import { given, useStories } from "./browser.ts";

const open = useStories();
const message = { name: "Message to Adroit" };

describe("the composer", () => {
  it("sends with Enter and breaks with Shift+Enter", async () => {
    const page = await open("quiet");
    await page.getByRole("textbox", message).fill("one");
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.type("two");
    await page.keyboard.press("Enter");
    await page.getByTestId("user-message").getByText("one").waitFor();
    expect(await given(page, "turn.submit")).toEqual([
      { session: "ses_1", text: "one\ntwo", steer: false },
    ]);
    expect(await page.getByRole("textbox", message).inputValue()).toBe("");
  });

  it("keeps what was typed when it is not taken", async () => {
    const page = await open("quiet");
    await page.evaluate(() =>
      window.host.failures.set("turn.submit", { code: "failed", message: "The disk is full." }),
    );
    await page.getByRole("textbox", message).fill("precious");
    await page.keyboard.press("Enter");
    await page.getByText("The disk is full.").waitFor();
    expect(await page.getByRole("textbox", message).inputValue()).toBe("precious");
  });

  it("stops the turn with Escape", async () => {
    const page = await open("transcript");
    await page.getByRole("textbox", message).press("Escape");
    await page.getByRole("button", { name: "Send message" }).waitFor();
    expect(await given(page, "turn.stop")).toHaveLength(1);
  });

  it("goes through what was said by arrow up, and back to the draft", async () => {
    const page = await open("quiet");
    const composer = page.getByRole("textbox", message);
    await composer.press("ArrowUp");
    expect(await composer.inputValue()).toContain("The lamp goes dark");
    await composer.press("ArrowDown");
    expect(await composer.inputValue()).toBe("");
  });

  it("switches the mode by Shift+Tab and by the menu, bypassing only after a question", async () => {
    const page = await open("quiet");
    await page.getByRole("textbox", message).press("Shift+Tab");
    await page.getByRole("button", { name: "Mode: Accept edits" }).click();
    await page.getByRole("menuitemradio", { name: /Bypass permissions/ }).click();
    const yes = page.getByRole("alertdialog").getByRole("button", { name: "Bypass permissions" });
    await yes.waitFor();
    expect((await given(page, "mode.set")).map(({ confirmed }) => confirmed)).not.toContain(true);
    await yes.click();
    await page.getByRole("button", { name: "Mode: Bypass permissions" }).waitFor();
    const set = await given(page, "mode.set");
    expect(set.map(({ mode, confirmed }) => [mode, confirmed])).toEqual([
      ["acceptEdits", false],
      // The backend knows whether it was confirmed once before.
      ["bypassPermissions", false],
      ["bypassPermissions", true],
    ]);
  });

  it("edits a queued message in its place, and turns it into steering", async () => {
    const page = await open("queue");
    const first = page.getByTestId("queued").first();
    await first.getByText("After this turn").waitFor();
    await first.getByRole("button", { name: /^Edit queued message/ }).click();
    const field = first.getByRole("textbox", { name: "Text of the queued message" });
    await field.fill("And test level 301.");
    await field.press("Enter");
    await first.getByText("And test level 301.").waitFor();
    await first.getByRole("button", { name: /^Steer/ }).click();
    await first.getByText("Next step").waitFor();
    expect(await given(page, "queue.steer")).toEqual([
      { session: "ses_1", message: "q1", steer: true },
    ]);
    await first.getByRole("button", { name: /^Remove queued message/ }).click();
    expect(await page.getByTestId("queued").count()).toBe(1);
  });

  it("steers what is typed with Ctrl+Enter while a turn runs", async () => {
    const page = await open("queue");
    const composer = page.getByRole("textbox", { name: "Message to Adroit" });
    await composer.fill("mind the tests");
    await composer.press("Control+Enter");
    await page.waitForFunction(() => window.host.given("turn.submit").length === 1);
    expect(await given(page, "turn.submit")).toEqual([
      { session: "ses_1", text: "mind the tests", steer: true },
    ]);
  });
});

describe("the transcript", () => {
  it("folds reading calls into one row that names them, and gives others their own", async () => {
    const page = await open("transcript");
    const group = page.getByTestId("call-group").last();
    await group.getByText("Reading 5 files").waitFor();
    expect(await group.textContent()).toContain("src/level.rs");
    expect(await group.textContent()).toContain("+1");
    await group.getByRole("button").first().click();
    expect(await group.getByTestId("call").count()).toBe(5);
    await page.locator("[data-testid=call][data-status=failed]").waitFor();
    await page.locator("[data-testid=call][data-status=denied]").waitFor();
  });

  it("keeps to its end, lets go when one scrolls up, and leads back", async () => {
    const page = await open("long");
    const list = page.getByLabel("Messages and calls");
    const fromEnd = () => list.evaluate((el) => el.scrollHeight - el.clientHeight - el.scrollTop);
    await expect.poll(fromEnd).toBeLessThan(40);
    await list.hover();
    await page.mouse.wheel(0, -900);
    await page.getByRole("button", { name: "Jump to latest" }).waitFor();
    const before = await list.evaluate((el) => el.scrollTop);
    await page.evaluate(() =>
      window.host.change({
        type: "item_added",
        item: { id: "late", body: { type: "user", text: "late" } },
      }),
    );
    await page.waitForFunction(() => true);
    expect(Math.abs((await list.evaluate((el) => el.scrollTop)) - before)).toBeLessThan(60);
    await page.getByRole("button", { name: "Jump to latest" }).click();
    await expect.poll(fromEnd).toBeLessThan(40);
    await page.getByText("late").waitFor();
  });

  it("renders a bounded part of ten thousand entries", async () => {
    const page = await open("long");
    await page.getByTestId("call-group").first().waitFor();
    expect(await page.locator("*").count()).toBeLessThan(6_000);
  });

  // dv-gui-007
  it("takes a result of 200 KB: folded, through resizes, and copied whole", async () => {
    const page = await open("large");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    // A loop of ResizeObserver reaches the window's error event alone.
    await page.evaluate(() => {
      window.troubles = [];
      window.addEventListener("error", (event) => window.troubles.push(event.message));
    });
    const row = page.getByTestId("call");
    const title = row.getByRole("button", { expanded: false });
    await title.waitFor();
    expect(await row.locator("*").count()).toBeLessThan(60);
    await title.click();
    const more = row.getByRole("button", { name: /more lines$/ });
    await more.click();
    for (const width of [700, 1500, 620, 1280]) {
      await page.setViewportSize({ width, height: 840 });
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => done(null))));
    }
    await row.getByText(/^798 x+$/).waitFor();
    // Each of the eight very long lines is cut, and says so.
    expect(await row.getByRole("button", { name: /more characters$/ }).count()).toBe(8);
    await row.getByRole("button", { name: "Copy text" }).click();
    await row.getByRole("button", { name: "Copied" }).waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    const whole = await page.evaluate(() => window.largeText());
    expect(whole.length).toBeGreaterThan(200_000);
    expect(copied === whole).toBe(true);
    expect(await page.evaluate(() => window.troubles)).toEqual([]);
  });

  it("opens links through the host and shows where they go", async () => {
    const page = await open("transcript");
    const list = page.getByLabel("Messages and calls");
    const link = page.getByRole("link", { name: /error guidelines/ });
    await expect
      .poll(async () => {
        await list.hover();
        await page.mouse.wheel(0, -300);
        return link.count();
      })
      .toBe(1);
    expect(await link.textContent()).toContain("rust-lang.github.io");
    await link.click();
    await expect
      .poll(() => page.evaluate(() => window.host.links))
      .toEqual(["https://rust-lang.github.io/api-guidelines/"]);
  });

  it("answers why", async () => {
    const page = await open("transcript");
    const failed = page.locator("[data-testid=call][data-status=failed]");
    await failed.hover();
    await failed.getByRole("button", { name: /^Why\?/ }).click();
    const inspector = page.getByRole("complementary", { name: "Inspector" });
    await inspector.getByText("An ask rule of the project matches.").waitFor();
    const stages = inspector.getByTestId("stage");
    await expect.poll(() => stages.count()).toBe(14);
    expect(await stages.nth(7).textContent()).toBe("8Mode and consent1.8 s");
    await inspector.getByText("is not for machines").last().waitFor();
    await inspector.getByRole("button", { name: /settings\.json:12:7$/ }).click();
    await expect
      .poll(() => page.evaluate(() => window.host.files))
      .toEqual(["/home/ada/code/lantern/.adroit/settings.json"]);
    await page.keyboard.press("Escape");
    await inspector.waitFor({ state: "detached" });
  });
});

describe("a command that asks", () => {
  it("is answered in the conversation, a secret as dots, and the field forgets it", async () => {
    const page = await open("asks");
    const form = page.getByTestId("terminal-input");
    const field = form.locator("input[type=password]");
    await field.fill("hunter22");
    await field.press("Enter");
    await expect
      .poll(() => given(page, "terminal.write"))
      .toEqual([{ terminal: "term_2", text: "hunter22\n" }]);
    expect(await field.inputValue()).toBe("");
    await form.getByRole("button", { name: "End input" }).click();
    await expect.poll(async () => (await given(page, "terminal.write")).length).toBe(2);
  });
});

describe("the end of the transcript", () => {
  it("says what the agent does, unless the row above says the same", async () => {
    const page = await open("transcript");
    const foot = page.getByTestId("turn-activity");
    await foot.getByText("Reading Cargo.toml").waitFor();
    await page.evaluate(() => {
      const call = {
        call: "c99",
        tool: "Bash",
        status: "running",
        mutating: true,
        view: { title: "make", activity: "Running make", tone: "neutral", blocks: [] },
      } satisfies CallItem;
      const turn = { type: "running", since: Date.now(), activity: "Running make" } as const;
      window.host.change({ type: "item_added", item: { id: "i99", body: { type: "call", call } } });
      window.host.change({ type: "turn_changed", turn });
    });
    await page.getByTestId("call").getByText("Running make").waitFor();
    await foot.getByText("Working").waitFor();
    expect(await page.getByText("Running make").count()).toBe(1);
  });
});

describe("the terminal panel", () => {
  it("shows the processes, ends one, and finds text", async () => {
    const page = await open("terminal");
    await page.getByRole("button", { name: "Processes" }).click();
    const tree = page.getByTestId("processes");
    await tree.getByText("5173", { exact: true }).waitFor();
    await page.getByText("199 MB", { exact: true }).waitFor();
    await tree.getByRole("button", { name: "End process 4117" }).click();
    await expect
      .poll(() => given(page, "terminal.end_process"))
      .toEqual([{ terminal: "term_2", pid: 4117 }]);
    await page.getByRole("button", { name: "Find" }).click();
    const find = page.getByRole("textbox", { name: "Find in the terminal" });
    await find.fill("no such words");
    await find.press("Enter");
    await page.getByText("Not found").waitFor();
    await page.getByRole("button", { name: "Move to background" }).click();
    await expect.poll(() => given(page, "terminal.background")).toEqual([{ terminal: "term_2" }]);
  });

  it("shows a file that was printed, at its line, by mouse and by keyboard", async () => {
    const page = await open("terminal");
    await page.getByRole("tab", { name: /cargo test/ }).click();
    const screen = page.getByTestId("terminal-screen");
    const row = screen.locator(".xterm-rows > div", { hasText: "src/dawn.rs:8:16" });
    const box = await row.boundingBox();
    const cell = (box?.width ?? 0) / 80;
    await page.mouse.move((box?.x ?? 0) + 12, (box?.y ?? 0) + 6);
    // The text stands after six characters.
    await page.mouse.move((box?.x ?? 0) + cell * 8, (box?.y ?? 0) + 8, { steps: 4 });
    await expect.poll(() => screen.locator(".xterm-cursor-pointer").count()).toBe(1);
    await page.mouse.down();
    await page.mouse.up();
    const dialog = page.getByTestId("place-dialog");
    await dialog.getByRole("heading", { name: /src\/dawn\.rs/ }).waitFor();
    expect(await dialog.locator("[data-marked]").textContent()).toContain("let line_8 = 8;");
    await dialog.getByRole("button", { name: "Later lines" }).click();
    await dialog.getByText("let line_900 = 900;").waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });

    await page.getByRole("button", { name: "Files and links in the output" }).press("Enter");
    await page.getByRole("menuitem", { name: /src\/dawn\.rs:8:16/ }).waitFor();
    await page.keyboard.press("Enter");
    await dialog.locator("[data-marked]").waitFor();
  });

  it("opens a place in the person's own editor where one is named", async () => {
    const page = await open("terminal");
    await page.evaluate(() => {
      window.adroit.store.setState(({ settings }) => ({
        settings: settings && { ...settings, editor: "code {file}" },
      }));
    });
    await page.getByRole("tab", { name: /cargo test/ }).click();
    await page.getByRole("button", { name: "Files and links in the output" }).click();
    await page.getByRole("menuitem", { name: /src\/dawn\.rs:8:16/ }).click();
    await expect
      .poll(() => given(page, "place.edit"))
      .toEqual([
        {
          session: "ses_1",
          path: "/home/ada/code/lantern/src/dawn.rs",
          position: { line: 8, column: 16 },
        },
      ]);
    expect(await page.getByTestId("place-dialog").count()).toBe(0);
  });

  it("opens by key, shows the scrollback and what comes, and types into the process", async () => {
    const page = await open("quiet");
    await page.keyboard.press("Control+`");
    const screen = page.getByTestId("terminal-screen");
    await screen.getByText("listening on port 5173").first().waitFor();
    await page.evaluate(() =>
      window.host.emit({
        type: "terminal_output",
        terminal: "term_2",
        offset: 52,
        data: btoa("one more line"),
      }),
    );
    await screen.getByText("one more line").first().waitFor();
    await screen.click();
    await page.keyboard.type("q");
    await expect
      .poll(() => given(page, "terminal.write"))
      .toEqual([{ terminal: "term_2", text: "q" }]);
    expect((await given(page, "terminal.resize")).length).toBeGreaterThan(0);
    await page.keyboard.press("Control+`");
    await screen.waitFor({ state: "detached" });
  });
});

describe("the settings", () => {
  it("says of each rule what is odd, and copies its place where no file opens", async () => {
    const page = await open("settings");
    await page.evaluate(() => {
      window.host.opensFiles = false;
      // A browser asks before a page may write there; what is written is all that counts here.
      const clipboard = { writeText: async (text: string) => void window.troubles.push(text) };
      window.troubles = [];
      Object.defineProperty(navigator, "clipboard", { value: clipboard });
    });
    const odd = page.getByTestId("rule").filter({ has: page.getByTestId("rule-report") });
    await expect
      .poll(() => odd.getByTestId("rule-report").allTextContents())
      .toEqual([
        "Never decides: the ask rule Bash(cargo:*) (managed settings) goes before it",
        "Cannot be read: the parenthesis is not closed; it denies all that it may speak of",
      ]);
    await odd
      .first()
      .getByRole("button", { name: /settings\.json:3:7$/ })
      .click();
    const place = "/home/ada/code/lantern/.adroit/settings.json:3:7";
    await page.getByText(`Copied ${place}`).waitFor();
    expect(await page.evaluate(() => window.troubles)).toEqual([place]);
  });

  it("keeps limits that can be, says why others cannot, and keeps a list of hosts", async () => {
    const page = await open("execution");
    const memory = page.getByRole("textbox", { name: "Memory (MB)" });
    await memory.fill("8");
    await memory.blur();
    await page.getByText("Write a whole number of MB, 16 to 4194304.").waitFor();
    await memory.fill("2048");
    await memory.blur();
    await page.getByRole("textbox", { name: "Time (seconds)" }).fill("");
    await page.keyboard.press("Enter");
    const hosts = page.getByRole("textbox", { name: "Allowed hosts" });
    await hosts.fill("a.example, *.b.example");
    await hosts.blur();
    await expect
      .poll(async () => (await given(page, "settings.change")).map(({ change }) => change))
      .toEqual([
        {
          type: "set_limits",
          limits: { timeoutSeconds: 300, memoryMegabytes: 2048, outputMegabytes: null },
        },
        {
          type: "set_limits",
          limits: { timeoutSeconds: null, memoryMegabytes: 2048, outputMegabytes: null },
        },
        { type: "set_allowed_domains", domains: ["a.example", "*.b.example"] },
      ]);
    expect(await hosts.inputValue()).toBe("a.example\n*.b.example");
  });

  it("adds and removes rules, and shows problems with their place", async () => {
    const page = await open("settings");
    await page.getByRole("textbox", { name: "New rule" }).fill("Bash(make:*)");
    await page.getByRole("button", { name: "Add rule" }).click();
    await page.getByTestId("rule").getByText("Bash(make:*)").waitFor();
    await page.getByRole("button", { name: "Remove rule allow Bash(make:*)" }).click();
    await page.getByText("Bash(make:*)").waitFor({ state: "detached" });
    await page.getByText("The parenthesis is not closed").waitFor();
    await page.getByRole("tab", { name: /^Files/ }).click();
    await page.getByTestId("settings-file").first().getByText("4:21").waitFor();
    const changed = page.getByTestId("settings-file").filter({ hasText: "changed by a command" });
    await changed.getByRole("button", { name: "Accept what it says" }).click();
    await page.getByTestId("changed-in-sandbox").waitFor({ state: "detached" });
    expect((await given(page, "settings.change")).at(-1)?.change).toEqual({
      type: "accept_file",
      path: "/home/ada/code/lantern/.claude/settings.json",
      text: "7d1c",
    });
  });

  it("shows each hook with its source, its last runs and what keeps it from running", async () => {
    const page = await open("hooks");
    const hooks = page.getByTestId("hook");
    await hooks.nth(0).getByText("Bash if Bash(rm *)").waitFor();
    await hooks.nth(0).getByText("blocks the call when it fails").waitFor();
    await hooks.nth(0).getByText("Could not start").waitFor();
    const blocked = hooks.nth(0).getByTestId("hook-run").first();
    await blocked.getByText("Blocked", { exact: true }).click();
    await blocked
      .getByRole("region", { name: "Errors" })
      .getByText("is not for machines")
      .waitFor();
    await hooks.nth(1).getByText("cannot be started").waitFor();
    await hooks.nth(2).getByText("does not run: the folder is not trusted").waitFor();
  });

  it("changes the theme at once", async () => {
    const page = await open("appearance");
    await page.getByText("Dark", { exact: true }).click();
    await expect
      .poll(() => page.evaluate(() => document.documentElement.dataset.theme))
      .toBe("dark");
  });

  it("never shows a key again after it was entered", async () => {
    const page = await open("model");
    const key = page
      .getByRole("textbox", { name: "Key" })
      .or(page.getByLabel("Key", { exact: true }));
    await key.fill("sk-secret");
    expect(await key.getAttribute("type")).toBe("password");
    await page.getByRole("button", { name: "Save key" }).click();
    await page.getByTestId("key-origin").getByText("keyring").waitFor();
    expect(await page.content()).not.toContain("sk-secret");
  });
});

describe("the picker", () => {
  it("says why a folder was not opened, and keeps what was typed", async () => {
    const page = await open("picker");
    const folder = page.getByRole("textbox", { name: "Folder" });
    await folder.fill("/nowhere");
    await folder.press("Enter");
    await page.getByRole("alert").getByText("There is no folder /nowhere.").waitFor();
    expect(await folder.inputValue()).toBe("/nowhere");
    expect(await page.getByRole("button", { name: /old-thing.*gone/ }).isDisabled()).toBe(true);
  });
});

describe("the trust question", () => {
  it("names what is held back, and goes on either way", async () => {
    const page = await open("trust");
    const question = page.getByRole("region", { name: "Do you trust this folder?" });
    await question.getByText(".mcp.json: 1 server").waitFor();
    await question.getByRole("button", { name: "Stay restricted" }).click();
    await page.getByRole("button", { name: "Trust: Restricted" }).waitFor();
    await page.getByRole("textbox", message).waitFor();
    expect(await given(page, "project.trust")).toEqual([
      { path: "/home/ada/code/lantern", trusted: false },
    ]);
  });
});

describe("accessibility", () => {
  const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  const stories =
    "picker trust welcome transcript expanded bash edit destructive asks terminal place settings hooks model files inspector";

  it.each(stories.split(" "))("finds no serious fault in %s", async (story) => {
    const page = await open(story);
    await page.waitForLoadState("networkidle");
    await page.evaluate(axe);
    const faults = await page.evaluate(async () => {
      const { axe: checker } = window as unknown as {
        axe: { run(): Promise<{ violations: { id: string; impact: string }[] }> };
      };
      return (await checker.run()).violations
        .filter(({ impact }) => impact === "serious" || impact === "critical")
        .map(({ id }) => id);
    });
    expect(faults).toEqual([]);
  });
});

describe("a file that somebody else has changed", () => {
  it("is marked at its calls and in the request, until the agent has read it again", async () => {
    const page = await open("changed");
    const request = page.getByTestId("request-changed");
    await request.waitFor();
    expect(await request.textContent()).toContain("src/lamp.rs");
    await page.getByTestId("changed-since").first().waitFor();
    await page.evaluate(() => window.host.change({ type: "changed_files", paths: [] }));
    await request.waitFor({ state: "detached" });
    expect(await page.getByTestId("changed-since").count()).toBe(0);
  });
});

describe("the search of the conversation", () => {
  const field = { name: "Find in the conversation" };

  it("goes through the places in order, opens what folds, and marks where it is", async () => {
    const page = await open("transcript");
    await page.keyboard.press("Control+f");
    await page.getByRole("textbox", field).fill("dawn");
    const count = page.getByTestId("find-count");
    await count.getByText(/ of /).waitFor();
    const total = Number(((await count.textContent()) ?? "").split(" of ")[1]);
    expect(total).toBeGreaterThan(3);
    const seen = new Set<string>();
    for (let step = 0; step < total; step += 1) {
      seen.add(((await count.textContent()) ?? "").split(" of ")[0] ?? "");
      expect(await page.locator("[data-found]").count()).toBe(1);
      await page.locator("[data-found]").getByText(/dawn/i).first().waitFor();
      await page.keyboard.press("Enter");
    }
    expect(seen.size).toBe(total);
    const here = await count.textContent();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Shift+Enter");
    expect((await count.textContent()) ?? "").toBe(here);
    await page.keyboard.press("Escape");
    await page.getByTestId("find").waitFor({ state: "detached" });
    expect(await page.locator("[data-found]").count()).toBe(0);
  });

  it("says that there is nothing, and why it could not look", async () => {
    const page = await open("transcript");
    await page.keyboard.press("Control+f");
    await page.getByRole("textbox", field).fill("no such words");
    await page.getByText("Not found").waitFor();
    await page.evaluate(() =>
      window.host.failures.set("session.find", { code: "failed", message: "It broke." }),
    );
    await page.getByRole("textbox", field).fill("other words");
    await page.getByText("It broke.").waitFor();
  });
});

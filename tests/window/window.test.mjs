// The built app in its real webview: what a person does first, with the offline operator.

import assert from "node:assert/strict";
import { mkdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Desktop, processesIn } from "./desktop.mjs";
import { KEYS } from "./webdriver.mjs";

let desktop;
let session;

before(async () => {
  desktop = await Desktop.open({
    "README.md": "# A thing\n",
    ".adroit/settings.json": "{}\n",
    "src/greeting.txt": "hello\nworld\n",
  });
  session = desktop.session;
});

after(() => desktop?.close());

async function say(text) {
  const composer = await session.find("textarea");
  await composer.click();
  await composer.type(text);
  await session.press(KEYS.Enter);
}

/** Answers the request that shows, as soon as the UI says that answers count. */
async function answer(words) {
  await session.until(`the answer “${words}” to be taken`, 30_000, async () => {
    const button = await session.find("button", words);
    if ((await button.attribute("aria-disabled")) === "true") return false;
    await button.click();
    // Where the request moved meanwhile, the guard refuses and asks to press again.
    const taken = session.until(
      "the request to go",
      3_000,
      async () => (await session.texts("button", words)).length === 0,
    );
    return taken.then(
      () => true,
      () => false,
    );
  });
}

test("the folder of the command line is opened, and trusted only when asked", async () => {
  assert.equal(await session.run("return document.title"), "Adroit");
  await session.find("h1, h2, h3", "Do you trust this folder?");
  await desktop.picture("window-trust");
  await (await session.find("button", "Trust this folder")).click();
  await session.find("textarea");
});

test("the page has the backend's one door and no other", async () => {
  assert.equal(await session.run("return typeof window.__TAURI__"), "undefined");
  const policy = await session.run(`
    window.wasRun = false;
    const script = document.createElement("script");
    script.textContent = "window.wasRun = true";
    document.head.append(script);
    return { inline: window.wasRun };
  `);
  assert.deepEqual(policy, { inline: false });
});

test("of files, the page opens settings and nothing else", async () => {
  const open = (path) =>
    session.run(`
      return window.__TAURI_INTERNALS__
        .invoke("plugin:opener|open_path", { path: ${JSON.stringify(path)} })
        .then(() => "opened", (error) => String(error));
    `);
  const settings = join(desktop.project, ".adroit/settings.json");
  const disguised = join(desktop.project, ".claude/settings.json");
  await mkdir(join(desktop.project, ".claude"));
  await symlink("../src/greeting.txt", disguised);
  const others = ["/etc/passwd", join(desktop.project, "src/greeting.txt"), disguised];
  for (const path of [...others, `${settings}/../../README.md`]) {
    assert.match(await open(path), /not allowed/i, path);
  }
  assert.equal(await open(settings), "opened");
  await session.until("the desktop to be asked", 10_000, async () => {
    return (await desktop.opened()).length > 0;
  });
  assert.deepEqual(await desktop.opened(), [settings]);
});

test("an edit is approved from its diff and is then on the disk", async () => {
  const file = join(desktop.project, "src/greeting.txt");
  await say("replace hello with goodbye in src/greeting.txt");
  await session.find("button", "Allow once");
  const page = await session.run("return document.body.innerText");
  assert.match(page, /removed: hello/);
  assert.match(page, /added: goodbye/);
  assert.equal(await readFile(file, "utf8"), "hello\nworld\n");
  await desktop.picture("window-request");
  await answer("Allow once");
  await session.until(
    "the edited file",
    20_000,
    async () => (await readFile(file, "utf8")) === "goodbye\nworld\n",
  );
  await session.until(
    "the end of the turn",
    20_000,
    async () => (await session.all("button[aria-label=Stop]")).length === 0,
  );
});

test("a command runs in a terminal that is shown", async () => {
  await say("run printf 'first %s\\n' line > out.txt; cat out.txt; sleep 300");
  await answer("Allow once");
  await session.until(
    "the command's output in a file",
    20_000,
    async () =>
      (await readFile(join(desktop.project, "out.txt"), "utf8").catch(() => "")) === "first line\n",
  );
  await (await session.find("button[aria-label=Terminal]")).click();
  await session.find("[data-region=terminal] .xterm-rows", "first line");
  await desktop.picture("window-terminal");
});

test("a program that takes the whole screen is used in a terminal of one's own", async () => {
  const file = join(desktop.project, "src/greeting.txt");
  await (await session.find("button[aria-label='New terminal']")).click();
  const tabs = "[data-region=terminal] [role=tab]";
  await session.until("its tab", 20_000, async () => (await session.all(tabs)).length === 2);
  const rows = "[data-region=terminal] .xterm-rows";
  await (await session.find("[data-region=terminal] .xterm-screen")).click();
  await session.find("[data-region=terminal] [data-typing]");
  await session.press(..."vi -u NONE src/greeting.txt", KEYS.Enter);
  await session.find(rows, "~");
  await session.find(rows, "goodbye");
  await session.press(..."Ofirst of all", KEYS.Escape);
  await session.find(rows, "first of all");
  await desktop.picture("window-full-screen");
  await session.press(...":wq", KEYS.Enter);
  await session.until(
    "the file that was written",
    20_000,
    async () => (await readFile(file, "utf8")) === "first of all\ngoodbye\nworld\n",
  );
});

test("a flood ends, and the window stays usable", async () => {
  await session.press(..."yes 'a line of a flood' | head -c 5000000; echo the-end-$((1 + 1))", KEYS.Enter);
  await session.find("[data-region=terminal] .xterm-rows", "the-end-2", 60_000);
  await (await session.find("button[aria-label='Find']")).click();
  await session.press(..."no such words", KEYS.Enter);
  await session.find("[role=status]", "Not found");
});

test("closing the window leaves no process behind", async () => {
  const within = await processesIn(desktop.project);
  assert.notDeepEqual(within, [], "the command of the test before should still run");
  await session.end();
  await session.until(
    "the end of every process of the app",
    15_000,
    async () => (await processesIn(desktop.project)).length === 0,
  );
});

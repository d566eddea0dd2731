// Looking changes through in the real webview: before they are made, and after.

import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Desktop } from "./desktop.mjs";
import { KEYS } from "./webdriver.mjs";

const LINES = Array.from({ length: 30 }, (_, n) => `${n % 10 === 3 ? "old" : "line"} ${n}\n`).join("");
/** Longer than an answer that destroys must be held, milliseconds. */
const HELD = 1_500;

let desktop;
let session;

before(async () => {
  desktop = await Desktop.open({
    "list.txt": LINES,
    "src/a.txt": "alpha\n",
    "src/deep/b.txt": "beta\n",
    "greeting.txt": "hello\nworld\n",
    "ours.txt": "one\ntwo\nthree\n",
  });
  session = desktop.session;
  await (await session.find("button", "Trust this folder")).click();
  await session.find("textarea");
});

after(() => desktop?.close());

/** A file of the project; null where there is none. */
async function file(name) {
  return readFile(join(desktop.project, name), "utf8").catch(() => null);
}

async function fileBecomes(name, text) {
  await session.until(`${name} to change`, 30_000, async () => (await file(name)) === text);
}

async function say(text) {
  const composer = await session.find("textarea[aria-label='Message to Adroit']");
  await composer.click();
  await composer.type(text);
  await session.press(KEYS.Enter);
  await session.find("[data-testid=request]");
}

/** Answers the request that shows, as soon as answers count. */
async function answer(words) {
  await session.until(`the answer “${words}” to be taken`, 30_000, async () => {
    const button = await session.find("[data-testid=request] button", words);
    if ((await button.attribute("aria-disabled")) === "true") return false;
    await button.hold(HELD);
    return session
      .until("the request to go", 3_000, async () => (await session.all("[data-testid=request]")).length === 0)
      .then(() => true, () => false);
  });
  await session.until("the end of the turn", 30_000, async () => (await session.all("[data-turn=idle]")).length > 0);
}

/** Presses a button of what shows in front, as soon as it stands still: a row that still moves takes no click. */
async function press(selector, words) {
  await session.until(`${selector} to be pressed`, 20_000, async () => {
    const button = await session.find(selector, words);
    return button.click().then(
      () => true,
      (error) => {
        if (!error.message.includes("not interactable")) throw error;
        return false;
      },
    );
  });
}

const gone = (selector) =>
  session.until(`${selector} to go`, 20_000, async () => (await session.all(selector)).length === 0);

test("some places of a change are taken, others left out", async () => {
  await say("replace old with new in list.txt");
  const boxes = await session.until("the places", 20_000, async () => {
    const found = await session.all("[data-testid=request] label input[type=checkbox]");
    return found.length === 3 ? found : undefined;
  });
  await boxes[1].click();
  await session.find("[data-testid=request] button", "Allow 2 of 3 places");
  await answer("Allow 2 of 3 places");
  await fileBecomes("list.txt", LINES.replace("old 3", "new 3").replace("old 23", "new 23"));
});

test("a change is edited in the request, and what was shown is written", async () => {
  await say("replace hello with goodbye in greeting.txt");
  await press("[data-testid=request] button", "Edit");
  const field = await session.find("[data-testid=request] textarea:not([disabled])");
  await field.type(`${KEYS.Control}a${KEYS.Release}`);
  await field.type(`farewell${KEYS.Enter}world${KEYS.Enter}`);
  await session.find("[data-testid=request] [role=row], [data-testid=request] tr", "farewell");
  await desktop.picture("window-edit");
  await answer("Allow my version");
  await fileBecomes("greeting.txt", "farewell\nworld\n");
});

test("an undo leaves what a person changed since, unless it is chosen", async () => {
  await say("replace two with zwei in ours.txt");
  await answer("Allow once");
  await fileBecomes("ours.txt", "one\nzwei\nthree\n");
  await writeFile(join(desktop.project, "ours.txt"), "one\nmine\nthree\n");
  await press("button[aria-label^='Undo:'][aria-label*='ours.txt']");
  await session.find("[data-testid=undo-file]", "It was changed since at the same place.");
  await desktop.picture("window-conflict");
  const disabled = () =>
    session.run(`
      const buttons = [...document.querySelectorAll("[data-testid=undo-dialog] button")];
      const undo = buttons.find((button) => button.innerText.trim() === "Undo");
      return undo.disabled || undo.getAttribute("aria-disabled") === "true";
    `);
  assert.equal(await disabled(), true, "nothing would be done");
  await press("[data-testid=undo-dialog] label", "Go back; give up the later change");
  await session.until("the undo to be offered", 10_000, async () => !(await disabled()));
  await press("[data-testid=undo-dialog] button", "Undo");
  await fileBecomes("ours.txt", "one\ntwo\nthree\n");
  await gone("[data-testid=undo-dialog]");
});

test("a command that deleted files is taken back", async () => {
  await say("run rm -r src");
  await answer("allow once");
  await session.until("the files to go", 20_000, async () => (await file("src/a.txt")) === null);
  await press("button[aria-label='Undo: rm -r src']");
  await session.find("[data-testid=undo-file]", "src/deep/b.txt");
  await desktop.picture("window-undo");
  await press("[data-testid=undo-dialog] button", "Undo");
  await fileBecomes("src/a.txt", "alpha\n");
  await fileBecomes("src/deep/b.txt", "beta\n");
  await gone("[data-testid=undo-dialog]");
});

test("changes are gone through by keys, accepted, and commented", async () => {
  await session.find("[data-turn=idle]");
  await (await session.find("button[aria-label=Changes]")).click();
  await session.find("[data-testid=long-diff] [data-testid=place]");
  // By its label: the driver takes a name that may be cut with an ellipsis for a hidden one.
  await press("[data-testid=changed-file][aria-label='list.txt']");
  await session.find("[data-testid=file-view] [data-current]");
  await session.run("document.querySelector('[data-testid=changes] h2').focus()");
  await session.press("a");
  await session.find("[data-testid=place] button", "Accepted");
  await session.press("n", "c");
  const field = await session.find("[data-testid=changes] textarea");
  await field.click();
  await field.type("Why only here?");
  await press("[data-testid=changes] button", "Add comment");
  await desktop.picture("window-changes");
  await press("[data-testid=changes] button", "Send to the agent");
  await session.find("[data-testid=user-message]", "Why only here?");
});

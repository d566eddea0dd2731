// Commands that run: typed into, and stopped.

import assert from "node:assert/strict";
import { journey } from "./journey.mjs";
import { eventually, isRunning } from "./person.mjs";

journey("a running command is typed into from its terminal", {}, async (person) => {
  const { page } = person;
  await person.say("run read -r line; echo got:$line > typed.txt; cat typed.txt");
  await person.allowOnce();
  await person.calls("running").waitFor();
  await page.getByRole("button", { name: "Terminal", exact: true }).click();
  await page.getByRole("tab", { name: /read -r line/ }).waitFor();
  const screen = page.getByTestId("terminal-screen");
  await screen.getByRole("textbox").focus();
  await page.keyboard.type("a word");
  await page.keyboard.press("Enter");
  await screen.getByText("got:a word").first().waitFor();
  await person.rest();
  await person.fileBecomes("typed.txt", "got:a word\n");
  const call = person.calls("succeeded");
  await call.getByRole("button", { expanded: false }).click();
  await call.getByRole("figure", { name: "Command" }).getByText("got:a word").waitFor();
});

journey("a terminal of one's own runs beside the commands", {}, async (person) => {
  const { page } = person;
  await page.keyboard.press("Control+`");
  await page.getByRole("button", { name: "New terminal" }).click();
  const screen = page.getByTestId("terminal-screen");
  await screen.getByRole("textbox").focus();
  await page.keyboard.type("echo mine > own.txt");
  await page.keyboard.press("Enter");
  await person.fileBecomes("own.txt", "mine\n");
});

journey(
  "a file that a command printed is looked at, at its line",
  { files: { "src/lamp.rs": "// one\n// two\nlight the lamp\n// four\n" } },
  async (person) => {
    const { page } = person;
    await person.say("run grep -Hn lamp src/lamp.rs");
    await person.rest();
    await page.keyboard.press("Control+`");
    await page.getByTestId("terminal-screen").getByText("src/lamp.rs:3").first().waitFor();
    await page.getByRole("button", { name: "Files and links in the output" }).click();
    await page.getByRole("menuitem", { name: /src\/lamp\.rs:3/ }).click();
    const dialog = page.getByTestId("place-dialog");
    await dialog.locator("[data-marked]", { hasText: "light the lamp" }).waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    await dialog.waitFor({ state: "detached" });
  },
);

for (const [way, stop] of /** @type {const} */ ([
  ["the button", (person) => person.turn.click()],
  ["Escape", (person) => person.composer.press("Escape")],
])) {
  journey(`a turn is stopped by ${way}, and its command with it`, {}, async (person) => {
    // A number of seconds that no other program sleeps.
    const seconds = String(1_000_000 + Math.floor(Math.random() * 8_000_000));
    await person.say(`run sleep ${seconds}; touch after.txt`);
    await person.allowOnce();
    await eventually("the command to run", () => isRunning(["sleep", seconds]));
    await person.calls("running").waitFor();
    await stop(person);
    await person.calls("cancelled").waitFor();
    await person.rest();
    await eventually("the command's end", async () => !(await isRunning(["sleep", seconds])));
    assert.equal(await person.file("after.txt"), null);
    // The session goes on.
    await person.say("help");
    await person.rest();
    await person.page.getByTestId("assistant-message").last().waitFor();
  });
}

journey("a turn is stopped while a request waits", {}, async (person) => {
  await person.say("run touch never.txt");
  await person.asked();
  await person.turn.click();
  await person.request.waitFor({ state: "detached" });
  await person.rest();
  await person.calls("cancelled").waitFor();
  await person.seesNo(person.calls("succeeded"));
});

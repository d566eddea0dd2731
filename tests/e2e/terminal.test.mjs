// Terminals with what is hard to show: programs that take the whole screen, bytes that are no text.

import assert from "node:assert/strict";
import { journey } from "./journey.mjs";

/** Opens a terminal of the person's own, with the keys in it. */
async function ownTerminal(page) {
  await page.keyboard.press("Control+`");
  await page.getByRole("button", { name: "New terminal" }).click();
  const screen = page.getByTestId("terminal-screen");
  await screen.getByRole("textbox").focus();
  await page.getByText("Keys go to the terminal").waitFor();
  return screen;
}

journey(
  "a program that takes the whole screen is used, survives a reload, and gives the screen back",
  { files: { "note.txt": "first line\n" } },
  async (person) => {
    const { page } = person;
    await ownTerminal(page);
    await page.keyboard.type("echo before-it; vi -u NONE note.txt");
    await page.keyboard.press("Enter");
    const rows = page.locator("[data-testid=terminal-screen] .xterm-rows");
    // Its own screen: what stood there is away.
    await rows.getByText("first line").waitFor();
    await rows.getByText("~").first().waitFor();
    assert.equal(await rows.getByText("before-it").count(), 0);
    await page.keyboard.type("Oa new one");
    await page.keyboard.press("Escape");
    await rows.getByText("a new one").waitFor();

    await page.reload();
    await person.composer.waitFor();
    if ((await page.getByTestId("terminal-screen").count()) === 0) {
      await page.keyboard.press("Control+`");
    }
    await rows.getByText("a new one").waitFor();
    await page.getByTestId("terminal-screen").getByRole("textbox").focus();
    await page.keyboard.type(":wq");
    await page.keyboard.press("Enter");
    await person.fileBecomes("note.txt", "a new one\nfirst line\n");
    await rows.getByText("before-it").last().waitFor();
    // One key leaves the terminal.
    await page.keyboard.press("F6");
    await page.getByText("Click into the terminal to type.").waitFor();
  },
);

journey(
  "bytes that are no text leave the terminal and the page as they were",
  {},
  async (person) => {
    const { page } = person;
    await person.say("run head -c 2000000 /dev/urandom; echo; echo still-here; touch done.txt");
    await person.allowOnce();
    await page.keyboard.press("Control+`");
    await page.getByTestId("terminal-screen").waitFor();
    await person.rest();
    assert.equal(await person.file("done.txt"), "");
    const call = person.calls("succeeded");
    await call.getByRole("button", { expanded: false }).click();
    await call
      .getByText(/still-here|binary/i)
      .first()
      .waitFor();
    await person.say("help");
    await person.rest();
    assert.equal(await page.title(), "Adroit");
  },
);

journey(
  "a table wider than the terminal is whole for the model and readable here",
  {},
  async (person) => {
    const { page } = person;
    await person.say(
      "run for n in 1 2 3; do printf '%-150s|%-148s|\\n' left-$n right-$n; done; touch wide.txt",
    );
    await person.allowOnce();
    await person.rest();
    await page.keyboard.press("Control+`");
    const rows = page.locator("[data-testid=terminal-screen] .xterm-rows");
    await rows.getByText("left-3").waitFor();
    await rows.getByText("right-3").waitFor();
    const call = person.calls("succeeded");
    await call.getByRole("button", { expanded: false }).click();
    const shown = await call.getByRole("figure", { name: "Command" }).textContent();
    const [line = ""] = shown?.match(/left-2 +\|right-2 +\|/) ?? [];
    assert.equal(line.length, 300, `one line of 300 columns: ${line}`);
  },
);

// No serious barrier on the main screens, in either theme.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { journey } from "./journey.mjs";
import { ROOT } from "./server.mjs";

const AXE = await readFile(join(ROOT, "ui/node_modules/axe-core/axe.min.js"), "utf8");
const FILES = { "greeting.txt": "hello\nworld\n", "README.md": "# A thing\n" };

for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
  // The checker is a script that the page's own policy rightly refuses.
  const context = { colorScheme, bypassCSP: true, reducedMotion: "reduce" };

  journey(`the picker has no serious barrier, ${colorScheme}`, { picker: true, context }, async (person) => {
    await person.page.getByRole("textbox", { name: "Folder" }).waitFor();
    await check(person.page);
  });

  journey(`the trust question has no serious barrier, ${colorScheme}`, { unknown: true, context }, async (person) => {
    await person.page.getByRole("heading", { name: "Do you trust this folder?" }).waitFor();
    await check(person.page);
  });

  journey(`a transcript with a request has no serious barrier, ${colorScheme}`, { files: FILES, context }, async (person) => {
    await person.say("tour then replace hello with goodbye in greeting.txt");
    await person.asked();
    await check(person.page);
    await person.deny("Not now.");
    await person.rest();
    await check(person.page);
  });

  journey(`a terminal has no serious barrier, ${colorScheme}`, { context }, async (person) => {
    await person.say("run echo done > out.txt; cat out.txt");
    await person.allowOnce();
    await person.rest();
    await person.page.keyboard.press("Control+`");
    await person.page.getByTestId("terminal-screen").getByText("done").first().waitFor();
    await check(person.page);
  });

  journey(`the settings have no serious barrier, ${colorScheme}`, { files: FILES, context }, async (person) => {
    const { page } = person;
    await page.getByRole("button", { name: "Settings" }).click();
    for (const name of ["Permissions", "Model", "Appearance", "Execution", "Files"]) {
      await page.getByRole("tab", { name }).click();
      await page.getByRole("tabpanel", { name }).waitFor();
      await check(page);
    }
  });
}

/**
 * Fails where the page has a barrier that axe calls serious or critical.
 * @param {import("playwright-core").Page} page
 */
async function check(page) {
  if (!(await page.evaluate(() => "axe" in window))) {
    await page.addScriptTag({ content: AXE });
  }
  const found = await page.evaluate(async () => {
    const { violations } = await window.axe.run(document);
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .flatMap(({ id, help, nodes }) =>
        nodes.map(({ target, failureSummary }) => `${id}: ${help}: ${target}\n${failureSummary}`),
      );
  });
  assert.deepEqual(found, []);
}

// Opening a folder, and the mode that its sessions are in.

import assert from "node:assert/strict";
import { journey } from "./journey.mjs";

const FILES = { "greeting.txt": "hello\nworld\n" };

journey("a folder is opened through the picker and trusted", { files: FILES, picker: true }, async (person) => {
  const { page, project } = person;
  await page.getByText("Open a project folder to work on.").waitFor();
  await page.getByRole("textbox", { name: "Folder" }).fill(`${project}-that-is-not-there`);
  await page.getByRole("button", { name: "Open" }).click();
  await page.getByRole("alert").getByText("that-is-not-there").waitFor();
  await page.getByRole("textbox", { name: "Folder" }).fill(project);
  await page.getByRole("button", { name: "Open" }).click();
  await person.trust();
  assert.equal(await page.getByTestId("project-path").textContent(), project);
  await page.getByRole("button", { name: "Trust: Trusted" }).waitFor();
});

journey("a folder that stays restricted is read and not changed", { files: FILES, unknown: true }, async (person) => {
  const { page } = person;
  await page.getByRole("button", { name: "Stay restricted" }).click();
  await page.getByRole("button", { name: "Trust: Restricted" }).waitFor();
  await person.say("read greeting.txt");
  await person.calls("succeeded").getByText("greeting.txt").first().waitFor();
  await person.rest();
  await person.say("replace hello with goodbye in greeting.txt");
  await person.rest();
  await person.seesNo(person.request);
  assert.equal(await person.file("greeting.txt"), FILES["greeting.txt"]);
});

journey("the mode of the session in the settings holds for the very next call", { files: FILES }, async (person) => {
  const { page } = person;
  await page.getByRole("button", { name: "Settings" }).click();
  const modes = page.getByRole("radiogroup", { name: "Mode of this session" });
  // The radio itself is hidden under its words.
  await modes.getByText("Accept edits", { exact: true }).click();
  await modes.getByRole("radio", { name: /^Accept edits/, checked: true }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Mode: Accept edits" }).waitFor();
  await person.say("replace hello with goodbye in greeting.txt");
  // Nobody answers anything here.
  await person.fileBecomes("greeting.txt", "goodbye\nworld\n");
  await person.rest();
});

journey("the mode of new sessions in the settings holds for the next session", { files: FILES }, async (person) => {
  const { page } = person;
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByRole("button", { name: /Mode of new sessions/ }).click();
  await page.getByRole("option", { name: "Accept edits" }).click();
  await page.getByRole("button", { name: /Accept edits.*Mode of new sessions|Mode of new sessions.*Accept edits/ }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Mode: Ask" }).waitFor();
  await page.getByRole("button", { name: "New session" }).click();
  await page.getByRole("button", { name: "Mode: Accept edits" }).waitFor();
  await person.say("replace hello with goodbye in greeting.txt");
  await person.fileBecomes("greeting.txt", "goodbye\nworld\n");
  await person.rest();
});

journey("the mode is switched from the composer while a turn is on", { files: FILES }, async (person) => {
  const { page, composer } = person;
  await person.say("create one.txt with first then create two.txt with second");
  await person.asked();
  await composer.press("Shift+Tab");
  await page.getByRole("button", { name: "Mode: Accept edits" }).waitFor();
  // What waits is judged again by the new mode, and what comes after it too.
  await person.fileBecomes("two.txt", "second");
  await person.rest();
  assert.equal(await person.file("one.txt"), "first");
});

// What calls changed: seen on their rows, looked through, taken back.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { journey } from "./journey.mjs";

/** The dialog that asks before something is taken back. @param {import("./person.mjs").Person} person */
const dialog = (person) => person.page.getByTestId("undo-dialog");

/**
 * Allows what is asked where it destroys something: the button is held.
 * @param {import("./person.mjs").Person} person
 */
async function holdToAllow(person) {
  const button = (await person.asked()).getByRole("button", { name: /allow once/i });
  await button.hover();
  await person.page.mouse.down();
  await person.request.waitFor({ state: "detached" });
  await person.page.mouse.up();
}

journey("a command that deleted files is taken back, and done again", {
  files: { "src/a.txt": "alpha\n", "src/deep/b.txt": "beta\n", "keep.txt": "keep\n" },
}, async (person) => {
  await person.say("run rm -r src");
  await holdToAllow(person);
  await person.fileBecomes("src/a.txt", /** @type {any} */ (null));
  await person.rest();
  const row = person.calls("succeeded");
  await row.getByTestId("change-chip").filter({ hasText: "src/a.txt" }).waitFor();
  await row.getByTestId("change-chip").filter({ hasText: "src/deep/b.txt" }).waitFor();
  await row.getByRole("button", { name: /^Undo/ }).click();
  const files = dialog(person).getByTestId("undo-file");
  await files.filter({ hasText: "src/deep/b.txt" }).getByText("brought back").waitFor();
  assert.equal(await files.count(), 2);
  assert.equal(await person.file("src/a.txt"), null);
  await dialog(person).getByRole("button", { name: "Undo", exact: true }).click();
  await person.fileBecomes("src/a.txt", "alpha\n");
  await person.fileBecomes("src/deep/b.txt", "beta\n");
  await person.transcript.getByText("Undone: src/a.txt and src/deep/b.txt.").waitFor();
  await row.getByRole("button", { name: /^Redo/ }).click();
  await dialog(person).getByRole("button", { name: "Do again", exact: true }).click();
  await person.fileBecomes("src/a.txt", /** @type {any} */ (null));
  // Also in the next run of the page.
  await person.page.reload();
  await row.getByRole("button", { name: /^Undo/ }).waitFor();
});

journey("an undo leaves what a person changed since, unless it is chosen", {
  files: { "a.txt": "one\ntwo\nthree\n" },
}, async (person) => {
  await person.say("replace two with zwei in a.txt");
  await person.allowOnce();
  await person.fileBecomes("a.txt", "one\nzwei\nthree\n");
  await person.rest();
  await writeFile(join(person.project, "a.txt"), "one\nmine\nthree\n");
  const row = person.calls("succeeded").filter({ has: person.page.getByRole("button", { name: /^Undo/ }) });
  await row.getByRole("button", { name: /^Undo/ }).click();
  const file = dialog(person).getByTestId("undo-file");
  await file.getByText("It was changed since at the same place.").waitFor();
  const undo = dialog(person).getByRole("button", { name: "Undo", exact: true });
  assert.ok(await undo.isDisabled(), "nothing would be done");
  await file.getByText("Go back; give up the later change").click();
  await undo.click();
  await person.fileBecomes("a.txt", "one\ntwo\nthree\n");
});

journey("changes are looked through, one place is taken back, a comment is sent", {
  files: { "a.txt": Array.from({ length: 20 }, (_, n) => `line ${n + 1}\n`).join("") },
}, async (person) => {
  const { page } = person;
  await person.say("run sed -i -e 's/line 2$/second/' -e 's/line 19$/nineteenth/' a.txt");
  await person.allowOnce();
  await person.rest();
  await person.calls("succeeded").getByTestId("change-chip").click();
  const panel = page.getByTestId("changes");
  await panel.getByRole("row", { name: "added: second" }).waitFor();
  await panel.getByRole("checkbox", { name: "Reviewed" }).check();
  await panel.getByText("1 file, 1 reviewed").waitFor();
  await panel.getByRole("button", { name: "Reject", exact: true }).first().click();
  await dialog(person).getByRole("button", { name: "Reject", exact: true }).click();
  await dialog(person).waitFor({ state: "detached" });
  const text = (await person.file("a.txt")) ?? "";
  assert.ok(text.includes("line 2\n") && text.includes("nineteenth\n"), text);
  // The content is another one, so the mark fell.
  await panel.getByText("1 file, 0 reviewed").waitFor();
  await panel.getByRole("button", { name: "Comment" }).first().click();
  await panel.getByRole("textbox", { name: /^Comment on line/ }).fill("Why in words?");
  await panel.getByRole("button", { name: "Add comment" }).click();
  await panel.getByRole("button", { name: "Send to the agent" }).click();
  await person.transcript.getByText("Why in words?").waitFor();
});

journey("what is rejected while the agent works goes back when its turn ends", {
  files: { "a.txt": "one\ntwo\nthree\n" },
}, async (person) => {
  const { page } = person;
  await promisify(execFile)("mkfifo", [join(person.project, "gate")]);
  await person.say("replace two with zwei in a.txt");
  await person.allowOnce();
  await person.fileBecomes("a.txt", "one\nzwei\nthree\n");
  await person.rest();
  await person.say("run cat gate > out.txt");
  await person.allowOnce();
  await page.getByRole("button", { name: "Changes", exact: true }).click();
  const panel = page.getByTestId("changes");
  await panel.getByRole("row", { name: "added: zwei" }).waitFor();
  await panel.getByRole("button", { name: "Reject", exact: true }).click();
  await dialog(person).getByRole("button", { name: "When the turn ends" }).click();
  await panel.getByText("Waits for the end of the turn").waitFor();
  // The backend keeps it, not the page.
  await page.reload();
  await page.getByText("Waits for the end of the turn").waitFor();
  assert.equal(await person.file("a.txt"), "one\nzwei\nthree\n");
  await writeFile(join(person.project, "gate"), "go on\n");
  await person.fileBecomes("a.txt", "one\ntwo\nthree\n");
  await person.transcript.getByText("Rejected: a.txt.").waitFor();
  await page.getByTestId("waiting-undo").waitFor({ state: "detached" });
});

journey("what a command in the background changes shows on its row, and is undone", {}, async (person) => {
  await promisify(execFile)("mkfifo", [join(person.project, "gate")]);
  await person.say("run (cat gate > late.txt) &");
  await person.allowOnce();
  await person.rest();
  const row = person.calls("succeeded");
  await writeFile(join(person.project, "gate"), "late\n");
  await row.getByTestId("change-chip").filter({ hasText: "late.txt" }).waitFor();
  await row.getByRole("button", { name: /^Undo/ }).click();
  await dialog(person).getByTestId("undo-file").filter({ hasText: "late.txt" }).waitFor();
  await dialog(person).getByRole("button", { name: "Undo", exact: true }).click();
  await person.fileBecomes("late.txt", /** @type {any} */ (null));
});

journey("changes are gone through and accepted by keys, and a mark falls with its content", {
  files: {
    "a.txt": Array.from({ length: 20 }, (_, n) => `line ${n + 1}\n`).join(""),
    "b.txt": "one\n",
  },
}, async (person) => {
  const { page } = person;
  await person.say("run sed -i -e 's/line 2$/second/' -e 's/line 19$/nineteenth/' a.txt; echo two >> b.txt");
  await person.allowOnce();
  await person.rest();
  await page.keyboard.press("Control+Shift+G");
  const panel = page.getByTestId("changes");
  await panel.getByRole("row", { name: "added: second" }).waitFor();
  await panel.getByRole("heading", { name: "Changes" }).focus();
  await page.keyboard.press("a");
  await panel.getByRole("button", { name: "Accepted" }).waitFor();
  await page.keyboard.press("n");
  await panel.locator("[data-testid=place][data-current]", { hasText: "@@ −16" }).waitFor();
  await page.keyboard.press("a");
  // All of the file is accepted, so the file is.
  await panel.getByText("2 files, 1 reviewed").waitFor();
  await page.keyboard.press("n");
  await panel.getByRole("row", { name: "added: two" }).waitFor();
  await page.keyboard.press("r");
  await panel.getByText("2 files, 2 reviewed").waitFor();
  await person.say("run echo three >> b.txt");
  await person.allowOnce();
  await panel.getByText("2 files, 1 reviewed").waitFor();
});

journey("a person goes back to before a message", { files: { "a.txt": "one\n" } }, async (person) => {
  const { page } = person;
  await person.say("run touch made.txt");
  await person.allowOnce();
  await person.fileBecomes("made.txt", "");
  await person.rest();
  await page.getByRole("button", { name: /^Go back to before/ }).click();
  // By keys: what goes back is chosen among three.
  await dialog(person).getByRole("radio", { name: /^Files/ }).focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  assert.ok(await dialog(person).getByRole("radio", { name: /^Both/ }).isChecked());
  await dialog(person).getByRole("button", { name: "Undo", exact: true }).click();
  await person.fileBecomes("made.txt", /** @type {any} */ (null));
  await page.getByTestId("user-message").waitFor({ state: "detached" });
  assert.equal(await person.composer.inputValue(), "run touch made.txt");
});

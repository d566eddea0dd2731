// Calls that are changed before they are approved.

import assert from "node:assert/strict";
import { journey } from "./journey.mjs";

const LINES = Array.from({ length: 30 }, (_, n) => `${n % 10 === 3 ? "old" : "line"} ${n}\n`).join("");

journey("a command is edited before it is approved, and asked about anew", {}, async (person) => {
  const { request } = person;
  await person.say("run touch one.txt");
  const first = await (await person.asked()).getAttribute("data-request");
  await request.getByRole("button", { name: /^Edit/ }).click();
  const field = request.getByRole("textbox", { name: "Command" });
  await person.page.waitForFunction(() => document.querySelector("[data-testid=request] textarea")?.value !== "");
  assert.equal(await field.inputValue(), "touch one.txt");
  await field.fill("touch two.txt");
  const use = request.getByRole("button", { name: "Use my version" });
  await person.page.locator("[data-testid=request][data-armed]").waitFor();
  await use.click();
  // The changed command needs an answer of its own: nothing ran on the first one.
  await person.page.locator(`[data-request="${first}"]`).waitFor({ state: "detached" });
  await (await person.asked()).getByText("This is your version.").waitFor();
  assert.equal(await request.getByTestId("request-command").textContent(), "touch two.txt");
  assert.equal(await person.file("two.txt"), null);
  await person.allowOnce();
  await person.fileBecomes("two.txt", "");
  await person.rest();
  assert.equal(await person.file("one.txt"), null);
});

journey("one place of a change is left out, and a line is commented", {
  files: { "list.txt": LINES },
}, async (person) => {
  const { request } = person;
  await person.say("replace old with new in list.txt");
  await (await person.asked()).getByRole("checkbox", { name: "Taken" }).nth(1).uncheck();
  await request.getByRole("button", { name: "Comment", exact: true }).first().click();
  await request.getByRole("textbox", { name: /^Comment on line/ }).fill("Why only here?");
  await request.getByRole("button", { name: "Add comment" }).click();
  await person.asked();
  await request.getByRole("button", { name: /^Allow 2 of 3 places/ }).click();
  await request.waitFor({ state: "detached" });
  await person.fileBecomes("list.txt", LINES.replace("old 3", "new 3").replace("old 23", "new 23"));
  await person.rest();
});

journey("the new text of a file is edited in the request", {
  files: { "greeting.txt": "hello\nworld\n" },
}, async (person) => {
  const { request } = person;
  await person.say("replace hello with goodbye in greeting.txt");
  await (await person.asked()).getByRole("button", { name: /^Edit/ }).click();
  const field = request.getByRole("textbox", { name: "New content of the file" });
  await field.fill("farewell\nworld\n");
  await request.getByRole("row", { name: "added: farewell" }).waitFor();
  await person.asked();
  await request.getByRole("button", { name: "Allow my version" }).click();
  await person.fileBecomes("greeting.txt", "farewell\nworld\n");
  await person.rest();
  await person.calls("succeeded").getByRole("row", { name: "added: farewell" }).waitFor();
});

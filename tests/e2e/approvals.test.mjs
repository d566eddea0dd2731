// Requests: seen, answered, remembered, and kept over a reload.

import assert from "node:assert/strict";
import { journey } from "./journey.mjs";

const FILES = { "src/greeting.txt": "hello\nworld\n" };
const REPLACE = "replace hello with goodbye in src/greeting.txt";

journey("an edit is approved from its diff", { files: FILES }, async (person) => {
  await person.say(REPLACE);
  const diff = (await person.asked()).getByTestId("diff");
  await diff.getByRole("row", { name: "removed: hello" }).waitFor();
  await diff.getByRole("row", { name: "added: goodbye" }).waitFor();
  await diff.getByRole("row", { name: "world" }).waitFor();
  assert.equal(await person.file("src/greeting.txt"), "hello\nworld\n");
  await person.allowOnce();
  await person.fileBecomes("src/greeting.txt", "goodbye\nworld\n");
  await person.rest();
  // What was done stays to be read.
  await person.calls("succeeded").getByRole("row", { name: "added: goodbye" }).waitFor();
});

journey("a denial's words reach the model", { files: FILES }, async (person) => {
  await person.say(REPLACE);
  await person.deny("Say farewell instead, please.");
  await person.calls("denied").waitFor();
  await person.page
    .getByTestId("assistant-message")
    .getByText("Say farewell instead, please.")
    .waitFor();
  await person.rest();
  assert.equal(await person.file("src/greeting.txt"), "hello\nworld\n");
});

journey("a rule is remembered, and the next such call does not ask", { files: FILES }, async (person) => {
  const { page, request } = person;
  await person.say("run touch one.txt");
  await (await person.asked()).getByRole("button", { name: /^Allow and remember/ }).click();
  const rule = await request.getByRole("textbox", { name: "Rule" }).inputValue();
  assert.match(rule, /^Bash\(touch one\.txt/);
  await request.getByText("Project, only me").click();
  await request.locator("[data-testid=rule-check][data-covers=true]").waitFor();
  await person.asked();
  await request.getByRole("button", { name: "Allow and remember", exact: true }).click();
  await request.waitFor({ state: "detached" });
  await person.fileBecomes("one.txt", "");
  await person.rest();
  const settings = JSON.parse((await person.file(".adroit/settings.local.json")) ?? "null");
  assert.deepEqual(settings.permissions.allow, [rule]);
  // It is told where it came from, too.
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByRole("dialog").getByText(rule).first().waitFor();
  await page.keyboard.press("Escape");

  await person.say("run touch one.txt");
  await person.calls("succeeded").nth(1).waitFor();
  await person.rest();
  await person.say("run touch two.txt");
  await person.allowOnce();
  await person.fileBecomes("two.txt", "");
  await person.rest();
});

journey("a request survives a reload of the page", { files: FILES }, async (person) => {
  const { page, request } = person;
  await person.say(REPLACE);
  const before = await (await person.asked()).getAttribute("data-request");
  await page.reload();
  await person.asked();
  assert.equal(await request.getAttribute("data-request"), before);
  await request.getByRole("row", { name: "added: goodbye" }).waitFor();
  await person.transcript.getByText(REPLACE).waitFor();
  assert.equal(await person.file("src/greeting.txt"), "hello\nworld\n");
  await person.allowOnce();
  await person.fileBecomes("src/greeting.txt", "goodbye\nworld\n");
  await person.rest();
});

journey("each of several edits has an approval of its own", {
  files: { "a.txt": "old\n", "b.txt": "old\n", "c.txt": "old\n" },
}, async (person) => {
  await person.say("replace old with new in all files");
  for (const name of ["a.txt", "b.txt"]) {
    await (await person.asked()).getByTestId("diff").getByText(name).waitFor();
    await person.allowOnce();
    await person.fileBecomes(name, "new\n");
  }
  await (await person.asked()).getByTestId("diff").getByText("c.txt").waitFor();
  await person.deny("Not this one.");
  await person.rest();
  assert.equal(await person.file("c.txt"), "old\n");
});

journey("requests of calls that run side by side queue", {}, async (person) => {
  await person.say("read /etc/hostname and /etc/passwd");
  const place = person.page.getByTestId("request-place");
  await place.getByText("1 of 2").waitFor();
  await person.allowOnce();
  await place.getByText("1 of 1").waitFor();
  await person.deny("That one is private.");
  await person.calls("succeeded").waitFor();
  await person.calls("denied").waitFor();
  await person.rest();
});

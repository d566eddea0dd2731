// The sandbox around commands: what it keeps a command from, and how it is let out once.

import assert from "node:assert/strict";
import { journey } from "./journey.mjs";

// The analysis of a command sees what its words name; what a script does it cannot see.
const SCRIPT = { "build.sh": "echo evil >> .git/hooks/pre-commit\n" };

journey("what the sandbox denies is explained, and runs once outside when asked", { files: SCRIPT }, async (person) => {
  const { page } = person;
  await person.say("run git init -q .");
  await person.allowOnce();
  await person.rest();
  await person.say("run sh build.sh");
  await person.allowOnce();
  await person.rest();
  await person.calls("failed").getByText(/kept back by the sandbox/).first().waitFor();
  assert.equal(await person.file(".git/hooks/pre-commit"), null);

  await person.say("run outside the sandbox sh build.sh");
  const request = await person.asked();
  await request.getByText(/it failed at writing/).first().waitFor();
  await person.allowOnce();
  await person.fileBecomes(".git/hooks/pre-commit", "evil\n");
  await person.rest();

  await page.keyboard.press("Control+,");
  await page.getByRole("tab", { name: "Execution" }).click();
  await page.getByText(/^In force: (bubblewrap|landlock)\./).waitFor();
});

journey("where the sandbox is required nothing leaves it", { files: SCRIPT }, async (person) => {
  const { page } = person;
  await page.keyboard.press("Control+,");
  await page.getByRole("tab", { name: "Execution" }).click();
  await page.getByText("Always", { exact: true }).click();
  await page.getByRole("radio", { name: /^Always/, checked: true }).waitFor();
  await page.keyboard.press("Escape");
  await person.say("run outside the sandbox sh build.sh");
  await person.rest();
  await person.transcript.getByText(/settings require the sandbox/).first().waitFor();
  await person.seesNo(person.request);
});

// Messages that wait: shown, changed, sent in the middle of the work, kept over a reload.

import assert from "node:assert/strict";
import { journey } from "./journey.mjs";

journey("what is said meanwhile waits, is changed, survives a reload, and steers", {}, async (person) => {
  const { page } = person;
  await person.say("run touch one.txt");
  await person.asked();
  await person.composer.fill("tell me about two.txt");
  await person.composer.press("Enter");
  const queued = page.getByTestId("queued");
  await queued.getByText("After this turn").waitFor();
  await queued.getByRole("button", { name: /^Edit queued message/ }).click();
  await queued.getByRole("textbox", { name: "Text of the queued message" }).fill("run touch two.txt");
  await page.keyboard.press("Enter");
  await queued.getByText("run touch two.txt").waitFor();
  await page.reload();
  await queued.getByText("run touch two.txt").waitFor();
  await queued.getByRole("button", { name: /^Steer/ }).click();
  await queued.getByText("Next step").waitFor();
  await person.allowOnce();
  await person.fileBecomes("one.txt", "");
  // It is said with the results, within the same turn: the operator goes on with it.
  await queued.waitFor({ state: "detached" });
  await person.transcript.getByText("run touch two.txt").first().waitFor();
  await person.allowOnce();
  await person.fileBecomes("two.txt", "");
  await person.rest();
});

journey("a rule is composed with its reach, and settles what else waits", {}, async (person) => {
  const { page, request } = person;
  await person.say("read /etc/hostname and /etc/passwd");
  await page.getByTestId("request-place").getByText("1 of 2").waitFor();
  await (await person.asked()).getByRole("button", { name: /^Allow and remember/ }).click();
  await request.getByRole("textbox", { name: "Rule" }).fill("Read(//etc/**)");
  await request.getByTestId("rule-reach").getByText("every file below").waitFor();
  await request.getByText("for an hour").click();
  await request.locator("[data-testid=rule-check][data-covers=true]").waitFor();
  await person.asked();
  await request.getByRole("button", { name: "Allow and remember", exact: true }).click();
  await request.waitFor({ state: "detached" });
  await person.rest();
  assert.equal(await person.calls("denied").count(), 0);
});

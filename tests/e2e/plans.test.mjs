// Plan mode: a plan is approved, edited, or sent back, and the mode follows the person.

import assert from "node:assert/strict";
import { journey } from "./journey.mjs";

const PLAN = "plan create a.txt with one then create b.txt with two";

/** @param {import("./person.mjs").Person} person */
async function planning(person) {
  const { page } = person;
  await page.getByRole("button", { name: /^Mode: / }).click();
  await page.getByRole("menuitemradio", { name: /^Plan/ }).click();
  await page.getByRole("button", { name: /^Mode: Plan/ }).waitFor();
}

journey("a plan is approved, and goes on in the mode that was chosen", {}, async (person) => {
  const { page, request } = person;
  await planning(person);
  await person.say(PLAN);
  await person.asked();
  await request.getByRole("listitem").getByText("create b.txt with two").waitFor();
  assert.equal(await person.file("a.txt"), null);
  await request.getByRole("button", { name: "Approve and accept edits" }).click();
  await person.fileBecomes("b.txt", "two");
  await person.rest();
  assert.equal(await person.file("a.txt"), "one");
  await page.getByRole("button", { name: /^Mode: Accept edits/ }).waitFor();
  await person.calls("succeeded").first().getByText("approved, edits are accepted").waitFor();
});

journey("a plan is edited before it is approved, by keys", {}, async (person) => {
  const { page, request } = person;
  const { keyboard } = page;
  await planning(person);
  await person.say(PLAN);
  await person.asked();
  await keyboard.press("Control+.");
  await page.locator("[data-testid=request]:focus").waitFor();
  await keyboard.press("e");
  const text = request.getByRole("textbox", { name: /^Plan/ });
  await text.fill("1. create c.txt with three");
  await request.getByText("This is what the agent will carry out:").waitFor();
  await person.asked();
  await request.getByRole("button", { name: /^Approve my version/ }).click();
  // Edits are asked about again: that is the mode that was chosen.
  await request.getByTestId("diff").waitFor();
  await page.getByRole("button", { name: /^Mode: Ask/ }).waitFor();
  await person.allowOnce();
  await person.fileBecomes("c.txt", "three");
  await person.rest();
  assert.equal(await person.file("a.txt"), null);
});

journey("who declines keeps planning", {}, async (person) => {
  const { page, request } = person;
  await planning(person);
  await person.say(PLAN);
  await person.asked();
  await request.getByRole("button", { name: /^Keep planning/ }).click();
  await request.getByRole("textbox", { name: /think about again/ }).fill("Mind the tests.");
  await request.getByRole("button", { name: "Keep planning", exact: true }).click();
  await request.waitFor({ state: "detached" });
  await person.calls("denied").getByText("not approved").waitFor();
  await page.getByTestId("assistant-message").getByText("Mind the tests.").waitFor();
  await person.rest();
  await page.getByRole("button", { name: /^Mode: Plan/ }).waitFor();
  assert.equal(await person.file("a.txt"), null);
});

journey("outside of plan mode nothing is presented", {}, async (person) => {
  await person.say(PLAN);
  await person.calls("failed").first().waitFor();
  await person.rest();
  assert.equal(await person.file("a.txt"), null);
});

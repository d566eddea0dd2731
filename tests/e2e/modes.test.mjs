// Modes that ask less: what they let run, what they still leave to the person.

import assert from "node:assert/strict";
import { journey } from "./journey.mjs";

/**
 * Chooses a mode in the composer's menu.
 * @param {import("playwright-core").Page} page
 * @param {RegExp} name
 */
async function choose(page, name) {
  await page.getByRole("button", { name: /^Mode: / }).click();
  await page.getByRole("menuitemradio", { name }).click();
}

journey("bypassing is confirmed once, and what is protected still asks", {}, async (person) => {
  const { page } = person;
  const question = page.getByRole("alertdialog", { name: "Bypass permissions?" });
  await choose(page, /^Bypass permissions/);
  await question.getByRole("button", { name: "Cancel" }).click();
  await question.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Mode: Ask" }).waitFor();

  await choose(page, /^Bypass permissions/);
  await question.getByRole("button", { name: "Bypass permissions" }).click();
  await page.getByRole("button", { name: "Mode: Bypass permissions" }).waitFor();
  await person.say("run touch one.txt");
  await person.fileBecomes("one.txt", "");
  await person.rest();
  await person.seesNo(person.request);

  // A file that runs by itself later is asked about in every mode.
  await person.say("run touch .bashrc");
  await person.deny("leave it alone");
  await person.rest();
  assert.equal(await person.file(".bashrc"), null);

  await choose(page, /^Ask/);
  await page.getByRole("button", { name: "Mode: Ask" }).waitFor();
  await choose(page, /^Bypass permissions/);
  await page.getByRole("button", { name: "Mode: Bypass permissions" }).waitFor();
  await person.seesNo(question);
});

journey("auto mode decides everyday work, says why, and leaves the rest", {}, async (person) => {
  const { page } = person;
  const inspector = page.getByRole("complementary", { name: "Inspector" });
  const classifier = inspector.getByTestId("classifier");
  await choose(page, /^Auto/);
  await page.getByRole("button", { name: "Mode: Auto" }).waitFor();
  await person.say("run touch one.txt");
  await person.fileBecomes("one.txt", "");
  await person.rest();
  await person.seesNo(person.request);
  const made = person.calls("succeeded").first();
  await made.hover();
  await made.getByRole("button", { name: /^Why\?/ }).click();
  await classifier.getByText("local rule table").waitFor();
  assert.match((await classifier.textContent()) ?? "", /^Allowed by the classifier/);

  await person.say("run rm one.txt");
  await (await person.asked()).getByText(/local rule table/).first().waitFor();
  await person.deny("keep it");
  await person.rest();
  assert.equal(await person.file("one.txt"), "");
  const kept = person.calls("denied").first();
  await kept.hover();
  await kept.getByRole("button", { name: /^Why\?/ }).click();
  await classifier.getByText("Left to you").waitFor();
  await inspector.getByTestId("consent").getByText("keep it").waitFor();
});

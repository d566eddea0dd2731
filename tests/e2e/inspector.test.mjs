// Why a call was asked about, and what other rules would have decided of those before.

import assert from "node:assert/strict";
import { journey } from "./journey.mjs";

/** Files of a project with a rule that asks. */
const files = {
  ".adroit/settings.json": `{\n  "permissions": {\n    "ask": ["Bash(touch:*)"]\n  }\n}\n`,
};

/**
 * Opens the inspector on a call that stands alone.
 * @param {import("./person.mjs").Person} person
 * @param {import("playwright-core").Locator} call
 */
async function why(person, call) {
  await call.hover();
  await call.getByRole("button", { name: /^Why\?/ }).click();
  return person.page.getByRole("complementary", { name: "Inspector" });
}

/**
 * What the what-if box found: each call with what was and would be decided.
 * @param {import("playwright-core").Locator} inspector
 */
async function compared(inspector) {
  await inspector.getByRole("button", { name: "Compare" }).click();
  return inspector.getByTestId("what-if");
}

journey(
  "why a call asked, and what would have been decided otherwise",
  { files },
  async (person) => {
    await person.say("run touch one.txt");
    await person.allowOnce();
    await person.rest();
    await person.say("run touch two.txt");
    await person.deny("not this one");
    await person.rest();

    const inspector = await why(person, person.calls("denied").first());
    await inspector.getByText("not this one").first().waitFor();
    const stages = inspector.getByTestId("stage");
    assert.equal(await stages.count(), 14);
    assert.equal(await stages.nth(7).getAttribute("data-outcome"), "ended");
    assert.match((await stages.nth(9).textContent()) ?? "", /^10Run.*not reached/);
    const rules = inspector.getByRole("region", { name: "Rules that matched" });
    await rules.getByText("Bash(touch:*)").waitFor();

    // A page of the web opens no files: the place is copied, or it is said where the file is.
    await rules.getByRole("button", { name: /\.adroit\/settings\.json:3:13$/ }).click();
    await person.page.getByText(/\.adroit\/settings\.json:3:13 could|^Copied .*:3:13$/).waitFor();

    const text = inspector.getByRole("textbox", { name: /^Rules, one a line/ });
    assert.equal(await text.inputValue(), "ask Bash(touch:*)");
    await text.fill("allow Bash(touch one.txt)\ndeny Bash(touch two.txt)");
    let found = await compared(inspector);
    await found.getByText("2 of 2 calls would be decided otherwise.").waitFor();
    const changes = found.getByRole("listitem");
    assert.match((await changes.nth(0).textContent()) ?? "", /^asked.*denied.*touch two\.txt/);
    assert.match((await changes.nth(1).textContent()) ?? "", /^asked.*allowed.*touch one\.txt/);

    await text.fill("");
    await inspector.getByRole("button", { name: /Mode$/ }).click();
    await person.page.getByRole("option", { name: "Accept edits" }).click();
    found = await compared(inspector);
    await found
      .getByText(/^asked.*allowed/)
      .nth(1)
      .waitFor();

    // What was found leads on to its call; nothing was changed by trying.
    await found.getByRole("button", { name: "touch one.txt" }).click();
    await inspector
      .getByTestId("consent")
      .getByText(/^Allowed/)
      .waitFor();
    await person.say("run touch three.txt");
    await person.asked();
  },
);

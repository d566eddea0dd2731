// Questions of the agent: answered, declined, kept over a reload, and to be read afterwards.

import assert from "node:assert/strict";
import { journey } from "./journey.mjs";

const ASK = "ask me which colour? red, green or blue";

journey("a question is answered by keys alone, and only when it was seen", {}, async (person) => {
  const { page, composer, request } = person;
  const { keyboard } = page;
  await person.say(ASK);
  await person.asked();
  // The composer keeps the focus, and what is typed there answers nothing.
  await keyboard.type("a");
  assert.equal(await composer.inputValue(), "a");
  await keyboard.press("Backspace");
  await keyboard.press("Control+.");
  await page.locator("[data-testid=request]:focus").waitFor();
  await person.asked();
  // Nothing is chosen, so nothing is sent.
  await keyboard.press("a");
  assert.ok(await request.getByRole("button", { name: /^Send answer/ }).isDisabled());
  await keyboard.press("Tab");
  await keyboard.press("Space");
  await keyboard.press("ArrowDown");
  await request.getByRole("radio", { name: "green" }).and(page.locator(":checked")).waitFor();
  await keyboard.press("a");
  await request.waitFor({ state: "detached" });
  await person.rest();
  // Who answered from the request goes on in the composer.
  await page.locator("textarea:focus").waitFor();
  const call = person.calls("succeeded");
  await call.locator("[data-chosen]").getByText("green").waitFor();
  await page.getByTestId("assistant-message").getByText("You answered:").waitFor();
});

journey("a question takes other words, and survives a reload", {}, async (person) => {
  const { page, request } = person;
  await person.say(ASK);
  const before = await (await person.asked()).getAttribute("data-request");
  await page.reload();
  await person.asked();
  assert.equal(await request.getAttribute("data-request"), before);
  const field = request.getByRole("textbox", { name: /^Other answer/ });
  await field.fill("ultraviolet");
  assert.ok(await request.getByRole("radio", { name: "Other" }).isChecked());
  // Enter alone sends nothing out of a text.
  await field.press("Enter");
  assert.equal(await request.getAttribute("data-request"), before);
  await field.press("Control+Enter");
  await request.waitFor({ state: "detached" });
  await person.rest();
  await person.calls("succeeded").getByText("ultraviolet").first().waitFor();
  // Why, by whom and when.
  await person.calls("succeeded").getByRole("button", { name: /Why/ }).click();
  const consent = page.getByTestId("consent");
  await consent.getByText("Answered").waitFor();
  assert.match((await consent.textContent()) ?? "", /Answered by you after .* at /);
});

journey("several choices are made together", {}, async (person) => {
  const { request } = person;
  await person.say('ask me "Which formats?" any of JSON, CSV or "plain text"');
  await person.asked();
  await request.getByText("JSON").click();
  await request.getByText("plain text").click();
  await request.getByRole("textbox", { name: /^Other answer/ }).fill("and TOML");
  await person.asked();
  await request.getByRole("button", { name: /^Send answer/ }).click();
  await request.waitFor({ state: "detached" });
  await person.rest();
  const chosen = person.calls("succeeded").locator("[data-chosen]");
  assert.equal(await chosen.count(), 3);
});

journey("a question is declined with words", {}, async (person) => {
  const { page, request } = person;
  await person.say(ASK);
  await person.asked();
  await request.getByRole("button", { name: /^Decline/ }).click();
  await request.getByRole("textbox", { name: /instead/ }).fill("Ask the painter.");
  await request.getByRole("button", { name: "Decline", exact: true }).click();
  await request.waitFor({ state: "detached" });
  await person.calls("denied").getByText("You declined: Ask the painter.").waitFor();
  await page.getByTestId("assistant-message").getByText("Ask the painter.").waitFor();
  await person.rest();
});

journey("a question is not decided among others in the inbox", {}, async (person) => {
  const { page, request } = person;
  await person.say(ASK);
  await person.asked();
  await page.getByRole("button", { name: /^Inbox: 1 request/ }).click();
  const group = page.getByTestId("inbox-group");
  await group.getByText("Which colour?").first().waitFor();
  assert.equal(await group.getByRole("button", { name: /once$/ }).count(), 0);
  await group.getByRole("button", { name: "Open" }).click();
  await person.asked();
  await request.getByText("blue").click();
  await person.asked();
  await request.getByRole("button", { name: /^Send answer/ }).click();
  await request.waitFor({ state: "detached" });
  await person.rest();
});

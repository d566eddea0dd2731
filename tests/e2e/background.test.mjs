// Commands that ask, that go on in the background, and that flood.

import assert from "node:assert/strict";
import { journey } from "./journey.mjs";
import { eventually, isRunning } from "./person.mjs";

journey("a command that asks is answered in the conversation", {}, async (person) => {
  const { page } = person;
  await person.say("run read -r -p 'Your name? ' name; echo \"got:$name\" > typed.txt");
  await person.allowOnce();
  const form = page.getByTestId("terminal-input");
  await form.getByText("Your name?").waitFor();
  const field = form.getByRole("textbox");
  assert.equal(await field.getAttribute("type"), "text");
  await field.fill("Ada");
  await field.press("Enter");
  await person.fileBecomes("typed.txt", "got:Ada\n");
  await person.rest();
  await form.waitFor({ state: "detached" });
});

journey("a secret is typed into a password field and shows nowhere", {}, async (person) => {
  const { page } = person;
  await person.say("run read -r -s -p 'Password: ' word; echo; echo \"${#word} letters\" > length.txt");
  await person.allowOnce();
  const form = page.getByTestId("terminal-input");
  const field = form.locator("input[type=password]");
  await field.fill("hunter22");
  await form.getByRole("button", { name: "Send" }).click();
  await person.fileBecomes("length.txt", "8 letters\n");
  await person.rest();
  await page.getByRole("button", { name: "Terminal", exact: true }).click();
  await page.getByTestId("terminal-screen").getByText("Password:").first().waitFor();
  assert.ok(!(await page.content()).includes("hunter22"));
});

journey("a running command is moved to the background, and ended there", {}, async (person) => {
  const { page } = person;
  // A number of seconds that no other program sleeps.
  const seconds = String(1_000_000 + Math.floor(Math.random() * 8_000_000));
  await person.say(`run echo begun; sleep ${seconds}; touch after.txt`);
  await person.allowOnce();
  await eventually("the command to run", () => isRunning(["sleep", seconds]));
  await page.getByRole("button", { name: "Terminal", exact: true }).click();
  await page.getByRole("tab", { name: /sleep/ }).waitFor();
  await page.getByRole("button", { name: "Processes" }).click();
  await page.getByTestId("processes").getByText(`sleep ${seconds}`, { exact: true }).waitFor();
  await page.getByRole("button", { name: "Move to background" }).click();
  // The call is over, and the command is not.
  await person.rest();
  await person.calls("succeeded").getByText("background", { exact: true }).waitFor();
  assert.ok(await isRunning(["sleep", seconds]));
  await page.getByRole("button", { name: "End terminal" }).click();
  await eventually("the command's end", async () => !(await isRunning(["sleep", seconds])));
  await page.getByRole("button", { name: "Remove terminal" }).waitFor();
  // The model is told at the next boundary.
  await person.say("help");
  await person.rest();
  await person.transcript.getByText(/was ended by the user/).first().waitFor();
});

journey("a running command is moved to the background from its row", {}, async (person) => {
  const { page } = person;
  const seconds = String(1_000_000 + Math.floor(Math.random() * 8_000_000));
  await person.say(`run sleep ${seconds}; touch after.txt`);
  await person.allowOnce();
  await page.getByRole("button", { name: /^To the background: sleep/ }).click();
  await person.rest();
  await person.calls("succeeded").getByText("background", { exact: true }).waitFor();
  assert.ok(await isRunning(["sleep", seconds]));
});

journey("a flood shows its end, and the page stays usable", {}, async (person) => {
  const { page } = person;
  await person.say("run yes 'a line of a flood' | head -c 20000000; echo; echo the-end-of-it; touch flood.txt");
  await person.allowOnce();
  await page.getByRole("button", { name: "Terminal", exact: true }).click();
  const screen = page.getByTestId("terminal-screen");
  await screen.getByText("the-end-of-it").first().waitFor();
  await person.rest();
  await page.getByRole("button", { name: "Find" }).click();
  const find = page.getByRole("textbox", { name: "Find in the terminal" });
  await find.fill("the-end-of-it");
  await find.press("Enter");
  await find.fill("no such words");
  await find.press("Enter");
  await page.getByText("Not found").waitFor();
});

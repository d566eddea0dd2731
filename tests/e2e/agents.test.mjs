// Agents: what they do shows in the row that started them, opens beside it, and asks by name.

import assert from "node:assert/strict";
import { journey } from "./journey.mjs";

const REVIEWER = `---
name: reviewer
description: Looks at what was changed.
tools: Read, Grep
---
You review.
`;
const FILES = {
  "a.txt": "alpha\n",
  "b.txt": "beta\n",
  ".claude/agents/reviewer.md": REVIEWER,
  ".claude/agents/broken.md": "You are an agent.",
};

journey("two agents explore, and their conversations open beside their rows", { files: FILES }, async (person) => {
  const { page } = person;
  await person.say('use explore agents to "find alpha" and "read b.txt"');
  const row = person.calls("succeeded").filter({ hasText: "Agent explore: find alpha" });
  await row.waitFor();
  await person.rest();
  await row.getByRole("button", { name: /Agent explore: find alpha/ }).first().click();
  const block = row.getByTestId("sub-session");
  await block.getByTestId("sub-call").getByText("alpha").waitFor();
  await block.getByRole("button", { name: /^Open the agent’s conversation/ }).click();
  const panel = page.getByTestId("agent-panel");
  await panel.getByRole("heading", { name: "Agent: find alpha" }).waitFor();
  await panel.getByTestId("user-message").getByText("find alpha").waitFor();
  // Why its call was allowed.
  await panel.getByTestId("call").first().hover();
  await panel.getByRole("button", { name: /^Why\?/ }).first().click();
  await page.getByTestId("inspector").getByText("Input").first().waitFor();
  await page.keyboard.press("Escape");
  await panel.getByRole("button", { name: "Close the agent’s conversation" }).click();
  await panel.waitFor({ state: "detached" });
});

journey("an agent asks by its name, and what it changed goes back with the turn", { files: FILES }, async (person) => {
  const { page } = person;
  await person.say('use an agent to create c.txt with "new"');
  await (await person.asked()).getByText("general-purpose").first().waitFor();
  await person.allowOnce();
  await (await person.asked()).getByText(/general-purpose: create c\.txt/).first().waitFor();
  // What it waits for shows in its row.
  await page.getByTestId("sub-call").getByRole("img", { name: "waits for you" }).waitFor();
  await person.allowOnce();
  await person.fileBecomes("c.txt", "new");
  await person.rest();
  await page.getByRole("button", { name: /^Go back to before/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Undo", exact: true }).click();
  await person.fileBecomes("c.txt", /** @type {any} */ (null));
  // The kinds that files define, and the file that defines none.
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByRole("tab", { name: "Agents" }).click();
  const kinds = page.getByTestId("agent-kind");
  await kinds.filter({ hasText: "reviewer" }).getByText("Read, Grep").waitFor();
  await kinds.filter({ hasText: "broken.md" }).getByText("must begin with").waitFor();
  assert.equal(await kinds.count(), 4);
});

// What the transcript folds and unfolds.

import assert from "node:assert/strict";
import { journey } from "./journey.mjs";

journey("a tour's reads fold into a row that names its targets", {
  files: {
    "README.md": "# A thing\n\nIt greets.\n",
    "Cargo.toml": '[package]\nname = "thing"\n',
    "src/main.rs": "fn main() {}\n",
  },
}, async (person) => {
  await person.say("tour");
  await person.rest();
  const group = person.transcript.getByRole("region", { name: /^Read \d+ files$/ });
  await group.getByText("README.md", { exact: true }).waitFor();
  await group.getByText("Cargo.toml", { exact: true }).waitFor();
  await person.seesNo(group.getByTestId("call"));
  await group.getByRole("button", { expanded: false }).click();
  const calls = group.getByTestId("call");
  await calls.filter({ hasText: "README.md" }).waitFor();
  assert.ok((await calls.count()) >= 3);
  // Each opens by itself and shows what it read.
  await calls.filter({ hasText: "README.md" }).getByRole("button", { expanded: false }).click();
  await calls.getByText("It greets.").waitFor();
});

journey("a session is opened again with what it had", { files: { "a.txt": "one\n" } }, async (person) => {
  const { page } = person;
  await person.say("read a.txt");
  await person.rest();
  await page.getByRole("button", { name: "New session" }).click();
  await person.transcript.getByText("What shall we do?").waitFor();
  await page.getByRole("navigation", { name: "Sessions" }).getByText("read a.txt").click();
  await person.calls("succeeded").getByText("a.txt").first().waitFor();
});

journey("a word is found in what a folded read gave", {
  files: { "README.md": "# A thing\n\nIt greets the lighthouse.\n", "Cargo.toml": '[package]\nname = "thing"\n' },
}, async (person) => {
  const { page } = person;
  await person.say("tour");
  await person.rest();
  await person.say("read README.md");
  await person.rest();
  await page.keyboard.press("Control+f");
  const find = page.getByRole("search", { name: "Find in the conversation" });
  await find.getByRole("textbox").fill("LIGHTHOUSE");
  await find.getByTestId("find-count").getByText(/^\d+ of \d+$/).waitFor();
  await find.getByTestId("find-excerpt").getByText("It greets the lighthouse.").waitFor();
  // The call that gave it is opened and marked, though its row had folded away.
  const found = page.locator("[data-found]");
  await found.getByText("It greets the lighthouse.").waitFor();
  const before = await find.getByTestId("find-count").textContent();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Shift+Enter");
  assert.equal(await find.getByTestId("find-count").textContent(), before);
  await page.keyboard.press("Escape");
  await person.seesNo(found);
});

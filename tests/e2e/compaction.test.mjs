// A conversation that is compacted: nothing is lost to the person, and they see where and why.

import assert from "node:assert/strict";
import { journey } from "./journey.mjs";

/** Long enough that a summary is shorter. */
const FILES = { "a.txt": "alpha and more\n".repeat(80), "b.txt": "beta\n" };

journey("a conversation is compacted by its button and by the command", { files: FILES }, async (person) => {
  const { page, transcript } = person;
  await person.say("read a.txt");
  await person.rest();
  await person.say("read b.txt");
  await person.rest();
  await page.getByRole("button", { name: "Compact conversation" }).click();
  const marker = page.getByTestId("compaction");
  await marker.getByText(/about [\d,]+ tokens to [\d,]+/).waitFor();
  await marker.getByText("You asked for it.").waitFor();
  await marker.getByRole("button").click();
  await page.getByTestId("compaction-summary").getByText("read a.txt", { exact: true }).waitFor();
  // The state is the backend's: a reload shows the same.
  await page.reload();
  await marker.waitFor();
  // Going back to before it takes it away.
  await page.getByRole("button", { name: "Go back to before: read b.txt" }).click();
  await page.getByText("The message and what followed go out of it").click();
  await page.getByRole("dialog").getByRole("button", { name: "Undo", exact: true }).click();
  await marker.waitFor({ state: "detached" });
  // By the command, with words.
  await person.say("read b.txt");
  await person.rest();
  await person.composer.fill("/compact keep the names");
  await person.composer.press("Enter");
  await marker.getByText("keep the names").waitFor();
  await person.rest();
  assert.equal(await transcript.getByText("/compact").count(), 0);
  // What is above stays, and is found.
  await page.keyboard.press("Control+f");
  const find = page.getByRole("search", { name: "Find in the conversation" });
  await find.getByRole("textbox").fill("alpha and more");
  await find.getByTestId("find-count").getByText(/^\d+ of \d+$/).waitFor();
});

// All by keys, and no key that was meant for something else.

import assert from "node:assert/strict";
import { journey } from "./journey.mjs";

const FILES = { "greeting.txt": "hello\nworld\n" };

journey("a folder is trusted, and requests are answered, by keys alone", { files: FILES, unknown: true }, async (person) => {
  const { page, composer, request } = person;
  const { keyboard } = page;
  // The question has the focus; its first button follows.
  await page.locator("#trust-heading:focus").waitFor();
  await keyboard.press("Tab");
  await keyboard.press("Enter");
  await page.locator("textarea:focus").waitFor();

  await keyboard.type("replace hello with goodbye in greeting.txt");
  await keyboard.press("Enter");
  await person.asked();
  await keyboard.press("Control+.");
  await page.locator("[data-testid=request]:focus").waitFor();
  await keyboard.press("d");
  await keyboard.type("Rather not.");
  await keyboard.press("Enter");
  await request.waitFor({ state: "detached" });
  await person.rest();
  assert.equal(await person.file("greeting.txt"), FILES["greeting.txt"]);

  // Who answered from the request goes on in the composer.
  await page.locator("textarea:focus").waitFor();
  await keyboard.type("replace hello with goodbye in greeting.txt");
  await keyboard.press("Enter");
  await person.asked();
  // Letters belong to the composer as long as it has the focus.
  await keyboard.press("a");
  assert.equal(await composer.inputValue(), "a");
  await keyboard.press("Backspace");
  await keyboard.press("Control+.");
  await keyboard.press("a");
  await person.fileBecomes("greeting.txt", "goodbye\nworld\n");
  await person.rest();
});

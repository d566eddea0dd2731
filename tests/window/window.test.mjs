// The built app in its real webview.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Desktop } from "./desktop.mjs";

let desktop;

before(async () => {
  desktop = await Desktop.open({ "README.md": "# A thing\n", "src/greeting.txt": "hello\n" });
});

after(() => desktop?.close());

test("the window shows the app", async () => {
  await desktop.session.find("#root *");
  await desktop.picture("window-opened");
  assert.equal(await desktop.session.run("return document.title"), "Adroit");
});

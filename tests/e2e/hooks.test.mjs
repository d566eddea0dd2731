// Hooks: a guard that says no, and how a person finds out why.

import assert from "node:assert/strict";
import { journey } from "./journey.mjs";

const SETTINGS = {
  hooks: {
    PreToolUse: [
      {
        matcher: "Bash",
        hooks: [
          { type: "command", if: "Bash(touch *)", command: "echo 'ask the release crew first' >&2; exit 2" },
          { type: "command", if: "Bash(mkdir *)", command: "./missing-guard.sh" },
        ],
      },
    ],
  },
};
const FILES = { "a.txt": "alpha\n", ".claude/settings.json": JSON.stringify(SETTINGS, null, 2) };

journey("a hook blocks a call, and the person sees which and why", { files: FILES }, async (person) => {
  const { page } = person;
  await person.say("run touch b.txt");
  const denied = person.calls("denied");
  await denied.waitFor();
  await person.rest();
  assert.equal(await person.file("b.txt"), null);
  // The settings tell where the hook stands and what it last did.
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByRole("tab", { name: "Hooks" }).click();
  const hook = page.getByTestId("hook").first();
  await hook.getByText(".claude/settings.json:").waitFor();
  await hook.getByTestId("hook-run").getByText("Blocked").waitFor();
  await hook.getByText("ask the release crew first").first().waitFor();
  await page.keyboard.press("Escape");
});

journey("a hook that cannot start is shown, and the question is asked", { files: FILES }, async (person) => {
  const { page } = person;
  await person.say("run mkdir out");
  await person.transcript.getByText("could not be started").waitFor();
  await person.allowOnce();
  await person.rest();
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByRole("tab", { name: "Hooks" }).click();
  await page.getByTestId("hook").nth(1).getByText("Could not start").waitFor();
});

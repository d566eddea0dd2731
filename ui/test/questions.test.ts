import { describe, expect, it } from "vitest";
import { armed, given, useStories } from "./browser.ts";

const open = useStories();
const send = { name: /^Send answers/ };

describe("a question", () => {
  it("is answered whole, with choices and other words", async () => {
    const page = await open("question");
    const card = page.getByTestId("request");
    expect(await card.getByRole("button", send).isDisabled()).toBe(true);
    await card.getByRole("radiogroup", { name: /Where shall the lamp/ }).waitFor();
    await card.getByText("SQLite").click();
    expect(await card.getByRole("button", send).isDisabled()).toBe(true);
    await card.getByText("JSON").click();
    await card.getByRole("textbox", { name: "Other answer: Formats" }).fill("INI, too");
    await armed(page);
    await card.getByRole("button", send).click();
    await card.waitFor({ state: "detached" });
    const answers = [{ chosen: [1] }, { chosen: [1], other: "INI, too" }];
    expect(await given(page, "request.answer")).toEqual([
      {
        session: "ses_1",
        request: "req_q",
        nonce: "nonce-q",
        answer: { type: "allow_changed", change: { type: "answers", answers } },
      },
    ]);
  });

  it("takes words in place of a choice, and a choice in place of words", async () => {
    const page = await open("question");
    const card = page.getByTestId("request");
    const words = card.getByRole("textbox", { name: "Other answer: Storage" });
    await card.getByText("SQLite").click();
    await words.fill("paper");
    expect(await card.getByRole("radio", { name: /^SQLite/ }).isChecked()).toBe(false);
    expect(await card.getByRole("radio", { name: "Other" }).isChecked()).toBe(true);
    await card.getByText("The keyring").click();
    expect(await card.getByRole("radio", { name: "Other" }).isChecked()).toBe(false);
    // What was written is not lost for that.
    expect(await words.inputValue()).toBe("paper");
  });

  it("takes no letter of a text, and no Enter in it, for an answer", async () => {
    const page = await open("question");
    const card = page.getByTestId("request");
    await card.getByText("TOML").click();
    const words = card.getByRole("textbox", { name: "Other answer: Storage" });
    await words.click();
    await armed(page);
    await page.keyboard.type("add a drawer");
    await page.keyboard.press("Enter");
    expect(await words.inputValue()).toBe("add a drawer");
    expect(await given(page, "request.answer")).toEqual([]);
    await page.keyboard.press("Control+Enter");
    await card.waitFor({ state: "detached" });
    expect(await given(page, "request.answer")).toHaveLength(1);
  });

  it("is declined with words", async () => {
    const page = await open("question");
    const card = page.getByTestId("request");
    await armed(page);
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await page.keyboard.press("d");
    await page.keyboard.type("Neither, for now.");
    await page.keyboard.press("Enter");
    await card.waitFor({ state: "detached" });
    const [sent] = (await given(page, "request.answer")) as { answer: unknown }[];
    expect(sent?.answer).toEqual({ type: "deny", words: "Neither, for now." });
  });

  it("shows what was chosen once it is answered", async () => {
    const page = await open("question");
    const chosen = page.locator("[data-testid=call] [data-chosen]");
    expect(await chosen.count()).toBe(3);
    await chosen.getByText("and YAML for the old ones").waitFor();
  });
});

describe("a plan", () => {
  it("is approved with the mode to go on in", async () => {
    const page = await open("plan");
    const card = page.getByTestId("request");
    await card.getByRole("listitem").getByText("clamped").waitFor();
    await armed(page);
    await card.getByRole("button", { name: "Approve and accept edits" }).click();
    await card.waitFor({ state: "detached" });
    const [sent] = (await given(page, "request.answer")) as { answer: unknown }[];
    expect(sent?.answer).toEqual({
      type: "allow_changed",
      change: { type: "plan", mode: "acceptEdits" },
    });
  });

  it("is approved by key for the mode that asks most", async () => {
    const page = await open("plan");
    await armed(page);
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await page.keyboard.press("a");
    await page.getByTestId("request").waitFor({ state: "detached" });
    const [sent] = (await given(page, "request.answer")) as { answer: unknown }[];
    expect(sent?.answer).toEqual({
      type: "allow_changed",
      change: { type: "plan", mode: "default" },
    });
  });

  it("is sent back with words", async () => {
    const page = await open("plan");
    const card = page.getByTestId("request");
    await card.getByRole("button", { name: /^Keep planning/ }).click();
    await page.keyboard.type("Mind the old lamps.");
    await armed(page);
    await card.getByRole("button", { name: "Keep planning", exact: true }).click();
    await card.waitFor({ state: "detached" });
    const [sent] = (await given(page, "request.answer")) as { answer: unknown }[];
    expect(sent?.answer).toEqual({ type: "deny", words: "Mind the old lamps." });
  });
});

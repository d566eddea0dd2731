import { describe, expect, it } from "vitest";
import { armed, given, useStories } from "./browser.ts";

const open = useStories();

describe("a request that is changed before it is approved", () => {
  it("allows only the places that are taken, with what is said about lines", async () => {
    const page = await open("edit");
    const card = page.getByTestId("request");
    await card.getByRole("checkbox", { name: "Taken" }).nth(1).uncheck();
    await card.getByRole("button", { name: "Comment on line 12", exact: true }).click();
    await card.getByRole("textbox", { name: "Comment on line 12" }).fill("u8 is enough");
    await page.keyboard.press("Enter");
    await card.getByText("u8 is enough").waitFor();
    await armed(page);
    await card.getByRole("button", { name: /^Allow 1 of 2 places/ }).click();
    await card.waitFor({ state: "detached" });
    expect((await given(page, "request.answer"))[0]?.answer).toEqual({
      type: "allow_changed",
      change: { type: "hunks", rejected: [1] },
      comments: [{ path: "src/lamp.rs", side: "new", line: 12, text: "u8 is enough" }],
    });
  });

  it("allows nothing where nothing is taken, and remembers no rule for a part", async () => {
    const page = await open("edit");
    const card = page.getByTestId("request");
    await card.getByRole("checkbox", { name: "Taken" }).nth(0).uncheck();
    expect(await card.getByRole("button", { name: /^Allow and remember/ }).count()).toBe(0);
    await card.getByRole("checkbox", { name: "Taken" }).nth(0).uncheck();
    const allow = card.getByRole("button", { name: /^Allow 0 of 2/ });
    // It is made ready by the backend: neither state shows at once.
    await expect.poll(() => allow.isDisabled()).toBe(true);
    await card.getByRole("checkbox", { name: "Left out" }).nth(0).check();
    const part = card.getByRole("button", { name: /^Allow 1 of 2/ });
    await expect.poll(() => part.isDisabled()).toBe(false);
  });

  it("uses a command only once the backend has looked at this very text", async () => {
    const page = await open("bash");
    await armed(page);
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await page.keyboard.press("e");
    const card = page.getByTestId("request");
    const field = card.getByRole("textbox", { name: "Command" });
    const use = card.getByRole("button", { name: "Use my version" });
    await card.getByText("Change the command, then use your version.").waitFor();
    expect(await use.isDisabled()).toBe(true);
    await field.fill("cargo test\u202e --workspace");
    await card.getByTestId("draft-command").getByText("\\u{202e}").waitFor();
    await armed(page);
    await use.click();
    await page.getByTestId("request-place").getByText("1 of 1").waitFor();
    expect((await given(page, "request.answer"))[0]?.answer).toEqual({
      type: "allow_changed",
      change: { type: "text", text: "cargo test\u202e --workspace" },
    });
  });

  it("goes back from editing with Escape, and answers nothing by letters meanwhile", async () => {
    const page = await open("edit");
    const card = page.getByTestId("request");
    await card.getByRole("button", { name: /^Edit/ }).click();
    const field = card.getByRole("textbox", { name: "New content of the file" });
    await field.pressSequentially("aaa");
    await armed(page);
    await page.keyboard.press("Control+Enter");
    expect(await given(page, "request.answer")).toEqual([]);
    await card.getByRole("button", { name: "Back" }).press("Escape");
    await card.getByRole("button", { name: /^Allow once/ }).waitFor();
  });
});

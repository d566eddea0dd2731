import { describe, expect, it } from "vitest";
import { given, useStories } from "./browser.ts";

const open = useStories();

describe("the inbox", () => {
  it("decides similar requests of several sessions together, with a veto for one", async () => {
    const page = await open("inbox");
    const inbox = page.getByTestId("inbox");
    const group = inbox.getByTestId("inbox-group").first();
    await group.getByText("2 requests").waitFor();
    await group.getByText("Why is the parser slow").waitFor();
    await group.locator("xpath=.").and(inbox.locator("[data-armed]")).waitFor();
    await group.getByRole("button", { name: "Allow 2 once" }).click();
    await group.getByText("2 requests").waitFor({ state: "detached" });
    expect(await given(page, "request.answer")).toEqual([
      { session: "ses_1", request: "req_1", nonce: "nonce-1", answer: { type: "allow_once" } },
      { session: "ses_2", request: "req_9", nonce: "nonce-9", answer: { type: "allow_once" } },
    ]);
  });

  it("leaves out what is vetoed", async () => {
    const page = await open("inbox");
    const group = page.getByTestId("inbox-group").first();
    await group.getByRole("checkbox").first().uncheck();
    await group.locator("xpath=.").and(page.locator("[data-armed]")).waitFor();
    await group.getByRole("button", { name: "Deny 1" }).click();
    await group.getByText("1 request", { exact: true }).waitFor();
    expect((await given(page, "request.answer")).map(({ request }) => request)).toEqual(["req_9"]);
  });

  it("counts no click made by script", async () => {
    const page = await open("inbox");
    const group = page.getByTestId("inbox-group").first();
    await group.locator("xpath=.").and(page.locator("[data-armed]")).waitFor();
    await group
      .getByRole("button", { name: "Allow 2 once" })
      .evaluate((button: HTMLButtonElement) => button.click());
    expect(await given(page, "request.answer")).toEqual([]);
  });
});

describe("the inspector", () => {
  it("shows what other rules would have decided", async () => {
    const page = await open("inspector");
    const inspector = page.getByTestId("inspector");
    const rules = inspector.getByRole("textbox", { name: /^Rules, one a line/ });
    await rules.fill("allow Bash(cargo test:*)\nnonsense");
    await inspector.getByText("No rule in line 2").waitFor();
    await inspector.getByRole("checkbox", { name: /All sessions/ }).check();
    await inspector.getByRole("button", { name: "Compare" }).click();
    await inspector.getByText("3 of 218 calls would be decided otherwise.").waitFor();
    expect(await given(page, "permissions.what_if")).toEqual([
      {
        session: "ses_1",
        mode: "default",
        rules: [{ behavior: "allow", rule: "Bash(cargo test:*)" }],
        wholeProject: true,
      },
    ]);
  });
});

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import { given, useStories } from "./browser.ts";

const open = useStories();
const panelOf = (page: Awaited<ReturnType<typeof open>>) => page.getByTestId("changes");

/** Elements of the page, and those of the diff's rows. */
const counts = (page: Awaited<ReturnType<typeof open>>) =>
  page.evaluate(() => ({
    all: document.querySelectorAll("*").length,
    rows: document.querySelectorAll("[data-testid=long-diff] [role=row]").length,
    known: Number(document.querySelector<HTMLElement>("[data-testid=long-diff]")?.dataset.rows),
    files: document.querySelectorAll("[data-testid=changed-file]").length,
  }));

describe("the panel of changes", () => {
  it("goes by keys from change to change, within a file and on to the next", async () => {
    const page = await open("many");
    const panel = panelOf(page);
    await panel.getByTestId("long-diff").waitFor();
    const at = (file: string, place: string) =>
      panel
        .getByRole("region", { name: file })
        .locator("[data-current]", { hasText: place })
        .waitFor();
    await at("src/part0/file0.rs", "@@ −1,125 ");
    await panel.getByRole("heading", { name: "Changes" }).focus();
    await page.keyboard.press("n");
    await at("src/part0/file0.rs", "@@ −126,125 ");
    await page.keyboard.press("p");
    await page.keyboard.press("j");
    await at("src/part0/file1.rs", "@@ −1,25 ");
    for (const place of ["−26,25", "−51,25", "−76,25"]) {
      await page.keyboard.press("n");
      await at("src/part0/file1.rs", place);
    }
    await page.keyboard.press("n");
    await at("src/part0/file2.rs", "@@ −1,25 ");
    // And back: to the last change of the file before.
    await page.keyboard.press("p");
    await at("src/part0/file1.rs", "@@ −76,25 ");
    await page.keyboard.press("k");
    await at("src/part0/file0.rs", "@@ −1,125 ");
  });

  it("keeps only what is in sight in the page, of 5,000 lines and of 300 files", async () => {
    const page = await open("many");
    const panel = panelOf(page);
    await panel.getByTestId("long-diff").waitFor();
    await page.evaluate(() => {
      const tasks: number[] = [];
      Object.assign(window, { tasks });
      new PerformanceObserver((list) => {
        tasks.push(...list.getEntries().map((entry) => entry.duration));
      }).observe({ type: "longtask" });
    });
    const first = await counts(page);
    expect(first.known).toBeGreaterThan(5_000);
    expect(first.rows).toBeLessThan(150);
    expect(first.files).toBeLessThan(60);
    expect(first.all).toBeLessThan(4_000);
    const rows = panel.getByTestId("long-diff").getByRole("rowgroup");
    for (let step = 0; step < 30; step += 1) {
      await rows.evaluate((list) => list.scrollBy(0, 2_500));
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
    }
    await rows.evaluate((list) => list.scrollTo(0, list.scrollHeight));
    await panel
      .getByRole("row", { name: /value_4999/ })
      .first()
      .waitFor();
    const last = await counts(page);
    expect(last.rows).toBeLessThan(150);
    expect(last.all).toBeLessThan(4_000);
    const tasks = await page.evaluate(() => (window as unknown as { tasks: number[] }).tasks);
    // For whoever looks: how long the page was busy at a stretch is not the test's to judge.
    console.log(
      `elements ${last.all}, long tasks ${tasks.map(Math.round).join(", ") || "none"} ms`,
    );
  });

  it("folds folders by keys and by pointer, sums them up, and unfolds them for the file that shows", async () => {
    const page = await open("many");
    const panel = panelOf(page);
    await panel.getByTestId("long-diff").waitFor();
    const tree = panel.getByRole("treegrid", { name: "Changed files" });
    const folder = (name: string) => tree.getByRole("row", { name: new RegExp(`^${name}, `) });
    await folder("src").getByText("+3490").waitFor();
    await tree.getByRole("row", { name: "file1.rs", exact: true }).click();
    await panel.getByRole("region", { name: "src/part0/file1.rs" }).waitFor();
    // To the folder, which folds; the file that shows stays.
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    await tree.getByRole("row", { name: "file1.rs", exact: true }).waitFor({ state: "detached" });
    expect(await folder("part0").getAttribute("aria-expanded")).toBe("false");
    await panel.getByRole("region", { name: "src/part0/file1.rs" }).waitFor();
    // A letter is the panel's, not the beginning of a name.
    await page.keyboard.press("j");
    await panel.getByRole("region", { name: "src/part0/file2.rs" }).waitFor();
    await tree.locator("[aria-selected=true]", { hasText: "file2.rs" }).waitFor();
    expect(await folder("part0").getAttribute("aria-expanded")).toBe("true");
    await folder("part0").getByRole("button").click();
    await tree.getByRole("row", { name: "file2.rs", exact: true }).waitFor({ state: "detached" });
    await folder("part1").click();
    await tree.getByRole("row", { name: "file12.rs", exact: true }).waitFor({ state: "detached" });
  });

  it("accepts and rejects single changes, files and all, by keys and by buttons", async () => {
    const page = await open("changes");
    const panel = panelOf(page);
    await panel.getByTestId("place").first().waitFor();
    await panel.getByRole("heading", { name: "Changes" }).focus();
    await page.keyboard.press("a");
    await panel.getByRole("button", { name: "Accepted" }).waitFor();
    expect((await given(page, "changes.review"))[0]).toMatchObject({
      path: "src/dawn.rs",
      hunks: [{ oldStart: 5, newStart: 5 }],
      reviewed: true,
    });
    await panel.getByRole("button", { name: "Reject", exact: true }).nth(1).click();
    const dialog = page.getByTestId("undo-dialog");
    await dialog.getByText("Reject: one place of src/dawn.rs").waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await panel.getByRole("button", { name: "Accept all" }).click();
    await panel.getByText("3 files, 3 reviewed").waitFor();
    expect((await given(page, "changes.review")).at(-1)).toMatchObject({
      hunks: [],
      reviewed: true,
    });
    await panel.getByRole("button", { name: "All accepted" }).waitFor();
  });

  it("lets a rejection wait for the end of the turn, and forgets it on demand", async () => {
    const page = await open("rejecting");
    const dialog = page.getByTestId("undo-dialog");
    await dialog.getByRole("button", { name: "When the turn ends" }).click();
    await dialog.waitFor({ state: "detached" });
    const waiting = panelOf(page).getByTestId("waiting-undo");
    await waiting.getByText("Waits for the end of the turn").waitFor();
    expect(await given(page, "undo.apply")).toHaveLength(0);
    await waiting.getByRole("button", { name: /^Do not reject/ }).click();
    await waiting.waitFor({ state: "detached" });
    expect(await given(page, "undo.forget")).toHaveLength(1);
  });

  it("shows what lines do not show: always where nothing else differs, else on demand", async () => {
    const page = await open("odd");
    const panel = panelOf(page);
    await panel.getByText("The lines read the same.").waitFor();
    await panel.getByRole("row", { name: /CRLF/ }).first().waitFor();
    await panel.getByTestId("changed-file").filter({ hasText: "data.bin" }).click();
    await panel.getByText("This is no text").waitFor();
    await panel.getByTestId("changed-file").filter({ hasText: "logo.svg" }).click();
    await panel.getByRole("img", { name: "The picture, Before" }).waitFor();
    await panel.getByRole("img", { name: "The picture, After" }).waitFor();

    const other = panelOf(await open("changes"));
    await other.getByRole("row", { name: /level \* 2/ }).waitFor();
    expect(await other.getByText("LF", { exact: true }).count()).toBe(0);
    await other.getByRole("button", { name: "Show white space and line endings" }).click();
    await other.getByText("LF", { exact: true }).first().waitFor();
  });

  it("asks the backend anew where white space does not count", async () => {
    const page = await open("changes");
    await panelOf(page).getByTestId("place").first().waitFor();
    await page.getByRole("checkbox", { name: "Ignore white space" }).check();
    await page.waitForFunction(() =>
      window.host.given("changes.file").some((input) => input.ignoreSpace),
    );
  });

  it("stands lines side by side, and a comment below its line in both layouts", async () => {
    const page = await open("changes");
    const panel = panelOf(page);
    await panel.getByTestId("place").first().waitFor();
    await panel.getByRole("heading", { name: "Changes" }).focus();
    await page.keyboard.press("c");
    await panel.getByRole("textbox", { name: /^Comment on line/ }).fill("Why?");
    await panel.getByRole("button", { name: "Add comment" }).click();
    await panel.getByText("1 comment not sent yet").waitFor();
    await panel.getByRole("button", { name: "Side by side" }).click();
    const pair = panel.getByRole("row").filter({ hasText: "level * 2" });
    await pair.filter({ hasText: "Never brighter" }).waitFor();
    await panel.getByRole("row").filter({ hasText: "Why?" }).waitFor();
  });

  it("leaves the conversation its room, or takes all of it and says when the agent asks", async () => {
    const page = await open("waiting");
    const panel = panelOf(page);
    await panel.getByText("The agent waits for an answer.").waitFor();
    const width = async () => (await panel.boundingBox())?.width ?? 0;
    await expect.poll(width).toBeGreaterThan(1_000);
    await panel.getByRole("button", { name: "Show it" }).click();
    await page.getByTestId("request").waitFor();
    await expect.poll(width).toBeLessThan(700);
    const composer = await page.getByRole("textbox", { name: "Message to Adroit" }).boundingBox();
    expect(composer?.width).toBeGreaterThan(250);
  });

  it("shows its keys", async () => {
    const page = await open("changes");
    const panel = panelOf(page);
    await panel.getByRole("heading", { name: "Changes" }).focus();
    await page.keyboard.press("?");
    const keys = panel.getByTestId("changes-keys");
    await keys.getByText("next change, and past the last the next file").waitFor();
    await page.keyboard.press("Escape");
    await keys.waitFor({ state: "detached" });
    await panel.waitFor();
  });

  it("has no serious accessibility faults", async () => {
    const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
    for (const story of ["changes", "many", "odd", "rejecting"]) {
      const page = await open(story);
      await panelOf(page).getByTestId("file-view").waitFor();
      await page.evaluate(axe);
      const faults = await page.evaluate(async () => {
        const { axe: run } = window as unknown as {
          axe: { run(): Promise<{ violations: { id: string; impact: string }[] }> };
        };
        return (await run.run()).violations
          .filter(({ impact }) => impact === "serious" || impact === "critical")
          .map(({ id }) => id);
      });
      expect(faults, story).toEqual([]);
    }
  });
});

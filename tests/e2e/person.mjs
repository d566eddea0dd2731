// What a person sees and does, in the words of the interface.

import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("playwright-core").Locator} Locator */

/** How long the world outside of the page may take, milliseconds. */
const PATIENCE = 30_000;

/** A person at the page of one project. */
export class Person {
  /** @type {Page} */
  page;
  /** The project folder. @type {string} */
  project;

  /**
   * @param {Page} page
   * @param {string} project
   */
  constructor(page, project) {
    this.page = page;
    this.project = project;
  }

  /** The place to type. */
  get composer() {
    return this.page.getByRole("textbox", { name: "Message to Adroit" });
  }

  /** The request that shows. */
  get request() {
    return this.page.getByTestId("request");
  }

  /** The conversation so far. */
  get transcript() {
    return this.page.getByRole("region", { name: "Transcript" });
  }

  /** Answers the trust question with yes. */
  async trust() {
    await this.page.getByRole("heading", { name: "Do you trust this folder?" }).waitFor();
    await this.page.getByRole("button", { name: "Trust this folder" }).click();
    await this.composer.waitFor();
  }

  /**
   * Says something to the model.
   * @param {string} text
   */
  async say(text) {
    const before = await this.page
      .locator("[data-messages]")
      .evaluateAll(([transcript]) => Number(transcript?.getAttribute("data-messages") ?? 0));
    await this.composer.fill(text);
    await this.composer.press("Enter");
    // The whole turn may be over before one looks, and what was said scrolled away: the count stays.
    await this.page.locator(`[data-messages="${before + 1}"]`).waitFor();
  }

  /** Ends the turn; it shows while the model or a call works. */
  get turn() {
    return this.page.getByRole("button", { name: "Stop", exact: true });
  }

  /** Waits until nothing is going on any more. */
  async rest() {
    await this.page.locator("[data-turn=idle]").waitFor();
  }

  /** Waits for a request that was painted, so that answers count. */
  async asked() {
    await this.page.locator("[data-testid=request][data-armed]").waitFor();
    return this.request;
  }

  /** Allows what is asked, once. */
  async allowOnce() {
    const id = await (await this.asked()).getAttribute("data-request");
    await this.request.getByRole("button", { name: /^Allow once/ }).click();
    await this.page.locator(`[data-request="${id}"]`).waitFor({ state: "detached" });
  }

  /**
   * Denies what is asked, with words.
   * @param {string} words
   */
  async deny(words) {
    await (await this.asked()).getByRole("button", { name: /^Deny/ }).click();
    await this.request.getByRole("textbox", { name: /instead/ }).fill(words);
    await this.request.getByRole("button", { name: "Deny", exact: true }).click();
    await this.request.waitFor({ state: "detached" });
  }

  /**
   * Calls in the transcript that stand alone, by status.
   * @param {string} status
   */
  calls(status) {
    return this.transcript.locator(`[data-testid=call][data-status=${status}]`);
  }

  /**
   * A file of the project, or null where there is none.
   * @param {string} name
   */
  async file(name) {
    return readFile(join(this.project, name), "utf8").catch((error) => {
      if (error.code === "ENOENT") return null;
      throw error;
    });
  }

  /**
   * Waits until a file of the project has this text.
   * @param {string} name
   * @param {string} text
   */
  async fileBecomes(name, text) {
    await eventually(`${name} to change`, async () => (await this.file(name)) === text);
  }

  /**
   * What shows nowhere now. To be asked when the page is at rest.
   * @param {Locator} locator
   */
  async seesNo(locator) {
    assert.equal(await locator.count(), 0);
  }
}

/**
 * Waits for something that the page does not show: files and processes.
 * @param {string} what
 * @param {() => Promise<boolean>} probe
 */
export async function eventually(what, probe) {
  const end = Date.now() + PATIENCE;
  while (!(await probe())) {
    assert.ok(Date.now() < end, `waited ${PATIENCE} ms in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/**
 * Whether a program runs anywhere on the machine with exactly these arguments.
 * @param {string[]} line
 */
export async function isRunning(line) {
  const wanted = `${line.join("\0")}\0`;
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    // A process may end while it is looked at.
    const found = await readFile(`/proc/${name}/cmdline`, "utf8").catch(() => "");
    if (found === wanted) return true;
  }
  return false;
}

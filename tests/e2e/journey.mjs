// A journey: a test with a backend, a browser page, and a person at it.

import { mkdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, test } from "node:test";
import { Person } from "./person.mjs";
import { ROOT, Server } from "./server.mjs";

const require = createRequire(join(ROOT, "ui/package.json"));
/** @type {import("playwright-core")} */
const { chromium } = require("playwright-core");

/** Where pictures of failures are kept; git ignores it. */
const ARTIFACTS = join(ROOT, "tests/artifacts");
const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
/** How long anything visible may take, milliseconds: generous, for a loaded machine. */
const PATIENCE = 30_000;
/** How long a journey may take, milliseconds. */
const LIMIT = 180_000;

/** One browser for the journeys of a file. @type {Promise<import("playwright-core").Browser> | undefined} */
let browser;

after(async () => (await browser)?.close());

/**
 * @typedef {object} Plan
 * @property {boolean} [unknown] Leaves the trust question open, which is answered with yes otherwise.
 * @property {import("playwright-core").BrowserContextOptions} [context] Of the browser.
 * @typedef {import("./server.mjs").Options & Plan} JourneyOptions
 */

/**
 * Defines a journey. Each has a fresh backend, project and page.
 * @param {string} name
 * @param {JourneyOptions} options
 * @param {(person: Person) => Promise<void>} steps
 */
export function journey(name, options, steps) {
  test(name, { timeout: LIMIT }, async (context) => {
    try {
      await attempt(name, options, steps);
    } catch (error) {
      // A busy machine deserves a second try, from nothing; that it was needed is not hidden.
      await attempt(name, options, steps);
      context.diagnostic(`FLAKY, passed at the second try: ${name}`);
      console.error(`FLAKY, passed at the second try: ${name}\n${error.stack}`);
    }
  });
}

/**
 * @param {string} name
 * @param {JourneyOptions} options
 * @param {(person: Person) => Promise<void>} steps
 */
async function attempt(name, options, steps) {
  const server = await Server.start(options);
  try {
    await visit(server, name, options, steps);
  } catch (error) {
    if (server.log !== "") console.error(server.log);
    throw error;
  } finally {
    await server.stop();
  }
}

/**
 * @param {Server} server
 * @param {string} name
 * @param {JourneyOptions} options
 * @param {(person: Person) => Promise<void>} steps
 */
async function visit(server, name, options, steps) {
  browser ??= chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ARGUMENTS,
  });
  const context = await (await browser).newContext({
    viewport: { width: 1280, height: 840 },
    ...options.context,
  });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  /** @type {Error[]} */
  const thrown = [];
  page.on("pageerror", (error) => thrown.push(error));
  try {
    await page.goto(server.url);
    const person = new Person(page, server.project);
    if (!options.picker && !options.unknown) {
      await person.trust();
    }
    await steps(person);
    if (thrown.length > 0) {
      throw new AggregateError(thrown, "the page threw errors of its own");
    }
  } catch (error) {
    await mkdir(ARTIFACTS, { recursive: true });
    const file = `e2e-${name.replaceAll(/\W+/g, "-")}.png`;
    await page.screenshot({ path: join(ARTIFACTS, file) }).catch(() => {});
    throw error;
  } finally {
    await context.close();
  }
}

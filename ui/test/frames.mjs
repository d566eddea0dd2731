/**
 * How smooth the review of 5,000 lines and of 300 files is, in a release build of the page.
 *
 *     node test/frames.mjs
 *
 * A frame is what lies between two paints. What is printed beside a budget is not judged: the machine may be
 * busy with something else, and drawing without a graphics card is the processor's work.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { build, preview } from "vite";

/** Two frames of a screen of 60 hertz: one that is late once is not seen, milliseconds. */
const BUDGET = 33.4;
const STEPS = 120;

process.env.NODE_ENV = "production";
const folder = mkdtempSync(join(tmpdir(), "adroit-frames-"));
const input = fileURLToPath(new URL("story.html", import.meta.url));
await build({
  mode: "production",
  logLevel: "error",
  build: { outDir: folder, emptyOutDir: true, rolldownOptions: { input } },
});
const server = await preview({
  logLevel: "error",
  build: { outDir: folder },
  preview: { host: "127.0.0.1", port: 0, strictPort: false },
});
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});

/** The page, with a counter of frames. */
async function open() {
  const page = await browser.newPage({ viewport: { width: 1600, height: 900 } });
  await page.goto(`${server.resolvedUrls?.local[0]}test/story.html?story=many`);
  await page.getByTestId("changes").getByTestId("long-diff").waitFor();
  await page.getByRole("treegrid", { name: "Changed files" }).waitFor();
  await page.evaluate(() => {
    let last = 0;
    const frames = [];
    const tick = (now) => {
      if (last > 0) {
        frames.push(now - last);
      }
      last = now;
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
    window.takeFrames = () => frames.splice(0);
  });
  return page;
}

/**
 * @param {string} what
 * @param {number[]} frames
 */
function report(what, frames) {
  const sorted = [...frames].sort((one, other) => one - other);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  const late = frames.filter((frame) => frame > BUDGET).length;
  const shown = (value) => `${value.toFixed(1)} ms`;
  console.log(
    `${what.padEnd(44)} ${String(frames.length).padStart(4)} frames: middle ${shown(at(0.5))}, ` +
      `95 % within ${shown(at(0.95))} (budget ${shown(BUDGET)}), longest ${shown(at(1))}, ${late} late`,
  );
}

const nextFrame = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));

async function scroll(page, what, selector, by) {
  await page.evaluate(() => window.takeFrames());
  await page.evaluate(
    async ({ selector, by, steps }) => {
      const list = document.querySelector(selector);
      for (let step = 0; step < steps; step += 1) {
        list.scrollBy(0, by);
        await new Promise((done) => requestAnimationFrame(done));
      }
    },
    { selector, by, steps: STEPS },
  );
  report(what, await page.evaluate(() => window.takeFrames()));
}

async function keys(page, what, key, times) {
  await page.getByRole("heading", { name: "Changes" }).focus();
  await page.evaluate(() => window.takeFrames());
  for (let time = 0; time < times; time += 1) {
    await page.keyboard.press(key);
    await nextFrame(page);
  }
  report(what, await page.evaluate(() => window.takeFrames()));
}

try {
  const page = await open();
  await nextFrame(page);
  const lines = "[data-testid=long-diff] [role=rowgroup]";
  await scroll(page, "scrolling 5,000 lines, a screen at a time", lines, 700);
  await scroll(page, "scrolling 5,000 lines, three lines at a time", lines, -57);
  await scroll(page, "scrolling 300 files", "[role=treegrid]", 60);
  await keys(page, "from change to change by N", "n", 60);
  await keys(page, "from file to file by J", "j", 60);
  await keys(page, "side by side and back by S", "s", 20);
  await page.close();
} finally {
  await browser.close();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
}

/**
 * Takes pictures of the stories and looks for accessibility faults.
 *
 *     node test/look.mjs OUT [STORY…]
 */
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";
import { createServer } from "vite";

const [out = "pictures", ...wanted] = process.argv.slice(2);
const stories =
  wanted.length > 0
    ? wanted
    : "picker trust welcome transcript expanded bash question plan edit changed destructive queue asks terminal place settings execution hooks model appearance files inspector remarks".split(
        " ",
      );
mkdirSync(out, { recursive: true });
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const server = await createServer({ server: { port: 0, strictPort: false }, logLevel: "error" });
await server.listen();
const origin = server.resolvedUrls?.local[0] ?? "";
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
let faults = 0;
for (const scheme of ["light", "dark"]) {
  const page = await browser.newPage({
    viewport: { width: Number(process.env.WIDTH ?? 1280), height: 840 },
    colorScheme: scheme,
  });
  page.on("pageerror", (error) => {
    faults += 1;
    console.error("page error:", error.message);
  });
  page.on("console", (message) => {
    if (message.type() === "error") {
      console.error("console:", message.text());
    }
  });
  for (const story of stories) {
    await page.goto(`${origin}test/story.html?story=${story}`, { timeout: 180_000 });
    await page.waitForTimeout(1200);
    await page.screenshot({ path: `${out}/${story}-${scheme}.png` });
    await page.evaluate(axe);
    const violations = await page.evaluate(async () => {
      return (await window.axe.run()).violations;
    });
    for (const { id, impact, help, nodes } of violations) {
      faults += impact === "serious" || impact === "critical" ? 1 : 0;
      console.log(`${story}/${scheme}: ${impact} ${id}: ${help}`);
      for (const node of nodes.slice(0, 4)) {
        console.log("   ", node.target.join(" "), "|", node.any[0]?.message ?? "");
      }
    }
  }
  await page.close();
}
await browser.close();
await server.close();
console.log(faults === 0 ? "No serious faults." : `${faults} serious faults.`);
process.exit(faults === 0 ? 0 : 1);

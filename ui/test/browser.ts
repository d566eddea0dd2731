import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { build, type PreviewServer, preview } from "vite";
import { afterAll, beforeAll } from "vitest";
import type { Commands, PermissionRequest } from "../src/generated/protocol.ts";
import type { FakeHost } from "./fake-host.ts";

/** What the story page leaves on its window. */
declare global {
  interface Window {
    host: FakeHost;
    bashRequest: (part?: Partial<PermissionRequest>) => PermissionRequest;
    editRequest: (part?: Partial<PermissionRequest>) => PermissionRequest;
  }
}

/** Opens stories in a browser; the pages of a test file share one browser and one build. */
export function useStories(): (story: string) => Promise<Page> {
  let server: PreviewServer;
  let browser: Browser;
  let folder: string;
  let last: Page | undefined;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "adroit-stories-"));
    const input = fileURLToPath(new URL("story.html", import.meta.url));
    await build({
      logLevel: "error",
      build: { outDir: folder, emptyOutDir: true, minify: false, rolldownOptions: { input } },
    });
    server = await preview({
      logLevel: "error",
      build: { outDir: folder },
      preview: { host: "127.0.0.1", port: 0, strictPort: false },
    });
    browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      args: ["--no-sandbox"],
    });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return async (story) => {
    await last?.close();
    last = await browser.newPage({ viewport: { width: 1280, height: 840 } });
    await last.goto(`${server.resolvedUrls?.local[0]}test/story.html?story=${story}`);
    await last.waitForFunction(() => window.host !== undefined);
    return last;
  };
}

/** What the backend was given of one command. */
export function given<N extends keyof Commands>(
  page: Page,
  name: N,
): Promise<Commands[N]["input"][]> {
  return page.evaluate((command) => window.host.given(command), name) as Promise<
    Commands[N]["input"][]
  >;
}

/** Waits until answers to the request that shows count. */
export async function armed(page: Page): Promise<void> {
  await page.locator("[data-testid=request][data-armed]").waitFor();
}

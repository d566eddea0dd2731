import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, inject } from "vitest";
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

/** Opens stories in a browser; the pages of a test file share one. */
export function useStories(): (story: string) => Promise<Page> {
  let browser: Browser;
  let last: Page | undefined;
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      args: ["--no-sandbox"],
    });
  });
  afterAll(() => browser?.close());
  return async (story) => {
    await last?.close();
    last = await browser.newPage({ viewport: { width: 1280, height: 840 } });
    await last.goto(`${inject("stories")}?story=${story}`);
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

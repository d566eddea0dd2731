import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, inject } from "vitest";
import type { Commands, PermissionRequest } from "../src/generated/protocol.ts";
import type { Adroit } from "../src/store/adroit.ts";
import type { FakeHost } from "./fake-host.ts";

/** What the story page leaves on its window. */
declare global {
  interface Window {
    host: FakeHost;
    adroit: Adroit;
    bashRequest: (part?: Partial<PermissionRequest>) => PermissionRequest;
    editRequest: (part?: Partial<PermissionRequest>) => PermissionRequest;
    largeText: () => string;
    /** Errors that a test listens for. */
    troubles: string[];
  }
}

/** Opens stories in a browser; the tests of a file share one page, loaded anew for each. */
export function useStories(): (story: string) => Promise<Page> {
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      args: ["--no-sandbox"],
    });
    page = await browser.newPage({ viewport: { width: 1280, height: 840 } });
  });
  afterAll(() => browser?.close());
  return async (story) => {
    await page.goto(`${inject("stories")}?story=${story}`);
    await page.waitForFunction(() => window.host !== undefined);
    return page;
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

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, preview } from "vite";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    /** Where the stories are served. */
    stories: string;
  }
}

/** Builds the stories once for all files that drive them, and serves them. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), "adroit-stories-"));
  const input = fileURLToPath(new URL("story.html", import.meta.url));
  await build({
    logLevel: "error",
    // For tests, React Aria would draw lists as a whole; a person gets what is in sight.
    define: { "process.env.VIRT_ON": "true" },
    build: { outDir: folder, emptyOutDir: true, minify: false, rolldownOptions: { input } },
  });
  const server = await preview({
    logLevel: "error",
    build: { outDir: folder },
    preview: { host: "127.0.0.1", port: 0, strictPort: false },
  });
  project.provide("stories", `${server.resolvedUrls?.local[0]}test/story.html`);
  return async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  };
}

import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

export default defineConfig({
  plugins: [react()],
  // Relative addresses: the same build is served by the webview's own protocol
  // and by the loopback host.
  base: "./",
  clearScreen: false,
  server: {
    host: "127.0.0.1",
    port: 5173,
    strictPort: true,
  },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    // The webview on Debian 12 is WebKitGTK 2.50; chromium is newer than that.
    target: ["safari17", "chrome120"],
    sourcemap: false,
    // The content security policy allows no `data:` scripts or fonts.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1200,
  },
  test: {
    environment: "node",
    projects: [
      {
        extends: true,
        test: { name: "unit", include: ["src/**/*.test.ts", "src/**/*.test.tsx"] },
      },
      {
        extends: true,
        test: {
          // These drive the views in Chromium, over a scripted backend.
          name: "browser",
          include: ["test/**/*.test.ts"],
          globalSetup: ["test/setup.ts"],
          fileParallelism: false,
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
    passWithNoTests: false,
  },
});

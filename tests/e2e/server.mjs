// The real backend, served to a browser, on a project of its own.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { processesIn } from "../window/desktop.mjs";

/** The root of the repository. */
export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const DEVSERVER = process.env.ADROIT_DEVSERVER ?? join(ROOT, "target/debug/adroit-devserver");
const UI = process.env.ADROIT_UI ?? join(ROOT, "ui/dist");

/** Pause of the offline operator between two pieces, milliseconds. */
const DELAY = 2;
/** How long the backend may take to start or to end, milliseconds. */
const LIMIT = 30_000;

/**
 * @typedef {object} Options
 * @property {Record<string, string>} [files] The project's files: text by name.
 * @property {boolean} [picker] Starts without a folder, on the picker.
 */

/** A running backend with its project. */
export class Server {
  /** The project folder. @type {string} */
  project = "";
  /** The address with its token. @type {string} */
  url = "";
  /** What the backend wrote to standard error. */
  log = "";
  /** @type {string} */
  #folder = "";
  /** @type {import("node:child_process").ChildProcess | undefined} */
  #child;

  /**
   * Starts a backend.
   * @param {Options} options
   */
  static async start(options) {
    const server = new Server();
    try {
      await server.#start(options);
      return server;
    } catch (error) {
      await server.stop().catch(() => {});
      throw error;
    }
  }

  /** @param {Options} options */
  async #start({ files = {}, picker = false }) {
    this.#folder = await mkdtemp(join(tmpdir(), "adroit-journey-"));
    this.project = join(this.#folder, "project");
    const home = join(this.#folder, "home");
    await mkdir(this.project);
    await mkdir(home);
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(this.project, name)), { recursive: true });
      await writeFile(join(this.project, name), text);
    }
    const data = join(this.#folder, "data");
    const args = ["--ui", UI, "--data-dir", data, "--operator-delay", String(DELAY)];
    const child = spawn(DEVSERVER, picker ? args : [...args, this.project], {
      cwd: home,
      env: {
        PATH: process.env.PATH,
        LANG: "C.UTF-8",
        SHELL: "/bin/bash",
        TERM: "xterm-256color",
        // Nothing of the person's own: no settings, no keys, no keyring.
        HOME: home,
        XDG_RUNTIME_DIR: home,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child = child;
    child.stderr.setEncoding("utf8").on("data", (text) => {
      this.log += text;
    });
    const [line] = await Promise.race([
      once(createInterface(child.stdout), "line"),
      once(child, "error").then(([error]) => {
        throw new Error(`${DEVSERVER}: ${error.message}`);
      }),
      once(child, "exit").then(([code]) => {
        throw new Error(`${DEVSERVER} ended with ${code} before it served:\n${this.log}`);
      }),
    ]);
    this.url = line;
  }

  /** Ends the backend as Ctrl-C does, and removes its folder. Nothing may outlive it. */
  async stop() {
    const child = this.#child;
    let late = false;
    if (child?.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      const ended = once(child, "exit");
      const timer = setTimeout(() => {
        late = true;
        child.kill("SIGKILL");
      }, LIMIT);
      child.kill("SIGTERM");
      await ended;
      clearTimeout(timer);
    }
    const left = this.#folder === "" ? [] : await processesIn(this.#folder);
    for (const pid of left) {
      process.kill(pid, "SIGKILL");
    }
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 });
    if (late) throw new Error(`the backend did not end within ${LIMIT} ms of SIGTERM`);
    if (left.length > 0) throw new Error(`${left.length} processes outlived the backend`);
  }
}

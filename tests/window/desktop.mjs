// A screen, a driver and the real app on a project of its own.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Session } from "./webdriver.mjs";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const APP = process.env.ADROIT_APP ?? join(ROOT, "target/debug/adroit");

/** Where pictures are kept; git ignores it. */
const ARTIFACTS = join(ROOT, "tests/artifacts");

/** The app with everything that it runs on. */
export class Desktop {
  /** The project folder that the app was started on. */
  project;
  /** The driver's session. */
  session;
  #folder;
  #children = [];

  /** Opens the app on a project with these files, given by name. */
  static async open(files, extra = []) {
    const desktop = new Desktop();
    try {
      await desktop.#start(files, extra);
      return desktop;
    } catch (error) {
      await desktop.close();
      throw error;
    }
  }

  async #start(files, extra) {
    this.#folder = await mkdtemp(join(tmpdir(), "adroit-window-"));
    this.project = join(this.#folder, "project");
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(this.project, name)), { recursive: true });
      await writeFile(join(this.project, name), text);
    }
    const home = join(this.#folder, "home");
    await mkdir(home, { recursive: true });
    const programs = await this.#opener();
    const display = await this.#screen();
    const server = await this.#driver({
      ...process.env,
      DISPLAY: `:${display}`,
      HOME: home,
      PATH: `${programs}:${process.env.PATH}`,
      XDG_CONFIG_HOME: join(home, ".config"),
      XDG_DATA_HOME: join(home, ".local/share"),
      XDG_CACHE_HOME: join(home, ".cache"),
      XDG_RUNTIME_DIR: home,
      // An accessibility bus would be waited for, and there is none.
      NO_AT_BRIDGE: "1",
      GTK_A11Y: "none",
      // Nothing about graphics: the webview finds by itself that there is no card, and with
      // WEBKIT_DISABLE_DMABUF_RENDERER a picture of a page at rest never comes.
      // Without both the app gives its page to no driver.
      TAURI_WEBVIEW_AUTOMATION: "true",
      TAURI_AUTOMATION: "true",
      // A key of the person's own must not make a test call a real model.
      ANTHROPIC_API_KEY: "",
      OPENAI_API_KEY: "",
      LANG: "C.UTF-8",
    });
    const data = join(this.#folder, "data");
    const args = ["--data-dir", data, ...extra, this.project];
    this.session = await Session.start(server, APP, args);
  }

  /** Makes an `xdg-open` that only writes down what it was given, and tells its folder. */
  async #opener() {
    const programs = join(this.#folder, "bin");
    const script = `#!/bin/sh\nprintf '%s\\n' "$1" >> '${join(this.#folder, "opened")}'\n`;
    await mkdir(programs);
    await writeFile(join(programs, "xdg-open"), script, { mode: 0o755 });
    return programs;
  }

  /** What the desktop was asked to open, oldest first. */
  async opened() {
    const text = await readFile(join(this.#folder, "opened"), "utf8").catch((error) => {
      if (error.code === "ENOENT") return "";
      throw error;
    });
    return text.split("\n").slice(0, -1);
  }

  /** Starts a virtual screen and gives its number. */
  async #screen() {
    // It chooses a free number itself and writes it to the descriptor.
    const screen = this.#spawn(
      "Xvfb",
      ["-displayfd", "3", "-screen", "0", "1440x900x24", "-nolisten", "tcp"],
      {
        stdio: ["ignore", "ignore", "ignore", "pipe"],
      },
    );
    const [number] = await Promise.race([once(screen.stdio[3], "data"), failure(screen, "Xvfb")]);
    return String(number).trim();
  }

  /** Starts the driver and gives its address. */
  async #driver(env) {
    const port = await freePort();
    const driver = this.#spawn("WebKitWebDriver", [`--port=${port}`], {
      env,
      // The app's own words help where something fails; the runner keeps standard output.
      stdio: ["ignore", "ignore", "inherit"],
    });
    const server = `http://127.0.0.1:${port}`;
    const failed = failure(driver, "WebKitWebDriver");
    for (;;) {
      const ready = await Promise.race([
        fetch(`${server}/status`).then(
          (response) => response.ok,
          () => false,
        ),
        failed,
      ]);
      if (ready) return server;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  #spawn(program, args, options) {
    // A group of its own, so that what it starts can be ended with it.
    const child = spawn(program, args, { detached: true, ...options });
    this.#children.unshift(child);
    return child;
  }

  /** Keeps a picture of the window. */
  async picture(name) {
    await mkdir(ARTIFACTS, { recursive: true });
    await writeFile(join(ARTIFACTS, `${name}.png`), await this.session.screenshot());
  }

  /** Ends the app, the driver and the screen, and removes the folder. */
  async close() {
    await this.session?.end().catch(() => {});
    for (const child of this.#children) {
      if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) continue;
      const ended = once(child, "exit");
      try {
        process.kill(-child.pid, "SIGTERM");
      } catch {
        continue;
      }
      const late = setTimeout(() => process.kill(-child.pid, "SIGKILL"), 5_000);
      await ended;
      clearTimeout(late);
    }
    if (this.#folder) await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The processes that work in a folder, as numbers. */
export async function processesIn(folder) {
  const found = [];
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    // A process may end while it is looked at.
    const directory = await readlink(`/proc/${name}/cwd`).catch(() => "");
    if (directory === folder || directory.startsWith(`${folder}/`)) found.push(Number(name));
  }
  return found;
}

/** Rejects when a program cannot be started or ends too soon. */
async function failure(child, name) {
  const reason = await Promise.race([
    once(child, "error").then(([error]) => error.message),
    once(child, "exit").then(([code]) => `it ended with ${code}`),
  ]);
  throw new Error(`${name}: ${reason}. \`cargo xtask setup\` installs what the tests need`);
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

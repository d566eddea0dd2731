// The part of the W3C WebDriver protocol that the window tests need.

/** The key under which the protocol hands out elements. */
const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";

/** Keys without a character of their own. */
export const KEYS = {
  Enter: "\uE007",
  Escape: "\uE00C",
  Shift: "\uE008",
  Tab: "\uE004",
  Control: "\uE009",
  /** Lets go of every key that is held. */
  Release: "\uE000",
};

/** A session: one running app with one window. */
export class Session {
  #base;

  constructor(server, id) {
    this.#base = `${server}/session/${id}`;
  }

  /** Starts the app through the driver and waits until it has a window. */
  static async start(server, binary, args) {
    const capabilities = {
      // No `browserName`: the driver would compare it with the app's own.
      alwaysMatch: { "webkitgtk:browserOptions": { binary, args } },
    };
    const value = await call("POST", `${server}/session`, { capabilities });
    return new Session(server, value.sessionId);
  }

  /** Ends the session, which ends the app. */
  async end() {
    await call("DELETE", this.#base);
  }

  /** A picture of the page, as PNG bytes. */
  async screenshot() {
    return Buffer.from(await call("GET", `${this.#base}/screenshot`), "base64");
  }

  /** The value of a function's body that runs in the page. */
  async run(body, ...args) {
    return call("POST", `${this.#base}/execute/sync`, { script: body, args });
  }

  /** The elements that a CSS selector finds now. */
  async all(selector) {
    const found = await call("POST", `${this.#base}/elements`, {
      using: "css selector",
      value: selector,
    });
    return found.map((element) => new Element(this.#base, element[ELEMENT]));
  }

  /**
   * The first element of a selector whose text contains `text`, as soon as there is one.
   * The page is asked again and again: WebDriver has no events to wait for.
   */
  async find(selector, text = "", limit = 20_000) {
    return this.until(`an element ${selector} with the text “${text}”`, limit, async () => {
      const candidates = await this.all(selector);
      // Later ones are newer in a transcript.
      for (const element of candidates.reverse()) {
        if (text === "" || (await element.text().catch(() => "")).includes(text)) return element;
      }
      return undefined;
    });
  }

  /** The texts of those elements of a selector that contain `text`. */
  async texts(selector, text) {
    const all = await this.run(
      "return [...document.querySelectorAll(arguments[0])].map((element) => element.innerText)",
      selector,
    );
    return all.filter((one) => one.includes(text));
  }

  /** The first defined, true value that `probe` gives. */
  async until(what, limit, probe) {
    const end = Date.now() + limit;
    for (;;) {
      const value = await probe();
      if (value !== undefined && value !== false && value !== null) return value;
      if (Date.now() > end) {
        const page = await this.run("return document.body.innerText").catch(() => "(no page)");
        throw new Error(`waited ${limit} ms in vain for ${what}; the page says:\n${page}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  /** Presses keys one after the other, wherever the focus is. */
  async press(...keys) {
    const actions = keys.flatMap((value) => [
      { type: "keyDown", value },
      { type: "keyUp", value },
    ]);
    await call("POST", `${this.#base}/actions`, {
      actions: [{ type: "key", id: "keyboard", actions }],
    });
  }
}

class Element {
  #base;

  constructor(session, id) {
    this.#base = `${session}/element/${id}`;
  }

  async click() {
    await call("POST", `${this.#base}/click`, {});
  }

  /** Presses it and keeps it pressed for a while. */
  async hold(milliseconds) {
    const [, session, element] = /** @type {string[]} */ (/^(.*)\/element\/(.*)$/.exec(this.#base));
    const origin = { [ELEMENT]: element };
    const actions = [
      { type: "pointerMove", duration: 0, x: 0, y: 0, origin },
      { type: "pointerDown", button: 0 },
      { type: "pause", duration: milliseconds },
      { type: "pointerUp", button: 0 },
    ];
    await call("POST", `${session}/actions`, {
      actions: [{ type: "pointer", id: "mouse", parameters: { pointerType: "mouse" }, actions }],
    });
  }

  async type(text) {
    await call("POST", `${this.#base}/value`, { text });
  }

  async text() {
    return call("GET", `${this.#base}/text`);
  }

  async attribute(name) {
    return call("GET", `${this.#base}/attribute/${name}`);
  }
}

async function call(method, address, body) {
  const response = await fetch(address, {
    method,
    // Starting the app is the slowest call.
    signal: AbortSignal.timeout(60_000),
    ...(body === undefined
      ? {}
      : {
          body: JSON.stringify(body),
          headers: { "content-type": "application/json" },
        }),
  });
  const { value } = await response.json();
  if (!response.ok)
    throw new Error(`${method} ${new URL(address).pathname}: ${value.error}: ${value.message}`);
  return value;
}

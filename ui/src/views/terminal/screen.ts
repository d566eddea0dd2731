import { FitAddon } from "@xterm/addon-fit";
import { SearchAddon } from "@xterm/addon-search";
import { type ITheme, Terminal } from "@xterm/xterm";
import type { TerminalId, WireError } from "../../generated/protocol.ts";
import type { TerminalActions } from "../../store/terminal-actions.ts";
import { decodeBase64 } from "../../store/terminals.ts";
import type { Place } from "../../text/places.ts";
import { Catchup } from "./catchup.ts";
import { terminalColours } from "./colours.ts";
import { type LinkTarget, PlaceLinks } from "./links.ts";
import { PacedWriter } from "./paced.ts";

/** How many lines can be scrolled back. */
const SCROLLBACK = 10_000;
/** After how many shown bytes the backend hears that there is room for more. */
const REPORTED = 64 * 1024;

/** The emulator of one terminal in an element, joined to its process. */
export class Screen {
  private readonly view: Terminal;
  private readonly fit = new FitAddon();
  private readonly search = new SearchAddon();
  private readonly writer: PacedWriter;
  private readonly catchup: Catchup;
  private readonly links: PlaceLinks;
  private readonly observer: ResizeObserver;
  private readonly unlisten: () => void;
  private isOpen = true;
  private size = "";
  private reported = 0;

  constructor(
    private readonly element: HTMLElement,
    private readonly terminal: TerminalId,
    private readonly actions: TerminalActions,
    private readonly target: LinkTarget,
    private readonly onError: (error: WireError) => void,
  ) {
    this.view = emulator(element);
    this.view.loadAddon(this.fit);
    this.view.loadAddon(this.search);
    this.view.open(element);
    this.links = new PlaceLinks(this.view, target);
    this.view.registerLinkProvider(this.links);
    this.view.textarea?.setAttribute("data-region-focus", "");
    this.view.onData((text) => void actions.write(terminal, text));
    this.writer = new PacedWriter(this.view, (waiting) => this.report(waiting));
    this.catchup = new Catchup({
      write: (bytes) => this.writer.write(bytes),
      missed: (count) => this.writer.missed(count),
      attach: () => void this.attach(),
    });
    this.observer = new ResizeObserver(() => requestAnimationFrame(() => this.resize()));
    this.unlisten = actions.listen(terminal, {
      onOutput: (offset, bytes) => this.catchup.output(offset, bytes),
      onEnded: () => this.end(),
    });
    void this.attach();
  }

  /** Its process takes no more keys. */
  end(): void {
    this.view.options.disableStdin = true;
  }

  setColours(theme: ITheme): void {
    this.view.options.theme = theme;
  }

  /** Looks for a text from where the last one was found; false where there is none. */
  find(text: string, direction: "next" | "previous"): boolean {
    return direction === "next" ? this.search.findNext(text) : this.search.findPrevious(text);
  }

  /** The selected text, or all that can be scrolled to. */
  text(): string {
    if (this.view.hasSelection()) {
      return this.view.getSelection();
    }
    const buffer = this.view.buffer.active;
    let text = "";
    for (let row = 0; row < buffer.length; row += 1) {
      const line = buffer.getLine(row);
      // A line that was wrapped goes on without a break.
      text += line?.isWrapped || row === 0 ? "" : "\n";
      text += line?.translateToString(true) ?? "";
    }
    return text.trimEnd();
  }

  /** Files and addresses that were printed last, newest first. */
  places(): Promise<Place[]> {
    return this.links.recent();
  }

  /** Opens one of them. */
  open(place: Place): void {
    this.target.open(place);
  }

  /** Clears what was printed. The process does not notice. */
  clear(): void {
    this.view.clear();
  }

  focus(): void {
    this.view.focus();
  }

  dispose(): void {
    this.isOpen = false;
    this.observer.disconnect();
    this.unlisten();
    this.view.dispose();
  }

  private async attach(): Promise<void> {
    const outcome = await this.actions.attach(this.terminal);
    if (!this.isOpen) {
      return;
    }
    if (!outcome.ok) {
      this.onError(outcome.error);
      return;
    }
    const { scrollback, end, summary } = outcome.value;
    this.catchup.scrollback(decodeBase64(scrollback), end);
    this.view.options.disableStdin = !summary.running;
    this.observer.observe(this.element);
  }

  /** Flow control: the backend sends no more than a little ahead of what was shown. */
  private report(waiting: number): void {
    const shown = this.catchup.end - waiting;
    if (this.isOpen && shown - this.reported >= REPORTED) {
      this.reported = shown;
      void this.actions.shown(this.terminal, shown);
    }
  }

  private resize(): void {
    const wanted = this.fit.proposeDimensions();
    if (!this.isOpen || wanted === undefined || !(wanted.cols > 1) || !(wanted.rows > 0)) {
      return;
    }
    this.fit.fit();
    const { rows, cols } = this.view;
    if (this.size !== `${rows}x${cols}`) {
      this.size = `${rows}x${cols}`;
      void this.actions.resize(this.terminal, rows, cols);
    }
  }
}

function emulator(element: HTMLElement): Terminal {
  const view = new Terminal({
    allowProposedApi: false,
    cursorBlink: !window.matchMedia("(prefers-reduced-motion: reduce)").matches,
    fontFamily: getComputedStyle(element).getPropertyValue("--font-mono"),
    fontSize: 12,
    lineHeight: 1.25,
    screenReaderMode: true,
    scrollback: SCROLLBACK,
    theme: terminalColours(element),
    // A hyperlink sequence may claim any text for any address: none is followed.
    linkHandler: { activate: () => undefined },
  });
  // The panel's own keys are not the process's.
  view.attachCustomKeyEventHandler(
    (event) => !(event.key === "F6" || (event.ctrlKey && event.key === "`")),
  );
  return view;
}

import "@xterm/xterm/css/xterm.css";
import { FitAddon } from "@xterm/addon-fit";
import { Terminal } from "@xterm/xterm";
import { type JSX, useEffect, useRef, useState } from "react";
import type { TerminalId, WireError } from "../../generated/protocol.ts";
import { escapeText } from "../../shared/deceptive.ts";
import { ErrorNote } from "../../shared/ErrorNote.tsx";
import type { TerminalActions } from "../../store/settings-actions.ts";
import { decodeBase64 } from "../../store/terminals.ts";
import { useAdroit, useUi } from "../adroit.tsx";
import { Catchup } from "./catchup.ts";
import { terminalColours } from "./colours.ts";
import { PacedWriter } from "./paced.ts";
import styles from "./Terminal.module.css";

/** How many lines can be scrolled back. */
const SCROLLBACK = 10_000;

interface Props {
  terminal: TerminalId;
  title: string;
}

/** One terminal: its scrollback, then what comes; typing goes to its process. */
export function TerminalView({ terminal, title }: Props): JSX.Element {
  const { terminals } = useAdroit();
  const theme = useUi((state) => state.settings?.theme ?? "system");
  const place = useRef<HTMLDivElement>(null);
  const shown = useRef<Terminal>(null);
  const [error, setError] = useState<WireError | null>(null);

  useEffect(() => {
    const element = place.current;
    if (element === null) {
      return;
    }
    return show(element, terminal, terminals, {
      onReady: (view) => {
        shown.current = view;
      },
      onError: setError,
    });
  }, [terminal, terminals]);

  // The theme changes the colours that are read.
  useEffect(() => {
    const system = window.matchMedia("(prefers-color-scheme: dark)");
    const renew = () => {
      if (shown.current !== null && place.current !== null) {
        shown.current.options.theme = terminalColours(place.current);
      }
    };
    renew();
    system.addEventListener("change", renew);
    return () => system.removeEventListener("change", renew);
  }, [theme]);

  return (
    <>
      <ErrorNote error={error} />
      <section
        ref={place}
        className={styles.terminal}
        aria-label={`Terminal: ${escapeText(title)}`}
        data-testid="terminal-screen"
      />
    </>
  );
}

interface Callbacks {
  onReady: (view: Terminal) => void;
  onError: (error: WireError) => void;
}

/** Puts a terminal into an element; the function that comes back takes it out again. */
function show(
  element: HTMLElement,
  terminal: TerminalId,
  actions: TerminalActions,
  { onReady, onError }: Callbacks,
): () => void {
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
  const fit = new FitAddon();
  view.loadAddon(fit);
  view.open(element);
  view.textarea?.setAttribute("data-region-focus", "");
  // The panel's own keys are not the process's.
  view.attachCustomKeyEventHandler(
    (event) => !(event.key === "F6" || (event.ctrlKey && event.key === "`")),
  );
  onReady(view);

  const writer = new PacedWriter(view);
  const catchup = new Catchup((bytes) => writer.write(bytes));
  const unlisten = actions.listen(terminal, {
    onOutput: (bytes) => catchup.output(bytes),
    onEnded: () => undefined,
  });
  let isOpen = true;
  let size = "";
  const resize = () => {
    const wanted = fit.proposeDimensions();
    if (!isOpen || wanted === undefined || !(wanted.cols > 1) || !(wanted.rows > 0)) {
      return;
    }
    fit.fit();
    if (size !== `${view.rows}x${view.cols}`) {
      size = `${view.rows}x${view.cols}`;
      void actions.resize(terminal, view.rows, view.cols);
    }
  };
  const observer = new ResizeObserver(() => requestAnimationFrame(resize));

  void actions.attach(terminal).then((outcome) => {
    if (!isOpen) {
      return;
    }
    if (!outcome.ok) {
      onError(outcome.error);
      return;
    }
    const { scrollback, summary } = outcome.value;
    catchup.scrollback(decodeBase64(scrollback));
    view.options.disableStdin = !summary.running;
    observer.observe(element);
  });
  const typed = view.onData((text) => void actions.write(terminal, text));

  return () => {
    isOpen = false;
    observer.disconnect();
    unlisten();
    typed.dispose();
    view.dispose();
  };
}

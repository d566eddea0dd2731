import "@xterm/xterm/css/xterm.css";
import { type JSX, useEffect, useRef, useState } from "react";
import type { TerminalId, WireError } from "../../generated/protocol.ts";
import { escapeText } from "../../shared/deceptive.ts";
import { ErrorNote } from "../../shared/ErrorNote.tsx";
import { useAdroit, useUi } from "../adroit.tsx";
import { terminalColours } from "./colours.ts";
import type { LinkTarget } from "./links.ts";
import { Screen } from "./screen.ts";
import styles from "./Terminal.module.css";

interface Props {
  terminal: TerminalId;
  title: string;
  /** The folder that its command began in. */
  cwd: string;
  /** Whether its process takes input. */
  running: boolean;
  /** Hears of the screen when it is there, and of its end. */
  onScreen: (screen: Screen | null) => void;
}

/** One terminal: its scrollback, then what comes; typing goes to its process. */
export function TerminalView({ terminal, title, cwd, running, onScreen }: Props): JSX.Element {
  const { terminals, places, openLink } = useAdroit();
  const theme = useUi((state) => state.settings?.theme ?? "system");
  const place = useRef<HTMLDivElement>(null);
  const shown = useRef<Screen>(null);
  const [error, setError] = useState<WireError | null>(null);
  const [typing, setTyping] = useState(false);

  useEffect(() => {
    const element = place.current;
    if (element === null) {
      return;
    }
    const target: LinkTarget = {
      find: (names) => places.find(cwd, names),
      open(place) {
        if (place.type === "address") {
          openLink(place.address);
        } else {
          void places.show(place.path, place.line, place.column);
        }
      },
    };
    const screen = new Screen(element, terminal, terminals, target, setError);
    shown.current = screen;
    onScreen(screen);
    return () => {
      onScreen(null);
      shown.current = null;
      screen.dispose();
    };
  }, [terminal, terminals, places, openLink, cwd, onScreen]);

  useEffect(() => {
    if (!running) {
      shown.current?.end();
    }
  }, [running]);

  // The theme changes the colours that are read.
  useEffect(() => {
    const system = window.matchMedia("(prefers-color-scheme: dark)");
    const renew = () => {
      if (shown.current !== null && place.current !== null) {
        shown.current.setColours(terminalColours(place.current));
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
        data-typing={(typing && running) || undefined}
        onFocus={() => setTyping(true)}
        onBlur={() => setTyping(false)}
      />
      <p className={styles.mode} data-typing={(typing && running) || undefined} aria-live="polite">
        {modeWords(running, typing)}
      </p>
    </>
  );
}

function modeWords(running: boolean, typing: boolean): JSX.Element | string {
  if (!running) {
    return "Its command has ended: it takes no keys.";
  }
  return typing ? (
    <>
      Keys go to the terminal. <kbd>F6</kbd> leaves it.
    </>
  ) : (
    "Click into the terminal to type."
  );
}

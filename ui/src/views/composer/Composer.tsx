import { ArrowUp, Square } from "lucide-react";
import {
  type JSX,
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import type { Item } from "../../generated/protocol.ts";
import { IconButton } from "../../shared/Button.tsx";
import { currentSnapshot } from "../../store/state.ts";
import { useAdroit, useUi } from "../adroit.tsx";
import { nextMode } from "../modes.ts";
import { CompactButton } from "./CompactButton.tsx";
import styles from "./Composer.module.css";
import { beginHistory, type History, historyEntries, historyText, stepHistory } from "./history.ts";
import { ModeMenu, useModeSwitch } from "./ModeMenu.tsx";
import { TokenCount } from "./TokenCount.tsx";

const NONE: Item[] = [];

/** The place to type. */
export function Composer(): JSX.Element {
  const { sessions, setDraft } = useAdroit();
  const text = useUi((state) =>
    state.current === null ? "" : (state.drafts[state.current] ?? ""),
  );
  const running = useUi((state) => currentSnapshot(state)?.turn.type === "running");
  const area = useRef<HTMLTextAreaElement>(null);
  const [sending, setSending] = useState(false);
  const walk = useHistory(text, setDraft);
  const onModeKey = useModeKey();
  useAutoSize(area, text);
  useEffect(() => area.current?.focus(), []);

  async function send(steer = false): Promise<void> {
    const message = text.trim();
    if (message === "" || sending) {
      return;
    }
    setSending(true);
    setDraft("");
    walk.reset();
    const taken = await sessions.submit(message, steer);
    setSending(false);
    if (!taken) {
      setDraft(message);
    }
  }

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): void {
    // A key that ends a composition belongs to the input method.
    if (event.nativeEvent.isComposing) {
      return;
    }
    if (event.key === "Enter" && !event.shiftKey && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      void send();
    } else if (event.key === "Enter" && !event.shiftKey && running && text.trim() !== "") {
      event.preventDefault();
      void send(true);
    } else if (event.key === "Escape" && running) {
      event.preventDefault();
      void sessions.stop();
    } else {
      onModeKey(event);
      walk.onKey(event);
    }
  }

  return (
    <section className={styles.composer} aria-label="Message" data-region="composer">
      <textarea
        ref={area}
        className={styles.area}
        aria-label="Message to Adroit"
        aria-describedby="composer-keys"
        placeholder={running ? "Add to what is going on…" : "Ask for something…"}
        rows={1}
        value={text}
        data-region-focus
        onChange={(event) => {
          walk.reset();
          setDraft(event.target.value);
        }}
        onKeyDown={onKeyDown}
      />
      <div className={styles.bar}>
        <ModeMenu />
        <TokenCount />
        <CompactButton />
        <span className={styles.keys} id="composer-keys">
          {running
            ? "Enter queues · Ctrl+Enter steers · Esc stops"
            : "Enter sends · Shift+Enter breaks"}
        </span>
        {running ? (
          <IconButton label="Stop" keys="Esc" onPress={() => void sessions.stop()}>
            <Square size={13} fill="currentColor" />
          </IconButton>
        ) : null}
        <span className={styles.send} data-ready={text.trim() !== "" || undefined}>
          <IconButton
            label={running ? "Queue message" : "Send message"}
            keys="Enter"
            isDisabled={text.trim() === "" || sending}
            onPress={() => void send()}
          >
            <ArrowUp size={16} />
          </IconButton>
        </span>
      </div>
    </section>
  );
}

/** Shift+Tab goes to the next mode. F6 leads out of the composer for those who walk by keys. */
function useModeKey(): (event: KeyboardEvent) => void {
  const mode = useUi((state) => currentSnapshot(state)?.mode);
  const switchMode = useModeSwitch();
  return (event) => {
    if (event.key === "Tab" && event.shiftKey && mode !== undefined) {
      event.preventDefault();
      switchMode(nextMode(mode));
    }
  };
}

interface Walk {
  onKey: (event: KeyboardEvent<HTMLTextAreaElement>) => void;
  reset: () => void;
}

/** Arrow up at the very start goes back through what was said, arrow down forth again. */
function useHistory(text: string, setText: (text: string) => void): Walk {
  const items = useUi((state) => currentSnapshot(state)?.items ?? NONE);
  const history = useRef<History | null>(null);
  function step(by: -1 | 1): boolean {
    history.current ??= beginHistory(historyEntries(said(items)), text);
    const next = stepHistory(history.current, by);
    if (next === null) {
      return false;
    }
    history.current = next;
    setText(historyText(next));
    return true;
  }
  return {
    reset: () => {
      history.current = null;
    },
    onKey(event) {
      const { selectionStart, selectionEnd, value } = event.currentTarget;
      const plain = !event.shiftKey && !event.ctrlKey && !event.metaKey && !event.altKey;
      const walking = history.current !== null;
      const atStart = selectionStart === 0 && selectionEnd === 0;
      const atEnd = selectionStart === value.length;
      if (plain && event.key === "ArrowUp" && (atStart || (walking && atEnd)) && step(-1)) {
        event.preventDefault();
      } else if (plain && event.key === "ArrowDown" && walking && atEnd && step(1)) {
        event.preventDefault();
      }
    },
  };
}

function said(items: readonly Item[]): string[] {
  return items.flatMap(({ body }) => (body.type === "user" ? [body.text] : []));
}

/** Grows with its text; from the height that the style sheet allows on, it scrolls. */
function useAutoSize(area: RefObject<HTMLTextAreaElement | null>, text: string): void {
  // The text decides the height.
  useLayoutEffect(() => {
    const element = area.current;
    if (element !== null) {
      element.style.height = "auto";
      element.style.height = `${element.scrollHeight}px`;
    }
  }, [area, text]);
}

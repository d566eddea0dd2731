import { type JSX, useEffect, useRef, useState } from "react";
import { escapeText } from "../../shared/deceptive.ts";
import { VisuallyHidden } from "../../shared/VisuallyHidden.tsx";
import { currentSnapshot } from "../../store/state.ts";
import { useUi } from "../adroit.tsx";

/** Tells screen readers what changed: that a turn ended, that a request waits. Never the stream. */
export function Announcer(): JSX.Element {
  const running = useUi((state) => currentSnapshot(state)?.turn.type === "running");
  const request = useUi((state) => currentSnapshot(state)?.requests[0] ?? null);
  const number = useUi((state) => currentSnapshot(state)?.requests.length ?? 0);
  const [words, setWords] = useState("");
  const wasRunning = useRef(running);

  useEffect(() => {
    if (wasRunning.current && !running) {
      setWords("The turn has ended.");
    }
    wasRunning.current = running;
  }, [running]);

  useEffect(() => {
    if (request !== null) {
      const others = number > 1 ? ` ${number - 1} more wait.` : "";
      setWords(
        `A request waits: ${escapeText(request.view.title)}. ${escapeText(request.description)}${others} Press Control and full stop to go to it.`,
      );
    }
  }, [request, number]);

  return (
    <VisuallyHidden>
      <span role="status" aria-live="polite">
        {words}
      </span>
    </VisuallyHidden>
  );
}

import type { JSX } from "react";
import type { Usage } from "../../generated/protocol.ts";
import { VisuallyHidden } from "../../shared/VisuallyHidden.tsx";
import { currentSnapshot } from "../../store/state.ts";
import { useUi } from "../adroit.tsx";
import styles from "./Composer.module.css";
import { shortCount, tokensOf, usageWords } from "./tokens.ts";

const NONE: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

/** What the conversation cost in tokens: of the turn and of the session. Nothing where nothing. */
export function TokenCount(): JSX.Element | null {
  const turn = useUi((state) => currentSnapshot(state)?.turnUsage ?? NONE);
  const session = useUi((state) => currentSnapshot(state)?.usage ?? NONE);
  const whole = tokensOf(session);
  const ofTurn = tokensOf(turn);
  if (whole === 0) {
    return null;
  }
  const words = `This turn: ${usageWords(turn)}. This session: ${usageWords(session)}.`;
  return (
    <span className={styles.tokens} title={words} data-testid="tokens">
      <span aria-hidden>
        {shortCount(whole)} tokens
        {ofTurn === 0 || ofTurn === whole ? "" : `, ${shortCount(ofTurn)} this turn`}
      </span>
      <VisuallyHidden>{words}</VisuallyHidden>
    </span>
  );
}

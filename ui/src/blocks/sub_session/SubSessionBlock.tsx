import {
  ArrowUpRight,
  Ban,
  Check,
  CircleDashed,
  CircleSlash,
  Hand,
  LoaderCircle,
  type LucideIcon,
  X,
} from "lucide-react";
import type { JSX } from "react";
import type { CallStatus, SubCall } from "../../generated/protocol.ts";
import { Button } from "../../shared/Button.tsx";
import { SafeText } from "../../shared/SafeText.tsx";
import type { BlockOf } from "../block.ts";
import { useBlockContext } from "../context.ts";
import styles from "./SubSession.module.css";

const MARKS: Record<CallStatus, { Icon: LucideIcon; words: string }> = {
  writing: { Icon: CircleDashed, words: "being written" },
  queued: { Icon: CircleDashed, words: "queued" },
  waiting: { Icon: Hand, words: "waits for you" },
  running: { Icon: LoaderCircle, words: "running" },
  succeeded: { Icon: Check, words: "done" },
  failed: { Icon: X, words: "failed" },
  denied: { Icon: Ban, words: "denied" },
  cancelled: { Icon: CircleSlash, words: "cancelled" },
};

/** What another agent does, call by call; leads to its conversation. */
export function SubSessionBlock({ block }: { block: BlockOf<"sub_session"> }): JSX.Element {
  const { showSession } = useBlockContext();
  const { calls, more, title } = block;
  return (
    <div className={styles.agent} data-testid="sub-session">
      {more > 0 ? <p className={styles.more}>{more} earlier calls</p> : null}
      <ul className={styles.calls} aria-label={`Calls of the agent: ${title}`}>
        {calls.map((call) => (
          <Line key={call.call} call={call} />
        ))}
      </ul>
      <Button
        look="plain"
        small
        aria-label={`Open the agent’s conversation: ${title}`}
        onPress={() => showSession(block.session)}
      >
        Open conversation <ArrowUpRight size={13} aria-hidden />
      </Button>
    </div>
  );
}

function Line({ call }: { call: SubCall }): JSX.Element {
  const { Icon, words } = MARKS[call.status];
  const shown = call.status === "running" ? (call.activity ?? call.title) : call.title;
  return (
    <li className={styles.call} data-status={call.status} data-testid="sub-call">
      <Icon size={13} aria-label={words} role="img" className={styles.mark} />
      <span className={styles.title}>
        <SafeText text={shown} />
      </span>
      {call.summary === undefined ? null : (
        <span className={styles.summary}>
          <SafeText text={call.summary} strictness="prose" />
        </span>
      )}
    </li>
  );
}

import {
  Ban,
  Check,
  CircleDashed,
  CircleSlash,
  Hand,
  LoaderCircle,
  type LucideIcon,
  PenLine,
  X,
} from "lucide-react";
import type { JSX } from "react";
import type { CallStatus } from "../../generated/protocol.ts";
import styles from "./Transcript.module.css";

const ICONS: Record<CallStatus, LucideIcon> = {
  writing: PenLine,
  queued: CircleDashed,
  waiting: Hand,
  running: LoaderCircle,
  succeeded: Check,
  failed: X,
  denied: Ban,
  cancelled: CircleSlash,
};

/** Statuses in words. */
export const STATUS_WORDS: Record<CallStatus, string> = {
  writing: "being written",
  queued: "queued",
  waiting: "waits for you",
  running: "running",
  succeeded: "done",
  failed: "failed",
  denied: "denied",
  cancelled: "cancelled",
};

/** The mark of a status. */
export function StatusIcon({ status }: { status: CallStatus }): JSX.Element {
  const Icon = ICONS[status];
  return (
    <span className={styles.status} data-status={status}>
      <Icon size={14} strokeWidth={2.25} aria-label={STATUS_WORDS[status]} role="img" />
    </span>
  );
}

import { CircleCheck, Info, type LucideIcon, OctagonAlert, TriangleAlert } from "lucide-react";
import type { JSX } from "react";
import type { Tone } from "../generated/protocol.ts";
import styles from "./Notice.module.css";
import { Prose } from "./Prose.tsx";

const ICON: Record<Tone, LucideIcon> = {
  neutral: Info,
  success: CircleCheck,
  warning: TriangleAlert,
  danger: OctagonAlert,
  info: Info,
};

interface Props {
  /** How it should be felt. */
  tone: Tone;
  /** The remark. */
  text: string;
  /** What to do next. */
  hint?: string | undefined;
}

/** A remark of the program, in its tone. */
export function Notice({ tone, text, hint }: Props): JSX.Element {
  const Icon = ICON[tone];
  return (
    <div className={styles.notice} data-tone={tone} role="note">
      <Icon size={14} aria-hidden className={styles.icon} />
      <div className={styles.words}>
        <p>
          <Prose text={text} />
        </p>
        {hint === undefined ? null : (
          <p className={styles.hint}>
            <Prose text={hint} />
          </p>
        )}
      </div>
    </div>
  );
}

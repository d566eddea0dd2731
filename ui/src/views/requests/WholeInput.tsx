import { ChevronRight } from "lucide-react";
import { type JSX, useId, useMemo } from "react";
import { count } from "../../shared/time.ts";
import { CodeFence } from "../../text/CodeFence.tsx";
import styles from "./Requests.module.css";

interface Props {
  /** The input as the model sent it. */
  input: unknown;
  /** Whether it shows. */
  isOpen: boolean;
  /** Shows or hides it. */
  onToggle: (open: boolean) => void;
}

/** Everything that the model sent, uncut, for those who want to see it as it is. */
export function WholeInput({ input, isOpen, onToggle }: Props): JSX.Element {
  const text = useMemo(() => JSON.stringify(input, null, 2) ?? "", [input]);
  const panel = useId();
  return (
    <div className={styles.whole}>
      <button
        type="button"
        className={styles.wholeHead}
        aria-expanded={isOpen}
        aria-controls={isOpen ? panel : undefined}
        onClick={() => onToggle(!isOpen)}
      >
        <ChevronRight size={13} aria-hidden className={styles.chevron} />
        Whole input <span className={styles.size}>{count(text.length, "character")}</span>
      </button>
      {isOpen ? (
        <div id={panel}>
          <CodeFence text={text} language="json" limit={Number.POSITIVE_INFINITY} />
        </div>
      ) : null}
    </div>
  );
}

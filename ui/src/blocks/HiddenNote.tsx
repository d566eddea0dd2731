import type { JSX } from "react";
import { count } from "../shared/time.ts";
import styles from "./blocks.module.css";
import { useBlockContext } from "./context.ts";

interface Props {
  /** How many things the block does not show. */
  number: number;
  /** What one of them is called: `more line`. */
  one: string;
  /** What several are called. */
  many?: string;
}

/** Says what a block does not show, and leads to the whole. */
export function HiddenNote({ number, one, many }: Props): JSX.Element | null {
  const { showWhole } = useBlockContext();
  if (number === 0) {
    return null;
  }
  return (
    <p className={styles.hidden}>
      {count(number, one, many)} {number === 1 ? "is" : "are"} not shown here.{" "}
      <button type="button" className={styles.link} onClick={showWhole}>
        Show all
      </button>
    </p>
  );
}

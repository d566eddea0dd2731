import type { JSX, ReactNode } from "react";
import styles from "./Transcript.module.css";

interface Props {
  /** Whether a search has come to it. */
  isFound: boolean;
  /** The row. */
  children: ReactNode;
}

/** A row, marked where a search has come to it. */
export function Marked({ isFound, children }: Props): JSX.Element {
  return (
    <div className={isFound ? styles.found : undefined} data-found={isFound || undefined}>
      {children}
    </div>
  );
}

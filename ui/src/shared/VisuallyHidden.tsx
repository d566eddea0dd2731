import type { JSX, ReactNode } from "react";
import styles from "../style/visually-hidden.module.css";

/** Text for screen readers only. */
export function VisuallyHidden({ children }: { children: ReactNode }): JSX.Element {
  return <span className={styles.hidden}>{children}</span>;
}

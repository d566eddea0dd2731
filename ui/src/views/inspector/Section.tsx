import type { JSX, ReactNode } from "react";
import styles from "./Inspector.module.css";

/** One part of the trace. */
export function Section({ title, children }: { title: string; children: ReactNode }): JSX.Element {
  return (
    <section className={styles.section} aria-label={title}>
      <h3 className={styles.title}>{title}</h3>
      {children}
    </section>
  );
}

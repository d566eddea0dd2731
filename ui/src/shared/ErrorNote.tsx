import { TriangleAlert } from "lucide-react";
import type { JSX } from "react";
import type { WireError } from "../generated/protocol.ts";
import styles from "./ErrorNote.module.css";
import { Prose } from "./Prose.tsx";

/** A failure beside the thing that failed: what happened, and what to do next. */
export function ErrorNote({ error }: { error: WireError | null }): JSX.Element | null {
  if (error === null) {
    return null;
  }
  return (
    <div className={styles.note} role="alert">
      <TriangleAlert size={14} aria-hidden className={styles.icon} />
      <div>
        <p>
          <Prose text={error.message} />
        </p>
        {error.hint === undefined ? null : (
          <p className={styles.hint}>
            <Prose text={error.hint} />
          </p>
        )}
      </div>
    </div>
  );
}

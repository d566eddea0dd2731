import type { JSX } from "react";
import styles from "./Changes.module.css";
import { PANEL_KEYS } from "./usePanelKeys.ts";

/** What the keys do in the panel of changes. */
export function KeyList(): JSX.Element {
  return (
    <section className={styles.keys} aria-label="Keys of the changes" data-testid="changes-keys">
      <dl>
        {PANEL_KEYS.map(([key, words]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

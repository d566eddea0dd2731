import type { JSX } from "react";
import type { CallItem, ChangedFile } from "../../generated/protocol.ts";
import { Notice } from "../../shared/Notice.tsx";
import { SafeText } from "../../shared/SafeText.tsx";
import { useAdroit } from "../adroit.tsx";
import styles from "./Chips.module.css";

/** Files that a row names before it counts. */
const NAMED = 8;

const WORD = { created: "new", updated: "changed", deleted: "deleted" } as const;

/** The files that a call changed without showing them itself: each opens its diff. */
export function ChangeChips({ call }: { call: CallItem }): JSX.Element | null {
  const { setPanels } = useAdroit();
  const { changes, view } = call;
  if (changes === undefined) {
    return null;
  }
  const shown = view.blocks.some((block) => block.type === "diff") ? [] : changes.files;
  const more = shown.length === 0 ? 0 : Math.max(0, shown.length - NAMED) + changes.more;
  const look = (path: string | null) =>
    setPanels({
      changes: { scope: { type: "call", call: call.call }, title: view.title, path },
    });
  return (
    <>
      {shown.length === 0 ? null : (
        <ul className={styles.chips} aria-label="Files that it changed" data-state={changes.state}>
          {shown.slice(0, NAMED).map((file) => (
            <li key={file.path}>
              <button
                type="button"
                className={styles.chip}
                data-change={file.change}
                data-testid="change-chip"
                onClick={() => look(file.path)}
              >
                <span className={styles.chipPath}>
                  <SafeText text={file.path} />
                </span>
                <Counts file={file} />
              </button>
            </li>
          ))}
          {more > 0 ? (
            <li>
              <button type="button" className={styles.chip} onClick={() => look(null)}>
                {more} more
              </button>
            </li>
          ) : null}
        </ul>
      )}
      {changes.notes.length === 0 ? null : (
        <div className={styles.notes}>
          {changes.notes.map((note) => (
            <Notice key={note} tone="warning" text={note} />
          ))}
        </div>
      )}
    </>
  );
}

/** How a file changed: its word, and its lines where they were counted. */
export function Counts({ file }: { file: ChangedFile }): JSX.Element {
  const counted = file.kind === "text" && file.added !== undefined && file.removed !== undefined;
  return (
    <span className={styles.counts}>
      {file.change === "updated" && counted ? null : <span>{WORD[file.change]}</span>}
      {counted && file.change !== "deleted" ? (
        <span className={styles.plus}>+{file.added}</span>
      ) : null}
      {counted && file.change !== "created" ? (
        <span className={styles.minus}>−{file.removed}</span>
      ) : null}
    </span>
  );
}

import { ChevronRight } from "lucide-react";
import { type JSX, useMemo, useState } from "react";
import { DiffBlock } from "../../blocks/diff/DiffBlock.tsx";
import type { UndoChoice, UndoPreviewFile } from "../../generated/protocol.ts";
import { SafeText } from "../../shared/SafeText.tsx";
import { BlocksHere } from "./BlocksHere.tsx";
import { EFFECT } from "./effects.ts";
import styles from "./Undo.module.css";

const CHOICES: Record<UndoChoice, string> = {
  keep: "Leave it as it is",
  overwrite: "Go back; give up the later change",
  mark: "Write both into it, marked",
};

interface Props {
  /** The file. */
  file: UndoPreviewFile;
  /** What is chosen where it was changed since. */
  choice: UndoChoice;
  /** Chooses. */
  onChoose: (choice: UndoChoice) => void;
}

/** What would become of one file. */
export function UndoFileRow({ file, choice, onChoose }: Props): JSX.Element {
  const [open, setOpen] = useState(false);
  const { diff } = file;
  const block = useMemo(
    () => (diff === undefined ? null : { type: "diff" as const, ...diff }),
    [diff],
  );
  return (
    <li className={styles.file} data-effect={file.effect} data-testid="undo-file">
      <div className={styles.fileHead}>
        <button
          type="button"
          className={styles.fileTitle}
          aria-expanded={block === null ? undefined : open}
          disabled={block === null}
          onClick={() => setOpen(!open)}
        >
          {block === null ? (
            <span className={styles.noChevron} />
          ) : (
            <ChevronRight size={13} aria-hidden className={styles.chevron} />
          )}
          <span className={styles.path}>
            <SafeText text={file.path} />
          </span>
          <span className={styles.effect}>{EFFECT[file.effect]}</span>
        </button>
      </div>
      {file.reason === undefined ? null : (
        <p className={styles.reason}>
          <SafeText text={file.reason} strictness="prose" />
        </p>
      )}
      {file.choices.length === 0 ? null : (
        <fieldset className={styles.choices}>
          <legend className={styles.faint}>What to do with {file.path}</legend>
          {file.choices.map((one) => (
            <label key={one} className={styles.choice}>
              <input
                type="radio"
                name={`choice-${file.path}`}
                checked={choice === one}
                onChange={() => onChoose(one)}
              />
              {CHOICES[one]}
            </label>
          ))}
        </fieldset>
      )}
      {open && block !== null ? (
        <BlocksHere>
          <DiffBlock block={block} />
        </BlocksHere>
      ) : null}
    </li>
  );
}

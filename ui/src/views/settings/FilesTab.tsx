import type { JSX } from "react";
import type { SettingsFileState, SettingsProblem } from "../../generated/protocol.ts";
import { CopyButton } from "../../shared/CopyButton.tsx";
import { Prose } from "../../shared/Prose.tsx";
import { SafeText } from "../../shared/SafeText.tsx";
import { SOURCES } from "../scopes.ts";
import styles from "./Settings.module.css";
import type { TabProps } from "./SettingsPanel.tsx";

/** Every settings file, strongest first, with what is wrong in it. */
export function FilesTab({ settings }: TabProps): JSX.Element {
  return (
    <div className={styles.content}>
      <p className={styles.faint}>
        Strongest first. A change in a file takes effect when it is saved. A broken file never
        allows more than a whole one.
      </p>
      <ul className={styles.files}>
        {settings.files.map((file) => (
          <File key={file.path} file={file} />
        ))}
      </ul>
    </div>
  );
}

function File({ file }: { file: SettingsFileState }): JSX.Element {
  return (
    <li className={styles.file} data-testid="settings-file">
      <div className={styles.fileHead}>
        <span className={styles.sourceName}>{SOURCES[file.source]}</span>
        <span className={styles.fileState} data-held={file.heldBack || undefined}>
          {stateOf(file)}
        </span>
        <CopyButton text={file.path} label="Copy path" />
      </div>
      <p className={styles.filePath}>
        <SafeText text={file.path} />
      </p>
      {file.problems.map((problem) => (
        <p
          key={`${problem.position?.line}:${problem.position?.column}:${problem.text}`}
          className={styles.fileProblem}
          data-fatal={problem.fatal || undefined}
        >
          <Place problem={problem} />
          <Prose text={problem.text} />
        </p>
      ))}
    </li>
  );
}

function stateOf(file: SettingsFileState): string {
  if (!file.exists) {
    return "not there";
  }
  if (file.heldBack) {
    return "held back: the folder is not trusted";
  }
  return file.problems.some((problem) => problem.fatal) ? "broken, not used" : "in force";
}

function Place({ problem }: { problem: SettingsProblem }): JSX.Element | null {
  const { position } = problem;
  return position === null ? null : (
    <span className={styles.mono}>
      {position.line}:{position.column}{" "}
    </span>
  );
}

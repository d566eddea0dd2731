import type { JSX } from "react";
import type { SettingsFileState, SettingsProblem } from "../../generated/protocol.ts";
import { Button } from "../../shared/Button.tsx";
import { CopyButton } from "../../shared/CopyButton.tsx";
import { ErrorNote } from "../../shared/ErrorNote.tsx";
import { Prose } from "../../shared/Prose.tsx";
import { SafeText } from "../../shared/SafeText.tsx";
import { SOURCES } from "../scopes.ts";
import styles from "./Settings.module.css";
import type { TabProps } from "./SettingsPanel.tsx";
import { useChange } from "./useChange.ts";

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
        <span
          className={styles.fileState}
          data-held={file.heldBack || file.changedInSandbox !== null || undefined}
        >
          {stateOf(file)}
        </span>
        <CopyButton text={file.path} label="Copy path" />
      </div>
      <p className={styles.filePath}>
        <SafeText text={file.path} />
      </p>
      {file.changedInSandbox === null ? null : <Changed file={file} text={file.changedInSandbox} />}
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

/** A command left another text in it, which waits for the person. */
function Changed({ file, text }: { file: SettingsFileState; text: string }): JSX.Element {
  const { change, error } = useChange();
  return (
    <div className={styles.fileProblem} data-testid="changed-in-sandbox">
      <p>
        {file.exists
          ? "It was changed while a command ran in the sandbox, so what it says now has no effect. What it said before has. Look at it before you accept it."
          : "It was removed while a command ran in the sandbox. What it said before still has effect."}
      </p>
      <Button small onPress={() => void change({ type: "accept_file", path: file.path, text })}>
        {file.exists ? "Accept what it says" : "Accept that it is gone"}
      </Button>
      <ErrorNote error={error} />
    </div>
  );
}

function stateOf(file: SettingsFileState): string {
  if (file.changedInSandbox !== null) {
    return "changed by a command, not used";
  }
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

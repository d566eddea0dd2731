import type { JSX } from "react";
import type { BashErrorCascade, ExecutionSettings, Survivors } from "../../generated/protocol.ts";
import { ErrorNote } from "../../shared/ErrorNote.tsx";
import { Choice, type Option } from "./Choice.tsx";
import styles from "./Settings.module.css";
import type { TabProps } from "./SettingsPanel.tsx";
import { useChange } from "./useChange.ts";

const STREAMING: Option<"stream" | "batch">[] = [
  {
    value: "stream",
    name: "While the model speaks",
    meaning: "A call starts as soon as its input is complete.",
  },
  {
    value: "batch",
    name: "After the answer",
    meaning: "Calls start when the whole answer is there, in batches.",
  },
];

const CASCADE: Option<BashErrorCascade>[] = [
  {
    value: "mutating",
    name: "Failed commands that change something",
    meaning: "A failing command that only reads cancels nothing.",
  },
  { value: "siblings", name: "Every failed command" },
  { value: "off", name: "None" },
];

const SURVIVORS: Option<Survivors>[] = [
  {
    value: "keep",
    name: "Go on as a background task",
    meaning: "A server started with & stays until it is stopped or the app ends.",
  },
  { value: "kill", name: "Are ended with their command" },
];

/** A change says only what it changes. */
const UNCHANGED: ExecutionSettings = { streaming: null, bashErrorCascade: null, survivors: null };

/** How calls are run. */
export function ExecutionTab({ settings }: TabProps): JSX.Element {
  const { change, error } = useChange();
  const { streaming, bashErrorCascade, survivors } = settings.execution;
  return (
    <div className={styles.content}>
      <Choice
        label="Calls start"
        options={STREAMING}
        value={streaming === false ? "batch" : "stream"}
        onChange={(value) =>
          void change({
            type: "set_execution",
            execution: { ...UNCHANGED, streaming: value === "stream" },
          })
        }
      />
      <Choice
        label="Later commands of the same answer are cancelled by"
        options={CASCADE}
        value={bashErrorCascade ?? "mutating"}
        onChange={(value) =>
          void change({
            type: "set_execution",
            execution: { ...UNCHANGED, bashErrorCascade: value },
          })
        }
      />
      <Choice
        label="Processes that outlive their command"
        options={SURVIVORS}
        value={survivors ?? "keep"}
        onChange={(value) =>
          void change({
            type: "set_execution",
            execution: { ...UNCHANGED, survivors: value },
          })
        }
      />
      <ErrorNote error={error} />
    </div>
  );
}

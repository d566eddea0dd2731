import type { JSX } from "react";
import type { BashErrorCascade } from "../../generated/protocol.ts";
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

/** How calls are run. */
export function ExecutionTab({ settings }: TabProps): JSX.Element {
  const { change, error } = useChange();
  const { streaming, bashErrorCascade } = settings.execution;
  return (
    <div className={styles.content}>
      <Choice
        label="Calls start"
        options={STREAMING}
        value={streaming === false ? "batch" : "stream"}
        onChange={(value) =>
          void change({
            type: "set_execution",
            execution: { streaming: value === "stream", bashErrorCascade: null },
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
            execution: { streaming: null, bashErrorCascade: value },
          })
        }
      />
      <ErrorNote error={error} />
    </div>
  );
}

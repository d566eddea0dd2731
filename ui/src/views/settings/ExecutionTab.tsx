import type { JSX } from "react";
import type {
  BashErrorCascade,
  ExecutionSettings,
  SandboxMode,
  SandboxNetwork,
  SandboxSettings,
  SandboxState,
  Survivors,
} from "../../generated/protocol.ts";
import { ErrorNote } from "../../shared/ErrorNote.tsx";
import { Choice, type Option } from "./Choice.tsx";
import { HostsField } from "./HostsField.tsx";
import { Limits } from "./Limits.tsx";
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

const SANDBOX: Option<SandboxMode>[] = [
  {
    value: "auto",
    name: "Where it works",
    meaning:
      "What a command was kept from is explained, and it can be run once outside after asking you. What is known only to read runs without it.",
  },
  {
    value: "required",
    name: "Always",
    meaning: "A command that cannot be held does not run, and none runs outside.",
  },
  {
    value: "off",
    name: "Never",
    meaning: "Commands may write wherever you may.",
    risky: true,
  },
];

const NETWORK: Option<SandboxNetwork>[] = [
  { value: "on", name: "Reach the network" },
  {
    value: "allow_listed",
    name: "Reach allowed hosts only",
    meaning: "Through a proxy; what is not listed is refused, named, and can be run once outside.",
  },
  {
    value: "off",
    name: "Do not reach the network",
    meaning: "Installing packages and fetching from a remote fail then.",
  },
];

/** A change says only what it changes. */
const UNCHANGED: ExecutionSettings = {
  streaming: null,
  bashErrorCascade: null,
  survivors: null,
  sandbox: null,
  limits: null,
  agentDepth: null,
};

const SAME_SANDBOX: SandboxSettings = {
  mode: null,
  network: null,
  allowedDomains: [],
  writablePaths: [],
};

/** How calls are run. */
export function ExecutionTab({ settings }: TabProps): JSX.Element {
  const { change, error } = useChange();
  const { streaming, bashErrorCascade, survivors, sandbox, limits } = settings.execution;
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
      <Choice
        label="Commands are held to the project by a sandbox"
        description={inForce(settings.sandbox)}
        options={SANDBOX}
        value={sandbox?.mode ?? "auto"}
        onChange={(mode) =>
          void change({
            type: "set_execution",
            execution: { ...UNCHANGED, sandbox: { ...SAME_SANDBOX, mode } },
          })
        }
      />
      <Choice
        label="Commands in the sandbox"
        options={NETWORK}
        value={sandbox?.network ?? "on"}
        isDisabled={sandbox?.mode === "off"}
        onChange={(network) =>
          void change({
            type: "set_execution",
            execution: { ...UNCHANGED, sandbox: { ...SAME_SANDBOX, network } },
          })
        }
      />
      {sandbox?.network === "allow_listed" && sandbox.mode !== "off" ? (
        <HostsField
          hosts={sandbox.allowedDomains}
          onSave={(domains) => void change({ type: "set_allowed_domains", domains })}
        />
      ) : null}
      <Limits
        limits={limits}
        onChange={(next) => void change({ type: "set_limits", limits: next })}
      />
      <ErrorNote error={error} />
    </div>
  );
}

/** What holds commands now, in words. */
function inForce({ backend, meaning }: SandboxState): string {
  return `In force: ${backend ?? "none"}. ${meaning}`;
}

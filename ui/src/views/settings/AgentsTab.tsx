import type { JSX } from "react";
import type { AgentState } from "../../generated/protocol.ts";
import { Prose } from "../../shared/Prose.tsx";
import { SafeText } from "../../shared/SafeText.tsx";
import styles from "./Settings.module.css";
import type { TabProps } from "./SettingsPanel.tsx";

/** The kinds of agents, and files that define none. */
export function AgentsTab({ settings }: TabProps): JSX.Element {
  return (
    <div className={styles.content}>
      <p>
        An agent works on a task of its own for the first one. Files in <code>.adroit/agents</code>{" "}
        and <code>.claude/agents</code> of a trusted project, and of your own folders, define more.
      </p>
      <ul className={styles.files}>
        {settings.agents.map((agent) => (
          <Agent key={agent.file ?? agent.name} agent={agent} />
        ))}
      </ul>
    </div>
  );
}

function Agent({ agent }: { agent: AgentState }): JSX.Element {
  return (
    <li className={styles.file} data-testid="agent-kind">
      <div className={styles.fileHead}>
        <span className={styles.sourceName}>
          <SafeText text={agent.problem === null ? agent.name : "Not read"} />
        </span>
        <span className={styles.fileState}>{agent.file === null ? "built in" : ""}</span>
      </div>
      {agent.file === null ? null : (
        <p className={styles.filePath}>
          <SafeText text={agent.file} />
        </p>
      )}
      {agent.problem === null ? (
        <p>
          <Prose text={agent.description} /> Tools:{" "}
          <SafeText text={agent.tools.length === 0 ? "all" : agent.tools.join(", ")} />
          {agent.model === null ? "" : <SafeText text={`. Model: ${agent.model}`} />}
        </p>
      ) : (
        <p className={styles.fileProblem}>
          <Prose text={agent.problem} />
        </p>
      )}
    </li>
  );
}

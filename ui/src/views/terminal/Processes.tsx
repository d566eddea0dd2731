import { X } from "lucide-react";
import type { JSX } from "react";
import type { TerminalId, TerminalProcess } from "../../generated/protocol.ts";
import { IconButton } from "../../shared/Button.tsx";
import { SafeText } from "../../shared/SafeText.tsx";
import { formatDuration } from "../../shared/time.ts";
import { useAdroit } from "../adroit.tsx";
import styles from "./Terminal.module.css";
import { memoryWords } from "./words.ts";

interface Props {
  terminal: TerminalId;
  processes: readonly TerminalProcess[];
}

/** The processes of a terminal as a tree, with what they use. */
export function Processes({ terminal, processes }: Props): JSX.Element {
  const { terminals } = useAdroit();
  return (
    <table className={styles.processes} aria-label="Processes" data-testid="processes">
      <thead>
        <tr>
          <th scope="col">Process</th>
          <th scope="col">Number</th>
          <th scope="col">Time</th>
          <th scope="col">Memory</th>
          <th scope="col">Ports</th>
          <td />
        </tr>
      </thead>
      <tbody>
        {processes.map((process) => (
          <tr key={process.pid}>
            <td style={{ paddingInlineStart: `${depth(process, processes)}rem` }}>
              <SafeText text={process.command} />
            </td>
            <td>{process.pid}</td>
            <td>{formatDuration(process.cpuMs)}</td>
            <td>{memoryWords(process.memoryBytes)}</td>
            <td>{process.ports.join(", ")}</td>
            <td>
              <IconButton
                label={`End process ${process.pid}`}
                onPress={() => void terminals.endProcess(terminal, process.pid)}
              >
                <X size={12} />
              </IconButton>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** How many of the others a process descends from. */
function depth(process: TerminalProcess, all: readonly TerminalProcess[]): number {
  let level = 0;
  let parent = all.find(({ pid }) => pid === process.parent);
  while (parent !== undefined && level < all.length) {
    level += 1;
    const { parent: above } = parent;
    parent = all.find(({ pid }) => pid === above);
  }
  return level;
}

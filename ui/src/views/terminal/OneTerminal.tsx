import { Copy, Eraser, ListTree, type LucideIcon, PanelBottomClose, Search, X } from "lucide-react";
import { type JSX, useState } from "react";
import type { TerminalSummary } from "../../generated/protocol.ts";
import { IconButton } from "../../shared/Button.tsx";
import { SafeText } from "../../shared/SafeText.tsx";
import { count, formatDuration, useNow } from "../../shared/time.ts";
import { useAdroit } from "../adroit.tsx";
import { Find } from "./Find.tsx";
import { LinkMenu } from "./LinkMenu.tsx";
import { Processes } from "./Processes.tsx";
import type { Screen } from "./screen.ts";
import styles from "./Terminal.module.css";
import { TerminalView } from "./TerminalView.tsx";
import { cpuBetween, memoryOf, type ProcessLook, useProcesses } from "./useProcesses.ts";
import { endWords, memoryWords } from "./words.ts";

const ICON = 14;

/** One terminal with what is known of its command, and what can be done with it. */
export function OneTerminal({ summary }: { summary: TerminalSummary }): JSX.Element {
  const { terminals: actions, notify } = useAdroit();
  const [screen, setScreen] = useState<Screen | null>(null);
  const [finding, setFinding] = useState(false);
  const [tree, setTree] = useState(false);
  const { terminal, title, cwd, running, survivors } = summary;
  const alive = running || survivors.length > 0;
  const [look, earlier] = useProcesses(terminal, alive);
  const copy = () => {
    navigator.clipboard.writeText(screen?.text() ?? "").then(
      () => notify({ tone: "info", text: "The terminal's text was copied." }),
      () => notify({ tone: "warning", text: "Copying is not allowed here." }),
    );
  };
  return (
    <>
      <div className={styles.facts}>
        <Facts summary={summary} />
        <Use look={look} earlier={earlier} />
        <span className={styles.space} />
        {summary.movable ? (
          <Tool
            label="Move to background"
            icon={PanelBottomClose}
            onPress={() => void actions.background(terminal)}
          />
        ) : null}
        {alive ? (
          <Tool label="Processes" icon={ListTree} pressed={tree} onPress={() => setTree(!tree)} />
        ) : null}
        <Tool label="Find" icon={Search} pressed={finding} onPress={() => setFinding(!finding)} />
        <LinkMenu screen={screen} />
        <Tool label="Copy selection or all" icon={Copy} onPress={copy} />
        <Tool label="Clear" icon={Eraser} onPress={() => screen?.clear()} />
        <Tool
          label={alive ? "End terminal" : "Remove terminal"}
          icon={X}
          onPress={() => void actions.close(terminal)}
        />
      </div>
      {summary.keptBack === null ? null : (
        <p className={styles.keptBack} role="note">
          <SafeText text={summary.keptBack} />
        </p>
      )}
      {finding ? <Find screen={screen} onClose={() => setFinding(false)} /> : null}
      {tree && alive ? <Processes terminal={terminal} processes={look?.processes ?? []} /> : null}
      <TerminalView
        terminal={terminal}
        title={title}
        cwd={cwd}
        running={running}
        onScreen={setScreen}
      />
    </>
  );
}

interface ToolProps {
  label: string;
  icon: LucideIcon;
  pressed?: boolean;
  onPress: () => void;
}

function Tool({ label, icon: Icon, pressed, onPress }: ToolProps): JSX.Element {
  return (
    <IconButton label={label} onPress={onPress} {...(pressed === undefined ? {} : { pressed })}>
      <Icon size={ICON} />
    </IconButton>
  );
}

interface UseProps {
  look: ProcessLook | null;
  earlier: ProcessLook | null;
}

/** What its processes use together. */
function Use({ look, earlier }: UseProps): JSX.Element | null {
  if (look === null || look.processes.length === 0) {
    return null;
  }
  return (
    <>
      {earlier === null ? null : (
        <span className={styles.fact} title="Of one processor, in the last seconds">
          {cpuBetween(earlier, look)} % CPU
        </span>
      )}
      <span className={styles.fact} title="Memory of its processes together">
        {memoryWords(memoryOf(look))}
      </span>
    </>
  );
}

/** Where it runs, for how long, and how it ended. */
function Facts({ summary }: { summary: TerminalSummary }): JSX.Element {
  const { running, cwd, startedAt, elapsedMs, exitCode, survivors, task } = summary;
  const now = useNow(running);
  return (
    <>
      <span className={styles.cwd} title="The folder it runs in">
        <SafeText text={cwd} />
      </span>
      <span className={styles.fact}>{formatDuration(elapsedMs ?? now - startedAt)}</span>
      {running ? null : (
        <span className={styles.fact} data-failed={exitCode !== 0 || undefined}>
          {endWords(summary)}
        </span>
      )}
      {task === null ? null : (
        <span className={styles.badge} title={task}>
          background
        </span>
      )}
      {survivors.length === 0 ? null : (
        <span className={styles.badge} title={survivors.join("\n")}>
          {count(survivors.length, "process", "processes")} left running
        </span>
      )}
    </>
  );
}

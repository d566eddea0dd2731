import { SquareTerminal } from "lucide-react";
import { type JSX, useMemo } from "react";
import { Button } from "../../shared/Button.tsx";
import { CopyButton } from "../../shared/CopyButton.tsx";
import { SafeText } from "../../shared/SafeText.tsx";
import { Lines } from "../../text/Lines.tsx";
import type { BlockOf } from "../block.ts";
import { useBlockContext } from "../context.ts";
import styles from "./Terminal.module.css";

/** A command with its clean output. The real terminal is in the terminal panel. */
export function TerminalBlock({ block }: { block: BlockOf<"terminal"> }): JSX.Element {
  const { showTerminal, lineLimit } = useBlockContext();
  const { terminal, command, cwd, output, exitCode } = block;
  const lines = useMemo(() => output.replace(/\n$/, "").split("\n"), [output]);
  return (
    <figure className={styles.terminal} aria-label="Command">
      <header className={styles.header}>
        <div className={styles.command}>
          <span className={styles.prompt} aria-hidden>
            $
          </span>
          <code>
            <SafeText text={command} strictness="block" />
          </code>
        </div>
        <CopyButton text={command} label="Copy command" />
      </header>
      {output === "" ? null : <Lines lines={lines} styled={[]} limit={lineLimit} />}
      <footer className={styles.footer}>
        <span className={styles.cwd} title="The folder it runs in">
          <SafeText text={cwd} />
        </span>
        {exitCode === undefined ? null : (
          <span className={styles.exit} data-failed={exitCode !== 0 || undefined}>
            exit {exitCode}
          </span>
        )}
        {terminal === undefined ? null : (
          <Button small look="quiet" onPress={() => showTerminal(terminal)}>
            <SquareTerminal size={13} aria-hidden /> Show in terminal
          </Button>
        )}
        {output === "" ? null : <CopyButton text={output} label="Copy output" />}
      </footer>
    </figure>
  );
}

import { Plus } from "lucide-react";
import { type JSX, useEffect } from "react";
import { Tab, TabList, TabPanel, Tabs } from "react-aria-components";
import type { TerminalSummary } from "../../generated/protocol.ts";
import { IconButton } from "../../shared/Button.tsx";
import { escapeText } from "../../shared/deceptive.ts";
import { SafeText } from "../../shared/SafeText.tsx";
import { useAdroit, useUi } from "../adroit.tsx";
import { OneTerminal } from "./OneTerminal.tsx";
import styles from "./Terminal.module.css";
import { endWords } from "./words.ts";

/** The size of a new terminal until it is measured. */
const ROWS = 24;
const COLUMNS = 80;

/** The terminals of the session: those of commands, and the person's own. */
export function TerminalPanel(): JSX.Element {
  const { terminals: actions, setPanels } = useAdroit();
  const terminals = useUi((state) => state.terminals);
  const chosen = useUi((state) => state.panels.activeTerminal);
  const session = useUi((state) => state.current);
  const active = terminals.find((one) => one.terminal === chosen) ?? terminals.at(-1);

  // Another session has other terminals.
  useEffect(() => {
    void actions.refresh();
  }, [actions, session]);

  return (
    <section className={styles.panel} aria-label="Terminal" data-region="terminal">
      <Tabs
        className={styles.tabs ?? ""}
        selectedKey={active?.terminal ?? ""}
        onSelectionChange={(key) => setPanels({ activeTerminal: String(key) })}
      >
        <div className={styles.bar}>
          <TabList className={styles.list ?? ""} aria-label="Terminals" items={terminals}>
            {(summary) => (
              <Tab id={summary.terminal} className={styles.tab ?? ""}>
                <TabWords summary={summary} />
              </Tab>
            )}
          </TabList>
          <IconButton label="New terminal" onPress={() => void actions.open(ROWS, COLUMNS)}>
            <Plus size={15} />
          </IconButton>
        </div>
        {active === undefined ? (
          <p className={styles.empty}>
            Commands show their terminal here while they run and after. “+” opens one of your own.
          </p>
        ) : (
          <TabPanel key={active.terminal} id={active.terminal} className={styles.body ?? ""}>
            <OneTerminal summary={active} />
          </TabPanel>
        )}
      </Tabs>
    </section>
  );
}

function TabWords({ summary }: { summary: TerminalSummary }): JSX.Element {
  const unread = useUi((state) => state.unread.has(summary.terminal));
  const ended = endWords(summary);
  return (
    <>
      <span
        className={styles.dot}
        data-running={summary.running || undefined}
        data-failed={(!summary.running && summary.exitCode !== 0) || undefined}
        role="img"
        aria-label={summary.running ? "running" : ended}
      />
      <span className={styles.title} title={escapeText(summary.title)}>
        <SafeText text={summary.title} />
      </span>
      {unread ? (
        <span className={styles.unread} role="img" aria-label="new output" title="New output" />
      ) : null}
      {summary.running ? null : <span className={styles.exit}>{ended}</span>}
    </>
  );
}

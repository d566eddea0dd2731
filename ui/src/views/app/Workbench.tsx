import { type JSX, lazy, Suspense, useEffect } from "react";
import { Group, Panel, Separator } from "react-resizable-panels";
import type { Project } from "../../generated/protocol.ts";
import { isDialogOpen, isTyping, matchesKeys } from "../../shared/keys.ts";
import { currentSnapshot } from "../../store/state.ts";
import { useAdroit, useUi } from "../adroit.tsx";
import { AgentPanel } from "../agent/AgentPanel.tsx";
import { UndoDialog } from "../changes/UndoDialog.tsx";
import { Conversation } from "../conversation/Conversation.tsx";
import { Inspector } from "../inspector/Inspector.tsx";
import { PlaceDialog } from "../place/PlaceDialog.tsx";
import { SessionList } from "../sessions/SessionList.tsx";
import { TrustQuestion } from "../trust/TrustQuestion.tsx";
import { TitleBar } from "./TitleBar.tsx";
import styles from "./Workbench.module.css";

/** Loaded when it is first shown: the window paints sooner without it. */
const TerminalPanel = lazy(() =>
  import("../terminal/TerminalPanel.tsx").then((module) => ({ default: module.TerminalPanel })),
);

const ChangesPanel = lazy(() =>
  import("../changes/ChangesPanel.tsx").then((module) => ({ default: module.ChangesPanel })),
);

/** The regions that F6 goes through, in order; those that are not there are passed over. */
const REGIONS = ["composer", "requests", "transcript", "changes", "terminal", "sessions"] as const;

/** The window with a project. */
export function Workbench({ project }: { project: Project }): JSX.Element {
  const sidebar = useUi((state) => state.panels.sidebar);
  const terminal = useUi((state) => state.panels.terminal);
  const inspected = useUi((state) => state.panels.inspected);
  const agent = useUi((state) => state.panels.agent);
  const changes = useUi((state) => state.panels.changes !== null);
  const wide = useUi((state) => state.panels.changes?.wide === true);
  useWindowKeys();
  return (
    <div className={styles.workbench}>
      <TitleBar project={project} />
      <div className={styles.body}>
        {sidebar ? <SessionList /> : null}
        <Group
          orientation="horizontal"
          id="columns"
          className={styles.columns ?? ""}
          data-wide={wide || undefined}
        >
          <Panel id="main-panel" minSize="24rem">
            <main className={styles.main}>
              <Group orientation="vertical" id="workbench">
                <Panel id="conversation-panel" minSize="30%">
                  <section className={styles.conversation} aria-label="Conversation">
                    {project.trust === "unknown" ? (
                      <TrustQuestion project={project} />
                    ) : (
                      <Conversation />
                    )}
                  </section>
                </Panel>
                {terminal ? (
                  <>
                    <Separator
                      className={styles.separator ?? ""}
                      aria-label="Height of the terminal"
                    />
                    <Panel id="terminal-panel" defaultSize="34%" minSize="7rem">
                      <Suspense fallback={null}>
                        <TerminalPanel />
                      </Suspense>
                    </Panel>
                  </>
                ) : null}
              </Group>
            </main>
          </Panel>
          {changes ? (
            <>
              <Separator className={styles.upright ?? ""} aria-label="Width of the changes" />
              <Panel id="changes-panel" defaultSize="58%" minSize="26rem">
                <Suspense fallback={null}>
                  <ChangesPanel />
                </Suspense>
              </Panel>
            </>
          ) : null}
        </Group>
        {agent === null && inspected === null ? null : (
          <div className={styles.beside}>
            {agent === null ? null : <AgentPanel agent={agent} />}
            {inspected === null ? null : <Inspector call={inspected} />}
          </div>
        )}
      </div>
      <UndoDialog />
      <PlaceDialog />
    </div>
  );
}

/** The keys of the window. */
function useWindowKeys(): void {
  const { store, setPanels, sessions } = useAdroit();
  useEffect(() => {
    function onKey(event: KeyboardEvent): void {
      if (isDialogOpen()) {
        return;
      }
      const { panels } = store.getState();
      if (matchesKeys(event, "Ctrl+`")) {
        setPanels({ terminal: !panels.terminal });
      } else if (matchesKeys(event, "Ctrl+b")) {
        setPanels({ sidebar: !panels.sidebar });
      } else if (matchesKeys(event, "Ctrl+Shift+g")) {
        setPanels({
          changes: panels.changes === null ? { scope: { type: "session" }, path: null } : null,
        });
      } else if (matchesKeys(event, "Ctrl+,")) {
        setPanels({ settings: "permissions" });
      } else if (matchesKeys(event, "Ctrl+f") && !hasOwnFind(event.target)) {
        setPanels({ finding: true });
      } else if (matchesKeys(event, "Ctrl+i")) {
        setPanels({ inbox: true });
      } else if (matchesKeys(event, "Ctrl+.")) {
        focusRegion("requests");
      } else if (event.key === "Escape" && isAtRest(event)) {
        if (currentSnapshot(store.getState())?.turn.type !== "running") {
          return;
        }
        void sessions.stop();
      } else if (event.key === "F6") {
        cycleRegion(event.shiftKey ? -1 : 1);
      } else {
        return;
      }
      event.preventDefault();
    }
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [store, setPanels, sessions]);
}

/** Whether a place looks through its own text by the same keys. */
function hasOwnFind(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("[data-region=terminal], .cm-editor") !== null;
}

/** Whether Escape closes nothing here, so that it may stop the turn. */
function isAtRest({ target, defaultPrevented }: KeyboardEvent): boolean {
  return (
    !defaultPrevented &&
    !isTyping(target) &&
    (target === document.body ||
      (target instanceof Element && target.closest("[data-region=transcript]") !== null))
  );
}

function cycleRegion(step: 1 | -1): void {
  const here = REGIONS.findIndex((name) => region(name)?.contains(document.activeElement));
  for (let tries = 1; tries <= REGIONS.length; tries += 1) {
    const at = (here + step * tries + REGIONS.length * 2) % REGIONS.length;
    if (focusRegion(REGIONS[at] ?? "composer")) {
      return;
    }
  }
}

/** Moves the focus into a region; false where it is not there. */
function focusRegion(name: (typeof REGIONS)[number]): boolean {
  const element = region(name);
  const target = element?.querySelector<HTMLElement>("[data-region-focus]") ?? element;
  target?.focus();
  return target !== null && target !== undefined;
}

function region(name: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`[data-region="${name}"]`);
}

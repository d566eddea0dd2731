import { type JSX, useEffect } from "react";
import { Toaster } from "sonner";
import { Button } from "../../shared/Button.tsx";
import { ErrorNote } from "../../shared/ErrorNote.tsx";
import type { Adroit } from "../../store/adroit.ts";
import { AdroitProvider, useAdroit, useUi } from "../adroit.tsx";
import { InboxPanel } from "../inbox/Inbox.tsx";
import { Picker } from "../picker/Picker.tsx";
import { SettingsPanel } from "../settings/SettingsPanel.tsx";
import styles from "./App.module.css";
import { ErrorBoundary } from "./ErrorBoundary.tsx";
import { Workbench } from "./Workbench.tsx";

/** The whole window. */
export function App({ adroit }: { adroit: Adroit }): JSX.Element {
  return (
    <ErrorBoundary>
      <AdroitProvider adroit={adroit}>
        <Root />
      </AdroitProvider>
    </ErrorBoundary>
  );
}

function Root(): JSX.Element {
  const theme = useUi((state) => state.settings?.theme ?? "system");
  useEffect(() => {
    const root = document.documentElement;
    if (theme === "system") {
      delete root.dataset.theme;
    } else {
      root.dataset.theme = theme;
    }
  }, [theme]);
  return (
    <>
      <Screen />
      <SettingsPanel />
      <InboxPanel />
      <Toaster
        theme={theme}
        position="top-right"
        offset={{ top: 52, right: 16 }}
        closeButton
        // Side by side: a remark that must be acted on is never under another.
        expand
        visibleToasts={6}
        className={styles.toasts ?? ""}
      />
    </>
  );
}

function Screen(): JSX.Element {
  const adroit = useAdroit();
  const app = useUi((state) => state.app);
  const failure = useUi((state) => state.startFailure);
  const project = useUi((state) => state.project);
  const opening = useUi((state) => state.opening);
  if (failure !== null) {
    return (
      <main className={styles.centre}>
        <h1 className={styles.title}>Adroit did not start</h1>
        <ErrorNote error={failure} />
        <Button look="primary" onPress={() => void adroit.projects.start()}>
          Try again
        </Button>
      </main>
    );
  }
  if (project !== null) {
    return <Workbench project={project} />;
  }
  if (app === null || opening !== null) {
    return (
      <main className={styles.centre} aria-busy>
        <p className={styles.waiting}>{opening === null ? "Starting…" : `Opening ${opening}…`}</p>
      </main>
    );
  }
  return <Picker app={app} />;
}

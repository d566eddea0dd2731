import { X } from "lucide-react";
import { type ComponentType, type JSX, useEffect } from "react";
import {
  Dialog,
  Heading,
  Modal,
  ModalOverlay,
  Tab,
  TabList,
  TabPanel,
  Tabs,
} from "react-aria-components";
import type { SettingsState } from "../../generated/protocol.ts";
import { IconButton } from "../../shared/Button.tsx";
import dialog from "../../shared/Dialog.module.css";
import type { SettingsTab } from "../../store/state.ts";
import { useAdroit, useUi } from "../adroit.tsx";
import { HooksTab } from "../hooks/HooksTab.tsx";
import { AgentsTab } from "./AgentsTab.tsx";
import { AppearanceTab } from "./AppearanceTab.tsx";
import { ExecutionTab } from "./ExecutionTab.tsx";
import { FilesTab } from "./FilesTab.tsx";
import { ModelTab } from "./ModelTab.tsx";
import { PermissionsTab } from "./PermissionsTab.tsx";
import styles from "./Settings.module.css";

/** What every tab gets. */
export interface TabProps {
  /** The settings in force. */
  settings: SettingsState;
}

const TABS: Record<SettingsTab, { name: string; Content: ComponentType<TabProps> }> = {
  permissions: { name: "Permissions", Content: PermissionsTab },
  hooks: { name: "Hooks", Content: HooksTab },
  agents: { name: "Agents", Content: AgentsTab },
  model: { name: "Model", Content: ModelTab },
  appearance: { name: "Appearance", Content: AppearanceTab },
  execution: { name: "Execution", Content: ExecutionTab },
  files: { name: "Files", Content: FilesTab },
};

/** The settings, over the window. */
export function SettingsPanel(): JSX.Element {
  const { setPanels, projects } = useAdroit();
  const tab = useUi((state) => state.panels.settings);
  const settings = useUi((state) => state.settings);
  const problems = settings?.files.reduce((sum, file) => sum + file.problems.length, 0) ?? 0;
  const isOpen = tab !== null;
  const close = () => setPanels({ settings: null });

  // A file may have changed while nobody watched; opening is the moment when it matters.
  useEffect(() => {
    if (isOpen) {
      void projects.refreshSettings();
    }
  }, [isOpen, projects]);

  return (
    <ModalOverlay
      className={dialog.overlay ?? ""}
      isOpen={isOpen}
      isDismissable
      onOpenChange={(open) => {
        if (!open) {
          close();
        }
      }}
    >
      <Modal className={`${dialog.modal} ${styles.modal}`}>
        <Dialog className={styles.dialog ?? ""} data-modal>
          <header className={styles.header}>
            <Heading slot="title" className={styles.heading ?? ""}>
              Settings
            </Heading>
            <IconButton label="Close settings" keys="Esc" onPress={close}>
              <X size={16} />
            </IconButton>
          </header>
          <Tabs
            className={styles.tabs ?? ""}
            orientation="vertical"
            selectedKey={tab ?? "permissions"}
            onSelectionChange={(key) => setPanels({ settings: key as SettingsTab })}
          >
            <TabList className={styles.list ?? ""} aria-label="Settings">
              {Object.entries(TABS).map(([key, { name }]) => (
                <Tab key={key} id={key} className={styles.tab ?? ""}>
                  {name}
                  {key === "files" && problems > 0 ? (
                    <span className={styles.badge} role="img" aria-label={`${problems} problems`}>
                      {problems}
                    </span>
                  ) : null}
                </Tab>
              ))}
            </TabList>
            {Object.entries(TABS).map(([key, { Content }]) => (
              <TabPanel key={key} id={key} className={styles.panel ?? ""}>
                {settings === null ? <p>Loading…</p> : <Content settings={settings} />}
              </TabPanel>
            ))}
          </Tabs>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

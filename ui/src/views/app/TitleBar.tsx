import {
  FileDiff,
  FolderSync,
  PanelLeft,
  Settings,
  ShieldAlert,
  ShieldCheck,
  SquareTerminal,
} from "lucide-react";
import type { JSX } from "react";
import {
  Button as AriaButton,
  Menu,
  MenuItem,
  MenuTrigger,
  Popover,
  Text,
} from "react-aria-components";
import type { Project, Trust } from "../../generated/protocol.ts";
import { IconButton } from "../../shared/Button.tsx";
import menu from "../../shared/Menu.module.css";
import { SafeText } from "../../shared/SafeText.tsx";
import { currentSnapshot } from "../../store/state.ts";
import { useAdroit, useUi } from "../adroit.tsx";
import { InboxButton } from "../inbox/Inbox.tsx";
import { Logo } from "./Logo.tsx";
import styles from "./TitleBar.module.css";

/** The top of the window: where one is, whether it is trusted, which model answers. */
export function TitleBar({ project }: { project: Project }): JSX.Element {
  const { setPanels, projects } = useAdroit();
  const panels = useUi((state) => state.panels);
  const model = useUi((state) => currentSnapshot(state)?.model ?? "");
  return (
    <header className={styles.bar}>
      <IconButton
        label="Sessions"
        keys="Ctrl B"
        pressed={panels.sidebar}
        onPress={() => setPanels({ sidebar: !panels.sidebar })}
      >
        <PanelLeft size={16} />
      </IconButton>
      <Logo size={18} />
      <h1 className={styles.project} title={project.path}>
        <span className={styles.name}>
          <SafeText text={project.name} />
        </span>
        <span className={styles.path} data-testid="project-path">
          <SafeText text={project.path} />
        </span>
      </h1>
      <TrustBadge trust={project.trust} />
      <span className={styles.space} />
      <AriaButton
        className={styles.model ?? ""}
        aria-label={`Model: ${model}`}
        onPress={() => setPanels({ settings: "model" })}
      >
        <SafeText text={model} />
      </AriaButton>
      <InboxButton />
      <IconButton label="Switch project" onPress={() => void projects.leave()}>
        <FolderSync size={16} />
      </IconButton>
      <IconButton
        label="Changes"
        keys="Ctrl Shift G"
        pressed={panels.changes !== null}
        onPress={() =>
          setPanels({
            changes: panels.changes === null ? { scope: { type: "session" }, path: null } : null,
          })
        }
      >
        <FileDiff size={16} />
      </IconButton>
      <IconButton
        label="Terminal"
        keys="Ctrl `"
        pressed={panels.terminal}
        onPress={() => setPanels({ terminal: !panels.terminal })}
      >
        <SquareTerminal size={16} />
      </IconButton>
      <IconButton
        label="Settings"
        keys="Ctrl ,"
        onPress={() => setPanels({ settings: "permissions" })}
      >
        <Settings size={16} />
      </IconButton>
    </header>
  );
}

const TRUST: Record<Trust, string> = {
  unknown: "Not decided",
  trusted: "Trusted",
  untrusted: "Restricted",
};

function TrustBadge({ trust }: { trust: Trust }): JSX.Element {
  const { projects } = useAdroit();
  const Icon = trust === "trusted" ? ShieldCheck : ShieldAlert;
  return (
    <MenuTrigger>
      <AriaButton
        className={styles.trust ?? ""}
        data-trust={trust}
        aria-label={`Trust: ${TRUST[trust]}`}
      >
        <Icon size={13} aria-hidden />
        {TRUST[trust]}
      </AriaButton>
      <Popover className={menu.popover ?? ""} placement="bottom start">
        <Menu
          className={menu.menu ?? ""}
          aria-label="Trust of this folder"
          selectionMode="single"
          selectedKeys={[trust]}
          onAction={(key) => void projects.trust(key === "trusted")}
        >
          <MenuItem id="trusted" textValue="Trusted" className={menu.item ?? ""}>
            <Text slot="label">Trusted</Text>
            <Text slot="description" className={menu.description ?? ""}>
              All tools; settings, hooks and servers of the folder take effect.
            </Text>
          </MenuItem>
          <MenuItem id="untrusted" textValue="Restricted" className={menu.item ?? ""}>
            <Text slot="label">Restricted</Text>
            <Text slot="description" className={menu.description ?? ""}>
              Reading tools only; nothing of the folder takes effect.
            </Text>
          </MenuItem>
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}

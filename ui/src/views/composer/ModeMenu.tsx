import { ChevronDown } from "lucide-react";
import { type JSX, useState } from "react";
import {
  Button as AriaButton,
  Menu,
  MenuItem,
  MenuTrigger,
  Popover,
  Text,
} from "react-aria-components";
import type { Mode } from "../../generated/protocol.ts";
import { ConfirmDialog } from "../../shared/ConfirmDialog.tsx";
import menu from "../../shared/Menu.module.css";
import { currentSnapshot } from "../../store/state.ts";
import { useAdroit, useUi } from "../adroit.tsx";
import { MODE_ORDER, MODES } from "../modes.ts";
import styles from "./Composer.module.css";

/** Switches the mode. Never into bypassing: that needs the menu and its question. */
export function useModeSwitch(): (mode: Mode) => void {
  const { sessions } = useAdroit();
  return (mode) => void sessions.setMode(mode);
}

/** The mode of the session, with all modes to choose from. */
export function ModeMenu(): JSX.Element {
  const mode = useUi((state) => currentSnapshot(state)?.mode ?? "default");
  const switchMode = useModeSwitch();
  const { sessions } = useAdroit();
  const bypass = useBypassQuestion((confirmed) => sessions.setMode("bypassPermissions", confirmed));
  return (
    <>
      <MenuTrigger>
        <AriaButton
          className={styles.mode ?? ""}
          data-mode={mode}
          aria-label={`Mode: ${MODES[mode].name}`}
        >
          <span className={styles.dot} aria-hidden />
          {MODES[mode].name}
          <ChevronDown size={12} aria-hidden />
        </AriaButton>
        <Popover className={menu.popover ?? ""} placement="top start">
          <Menu
            className={menu.menu ?? ""}
            aria-label="Permission mode"
            selectionMode="single"
            selectedKeys={[mode]}
            onAction={(key) => {
              const chosen = key as Mode;
              if (chosen === "bypassPermissions") {
                bypass.ask();
              } else {
                switchMode(chosen);
              }
            }}
          >
            {MODE_ORDER.map((one) => (
              <MenuItem
                key={one}
                id={one}
                textValue={MODES[one].name}
                className={menu.item ?? ""}
                {...(one === "bypassPermissions" ? { "data-danger": true } : {})}
              >
                <Text slot="label">{MODES[one].name}</Text>
                <Text slot="description" className={menu.description ?? ""}>
                  {MODES[one].meaning}
                </Text>
              </MenuItem>
            ))}
          </Menu>
        </Popover>
      </MenuTrigger>
      {bypass.dialog}
    </>
  );
}

/** Asks once before everything runs unasked. `attempt` says whether it was confirmed before. */
export function useBypassQuestion(attempt: (confirmed: boolean) => Promise<boolean>): {
  ask: () => void;
  dialog: JSX.Element;
} {
  const [asking, setAsking] = useState(false);
  return {
    ask: () => void attempt(false).then((taken) => setAsking(!taken)),
    dialog: (
      <ConfirmDialog
        isOpen={asking}
        title="Bypass permissions?"
        confirm="Bypass permissions"
        onCancel={() => setAsking(false)}
        onConfirm={() => {
          setAsking(false);
          void attempt(true);
        }}
      >
        Commands run and files change without a question. Only deny rules, ask rules and safety
        checks still stop a call. Use it where nothing can be lost, such as in a container.
      </ConfirmDialog>
    ),
  };
}

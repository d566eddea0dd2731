import type { JSX } from "react";
import type { Mode } from "../../generated/protocol.ts";
import { ErrorNote } from "../../shared/ErrorNote.tsx";
import { Select } from "../../shared/Select.tsx";
import { currentSnapshot } from "../../store/state.ts";
import { useAdroit, useUi } from "../adroit.tsx";
import { useBypassQuestion } from "../composer/ModeMenu.tsx";
import { MODE_ORDER, MODES } from "../modes.ts";
import { Choice, type Option } from "./Choice.tsx";
import { Rules } from "./Rules.tsx";
import styles from "./Settings.module.css";
import type { TabProps } from "./SettingsPanel.tsx";
import { useChange } from "./useChange.ts";

const OPTIONS: Option<Mode>[] = MODE_ORDER.map((mode) => ({
  value: mode,
  name: MODES[mode].name,
  meaning: MODES[mode].meaning,
  risky: mode === "bypassPermissions",
}));

/** Modes and rules. */
export function PermissionsTab({ settings }: TabProps): JSX.Element {
  const { sessions } = useAdroit();
  const { change, error } = useChange();
  const mode = useUi((state) => currentSnapshot(state)?.mode ?? null);
  const bypassNow = useBypassQuestion((confirmed) =>
    sessions.setMode("bypassPermissions", confirmed),
  );
  const setDefault = (next: Mode) =>
    void change({ type: "set_default_mode", mode: next, scope: "user" });
  const bypassAlways = useBypassQuestion(async (confirmed) => {
    if (confirmed) {
      setDefault("bypassPermissions");
    }
    return confirmed;
  });
  return (
    <div className={styles.content}>
      {mode === null ? null : (
        <Choice
          label="Mode of this session"
          description="Applies to the very next call."
          options={OPTIONS}
          value={mode}
          onChange={(next) =>
            next === "bypassPermissions" ? bypassNow.ask() : void sessions.setMode(next)
          }
        />
      )}
      <section className={styles.section} aria-label="New sessions">
        <Select
          label="Mode of new sessions"
          value={settings.defaultMode}
          options={OPTIONS}
          onChange={(next) =>
            next === "bypassPermissions" ? bypassAlways.ask() : setDefault(next)
          }
        />
        <p className={styles.faint}>
          Kept in your own settings; a project’s settings may say otherwise.
        </p>
      </section>
      <ErrorNote error={error} />
      <Rules settings={settings} />
      {bypassNow.dialog}
      {bypassAlways.dialog}
    </div>
  );
}

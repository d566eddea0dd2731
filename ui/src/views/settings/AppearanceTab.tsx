import type { JSX } from "react";
import type { Density, Theme } from "../../generated/protocol.ts";
import { ErrorNote } from "../../shared/ErrorNote.tsx";
import { Choice, type Option } from "./Choice.tsx";
import styles from "./Settings.module.css";
import type { TabProps } from "./SettingsPanel.tsx";
import { useChange } from "./useChange.ts";

const THEMES: Option<Theme>[] = [
  { value: "system", name: "As the system" },
  { value: "light", name: "Light" },
  { value: "dark", name: "Dark" },
];

const DENSITIES: Option<Density>[] = [
  {
    value: "grouped",
    name: "Grouped",
    meaning: "Consecutive reads, searches and lists fold into one row that names their targets.",
  },
  { value: "expanded", name: "Expanded", meaning: "Every call has its own row, open." },
];

/** How it looks. */
export function AppearanceTab({ settings }: TabProps): JSX.Element {
  const { change, error } = useChange();
  return (
    <div className={styles.content}>
      <Choice
        label="Theme"
        options={THEMES}
        value={settings.theme}
        onChange={(theme) =>
          void change({ type: "set_appearance", appearance: { theme, density: null } })
        }
      />
      <Choice
        label="Density"
        options={DENSITIES}
        value={settings.density}
        onChange={(density) =>
          void change({ type: "set_appearance", appearance: { theme: null, density } })
        }
      />
      <ErrorNote error={error} />
    </div>
  );
}

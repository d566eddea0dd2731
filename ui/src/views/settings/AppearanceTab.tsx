import type { JSX } from "react";
import type { AppearanceSettings, Density, Theme } from "../../generated/protocol.ts";
import { ErrorNote } from "../../shared/ErrorNote.tsx";
import { Choice, type Option } from "./Choice.tsx";
import { SavedField } from "./SavedField.tsx";
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

/** Commands of well-known editors. */
const EDITORS = [
  "code --goto {file}:{line}:{column}",
  "codium --goto {file}:{line}:{column}",
  "zed {file}:{line}:{column}",
  "subl {file}:{line}:{column}",
  "idea --line {line} --column {column} {file}",
  "gvim +{line} {file}",
  "emacsclient -n +{line}:{column} {file}",
];

/** A change that changes nothing yet. */
const KEPT: AppearanceSettings = { theme: null, density: null, editor: null };

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
          void change({ type: "set_appearance", appearance: { ...KEPT, theme } })
        }
      />
      <Choice
        label="Density"
        options={DENSITIES}
        value={settings.density}
        onChange={(density) =>
          void change({ type: "set_appearance", appearance: { ...KEPT, density } })
        }
      />
      <SavedField
        label="Editor"
        value={settings.editor}
        placeholder="None: files show in this window"
        suggestions={EDITORS}
        meaning="The command that opens a file from the terminal or a list of matches. {file}, {line} and {column} stand for the place."
        onSave={(editor) =>
          void change({ type: "set_appearance", appearance: { ...KEPT, editor: editor ?? "" } })
        }
      />
      <ErrorNote error={error} />
    </div>
  );
}

import type { JSX } from "react";
import { Label, Radio, RadioGroup } from "react-aria-components";
import styles from "./Undo.module.css";

/** What goes back to before a message. */
export type Extent = "files" | "conversation" | "both";

const EXTENTS: readonly { extent: Extent; name: string; words: string }[] = [
  { extent: "files", name: "Files", words: "What the agent changed since goes back." },
  {
    extent: "conversation",
    name: "Conversation",
    words: "The message and what followed go out of it; files stay.",
  },
  { extent: "both", name: "Both", words: "As if the message had not been said." },
];

interface Props {
  /** The one that is chosen. */
  extent: Extent;
  /** Chooses another. */
  onChange: (extent: Extent) => void;
}

/** Files, the conversation, or both. */
export function ExtentChoice({ extent, onChange }: Props): JSX.Element {
  return (
    <RadioGroup
      className={styles.extents ?? ""}
      value={extent}
      onChange={(value) => onChange(value as Extent)}
    >
      <Label className={styles.faint ?? ""}>Restore</Label>
      {EXTENTS.map((one) => (
        <Radio key={one.extent} value={one.extent} className={styles.extent ?? ""}>
          <span className={styles.extentName}>{one.name}</span>
          <span className={styles.faint}>{one.words}</span>
        </Radio>
      ))}
    </RadioGroup>
  );
}

import type { JSX } from "react";
import type { LimitSettings } from "../../generated/protocol.ts";
import { SavedField } from "./SavedField.tsx";
import styles from "./Settings.module.css";

interface Limit {
  field: keyof LimitSettings;
  label: string;
  unit: string;
  least: number;
  most: number;
  placeholder: string;
  meaning: string;
}

/** As `LimitSettings` of the protocol checks them. */
const LIMITS: readonly Limit[] = [
  {
    field: "timeoutSeconds",
    label: "Time (seconds)",
    unit: "seconds",
    least: 1,
    most: 600,
    placeholder: "120",
    meaning: "A command that names no time of its own is ended after it.",
  },
  {
    field: "memoryMegabytes",
    label: "Memory (MB)",
    unit: "MB",
    least: 16,
    most: 4_194_304,
    placeholder: "No limit",
    meaning: "Of a command and all that it starts, together.",
  },
  {
    field: "outputMegabytes",
    label: "Output kept on disk (MB)",
    unit: "MB",
    least: 1,
    most: 65_536,
    placeholder: "64",
    meaning: "Of each command; what comes after it is not kept.",
  },
];

interface Props {
  /** Those in force; null where all are the usual. */
  limits: LimitSettings | null;
  /** Sets all of them. */
  onChange: (limits: LimitSettings) => void;
}

/** How much a command may use. */
export function Limits({ limits, onChange }: Props): JSX.Element {
  const now: LimitSettings = limits ?? {
    timeoutSeconds: null,
    memoryMegabytes: null,
    outputMegabytes: null,
  };
  return (
    <fieldset className={styles.limits}>
      <legend className={styles.label}>A command may use</legend>
      {LIMITS.map((limit) => (
        <SavedField
          key={limit.field}
          label={limit.label}
          value={now[limit.field]?.toString() ?? null}
          placeholder={limit.placeholder}
          suggestions={[]}
          meaning={limit.meaning}
          problem={(text) => problem(text, limit)}
          onSave={(text) =>
            onChange({ ...now, [limit.field]: text === null ? null : Number(text) })
          }
        />
      ))}
    </fieldset>
  );
}

/** What is wrong with a text as this limit. */
function problem(text: string, { unit, least, most }: Limit): string | null {
  const inRange = /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most;
  return inRange ? null : `Write a whole number of ${unit}, ${least} to ${most}.`;
}

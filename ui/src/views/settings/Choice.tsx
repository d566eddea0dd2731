import type { JSX } from "react";
import { Label, Radio, RadioGroup, Text } from "react-aria-components";
import styles from "./Settings.module.css";

/** One thing to choose. */
export interface Option<T extends string> {
  /** Its value. */
  value: T;
  /** Its name. */
  name: string;
  /** What it means. */
  meaning?: string;
  /** Marks something risky. */
  risky?: boolean;
}

interface Props<T extends string> {
  /** What is chosen. */
  label: string;
  /** What there is to know about it. */
  description?: string;
  /** The choices. */
  options: readonly Option<T>[];
  /** The one in force; null where none is. */
  value: T | null;
  /** Chooses another. */
  onChange: (value: T) => void;
  /** Cannot be changed now. */
  isDisabled?: boolean;
}

/** One of several. */
export function Choice<T extends string>(props: Props<T>): JSX.Element {
  const { label, description, options, value, onChange, isDisabled = false } = props;
  return (
    <RadioGroup
      className={styles.choice ?? ""}
      value={value}
      isDisabled={isDisabled}
      onChange={(key) => onChange(key as T)}
    >
      <Label className={styles.label ?? ""}>{label}</Label>
      {description === undefined ? null : (
        <Text slot="description" className={styles.faint ?? ""}>
          {description}
        </Text>
      )}
      <div className={styles.options}>
        {options.map((option) => (
          <Radio
            key={option.value}
            value={option.value}
            className={styles.option ?? ""}
            {...(option.risky === true ? { "data-risky": true } : {})}
          >
            <span className={styles.radioDot} aria-hidden />
            <span>
              <span className={styles.optionName}>{option.name}</span>
              {option.meaning === undefined ? null : (
                <span className={styles.meaning}>{option.meaning}</span>
              )}
            </span>
          </Radio>
        ))}
      </div>
    </RadioGroup>
  );
}

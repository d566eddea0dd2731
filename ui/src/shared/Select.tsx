import { ChevronDown } from "lucide-react";
import type { JSX } from "react";
import {
  Select as AriaSelect,
  Button,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  SelectValue,
} from "react-aria-components";
import menu from "./Menu.module.css";
import styles from "./Select.module.css";

interface Props<T extends string> {
  /** What is chosen. */
  label: string;
  /** The one in force. */
  value: T;
  /** The choices. */
  options: readonly { value: T; name: string }[];
  /** Chooses another. */
  onChange: (value: T) => void;
}

/** One of several, folded away. */
export function Select<T extends string>({
  label,
  value,
  options,
  onChange,
}: Props<T>): JSX.Element {
  return (
    <AriaSelect
      className={styles.select ?? ""}
      value={value}
      onChange={(key) => {
        if (key !== null) {
          onChange(String(key) as T);
        }
      }}
    >
      <Label className={styles.label ?? ""}>{label}</Label>
      <Button className={styles.button ?? ""}>
        <SelectValue />
        <ChevronDown size={13} aria-hidden />
      </Button>
      <Popover className={menu.popover ?? ""}>
        <ListBox className={menu.menu ?? ""}>
          {options.map((option) => (
            <ListBoxItem
              key={option.value}
              id={option.value}
              textValue={option.name}
              className={menu.item ?? ""}
            >
              {option.name}
            </ListBoxItem>
          ))}
        </ListBox>
      </Popover>
    </AriaSelect>
  );
}

import type { JSX, ReactNode } from "react";
import {
  Button as AriaButton,
  type ButtonProps,
  Tooltip,
  TooltipTrigger,
} from "react-aria-components";
import styles from "./Button.module.css";

/** How much a button asks for attention. */
export type ButtonLook = "primary" | "plain" | "quiet" | "danger";

interface Props extends Omit<ButtonProps, "className" | "children" | "style"> {
  /** How much it asks for attention; plain by default. */
  look?: ButtonLook;
  /** Small: for rows. */
  small?: boolean;
  /** Its text. */
  children: ReactNode;
}

/** A button with text. */
export function Button({ look = "plain", small = false, children, ...rest }: Props): JSX.Element {
  return (
    <AriaButton
      {...rest}
      className={`${styles.button} ${styles[look]} ${small ? styles.small : ""}`}
    >
      {children}
    </AriaButton>
  );
}

interface IconProps extends Omit<ButtonProps, "className" | "children" | "style" | "aria-label"> {
  /** What it does: its accessible name and its tooltip. */
  label: string;
  /** The keys that do the same. */
  keys?: string;
  /** Whether it is switched on, for a button that switches something. */
  pressed?: boolean;
  /** Its icon. */
  children: ReactNode;
}

/** A button with an icon only; its name shows as a tooltip. */
export function IconButton({ label, keys, pressed, children, ...rest }: IconProps): JSX.Element {
  return (
    <TooltipTrigger delay={500}>
      <AriaButton
        {...rest}
        aria-label={label}
        className={`${styles.icon} ${pressed === true ? styles.on : ""}`}
        {...(pressed === undefined ? {} : { "aria-pressed": pressed })}
      >
        {children}
      </AriaButton>
      <Tooltip className={styles.tooltip ?? ""} offset={6}>
        {label}
        {keys === undefined ? null : <kbd className={styles.keys}>{keys}</kbd>}
      </Tooltip>
    </TooltipTrigger>
  );
}

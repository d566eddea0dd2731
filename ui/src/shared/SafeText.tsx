import { type JSX, memo, type ReactNode } from "react";
import { type Escape, findEscapes, type Strictness } from "./deceptive.ts";
import { overlay, type Styled } from "./ranges.ts";
import styles from "./SafeText.module.css";

interface Props {
  /** The text. */
  text: string;
  /** How strictly it is read; one line by default. */
  strictness?: Strictness;
  /** Stretches with classes of their own, layer over layer. */
  layers?: readonly (readonly Styled[])[];
}

/** Text whose deceptive characters are visible. All text that is not prose is shown by this. */
export const SafeText = memo(function SafeText({
  text,
  strictness = "line",
  layers = [],
}: Props): JSX.Element {
  return <>{safeNodes(text, strictness, layers)}</>;
});

/** The same as nodes. */
export function safeNodes(
  text: string,
  strictness: Strictness,
  layers: readonly (readonly Styled[])[] = [],
): ReactNode {
  const escapes = findEscapes(text, strictness);
  const styled = layers.filter((layer) => layer.length > 0);
  if (escapes.length === 0 && styled.length === 0) {
    return text;
  }
  const marks = escapes.map(({ from, to }) => ({ from, to, className: "" }));
  const byStart = new Map<number, Escape>(escapes.map((mark) => [mark.from, mark]));
  return overlay(text.length, ...styled, marks).map(({ from, to, className }) => {
    const mark = byStart.get(from);
    const classes = className.trim();
    if (mark !== undefined && mark.to === to) {
      return (
        <span key={from} className={`${styles.escape} ${classes}`} title={mark.name}>
          {mark.shown}
        </span>
      );
    }
    const piece = text.slice(from, to);
    return classes === "" ? (
      piece
    ) : (
      <span key={from} className={classes}>
        {piece}
      </span>
    );
  });
}

import { type JSX, memo, useMemo } from "react";
import { CopyButton } from "../shared/CopyButton.tsx";
import { SafeText } from "../shared/SafeText.tsx";
import styles from "./CodeFence.module.css";
import { styledByLine, useHighlight } from "./highlight.ts";
import { Lines } from "./Lines.tsx";

interface Props {
  /** The text. */
  text: string;
  /** The language or the file it is of; may be empty. */
  language: string;
  /** The number of the first line, where numbers show. */
  firstLine?: number | undefined;
  /** How many lines show before the rest folds. */
  limit?: number;
}

/** Program text with colours, and a button that copies the whole of it. */
export const CodeFence = memo(function CodeFence({
  text,
  language,
  firstLine,
  limit = 400,
}: Props): JSX.Element {
  const colours = useHighlight(text, language === "" ? undefined : language);
  const lines = useMemo(() => text.split("\n"), [text]);
  const styled = useMemo(() => styledByLine(lines, colours), [lines, colours]);
  return (
    <figure className={styles.fence}>
      <figcaption className={styles.caption}>
        <span className={styles.language}>
          <SafeText text={language} />
        </span>
        <CopyButton text={text} label="Copy code" />
      </figcaption>
      <Lines lines={lines} styled={styled} firstLine={firstLine} limit={limit} />
    </figure>
  );
});

import type { JSX } from "react";
import styles from "./Prose.module.css";
import { SafeText } from "./SafeText.tsx";

/**
 * A sentence of the program. What stands between backticks is code, and read as strictly
 * as code: it quotes commands, paths and rules.
 */
export function Prose({ text }: { text: string }): JSX.Element {
  const parts = text.split("`");
  // An odd number of backticks is no quoting: the text stays as it is.
  if (parts.length < 3 || parts.length % 2 === 0) {
    return <SafeText text={text} strictness="prose" />;
  }
  return (
    <>
      {parts.map((part, index) => {
        const key = `${index}:${part}`;
        return index % 2 === 0 ? (
          <SafeText key={key} text={part} strictness="prose" />
        ) : (
          <code key={key} className={styles.code}>
            <SafeText text={part} />
          </code>
        );
      })}
    </>
  );
}

import { type JSX, useMemo } from "react";
import { CopyButton } from "../../shared/CopyButton.tsx";
import { Lines } from "../../text/Lines.tsx";
import type { BlockOf } from "../block.ts";
import styles from "../blocks.module.css";
import { useBlockContext } from "../context.ts";

/** Shorter texts are copied by marking them. Lines. */
const WORTH_COPYING = 3;

/** Plain text as it is. */
export function TextBlock({ block }: { block: BlockOf<"text"> }): JSX.Element {
  const { lineLimit } = useBlockContext();
  const lines = useMemo(() => block.text.split("\n"), [block.text]);
  return (
    <div className={`${styles.box} ${styles.copied}`}>
      {lines.length > WORTH_COPYING ? (
        <span className={styles.copy}>
          <CopyButton text={block.text} label="Copy text" />
        </span>
      ) : null}
      <Lines lines={lines} styled={[]} limit={lineLimit} />
    </div>
  );
}

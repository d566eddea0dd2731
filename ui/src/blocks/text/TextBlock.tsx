import { type JSX, useMemo } from "react";
import { Lines } from "../../text/Lines.tsx";
import type { BlockOf } from "../block.ts";
import styles from "../blocks.module.css";
import { useBlockContext } from "../context.ts";

/** Plain text as it is. */
export function TextBlock({ block }: { block: BlockOf<"text"> }): JSX.Element {
  const { lineLimit } = useBlockContext();
  const lines = useMemo(() => block.text.split("\n"), [block.text]);
  return (
    <div className={styles.box}>
      <Lines lines={lines} styled={[]} limit={lineLimit} />
    </div>
  );
}

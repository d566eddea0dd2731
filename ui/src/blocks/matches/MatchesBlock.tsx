import { type JSX, useMemo } from "react";
import type { FileMatches, MatchLine } from "../../generated/protocol.ts";
import { count } from "../../shared/time.ts";
import { LineText } from "../../text/Lines.tsx";
import type { BlockOf } from "../block.ts";
import blocks from "../blocks.module.css";
import { HiddenNote } from "../HiddenNote.tsx";
import { PlaceName } from "../PlaceName.tsx";
import styles from "./Matches.module.css";

/** Lines that matched, by file. */
export function MatchesBlock({ block }: { block: BlockOf<"matches"> }): JSX.Element {
  return (
    <div className={blocks.box}>
      {block.files.length === 0 ? <p className={blocks.nothing}>Nothing matches.</p> : null}
      {block.files.map((file) => (
        <File key={file.path} file={file} />
      ))}
      <HiddenNote number={block.more} one="more match" many="more matches" />
    </div>
  );
}

function File({ file }: { file: FileMatches }): JSX.Element {
  const matches = file.lines.filter((line) => !line.context).length;
  return (
    <section className={styles.file}>
      <header className={styles.header}>
        <span className={styles.path}>
          <PlaceName path={file.path} />
        </span>
        {matches === 0 ? null : (
          <span className={styles.count}>{count(matches, "match", "matches")}</span>
        )}
      </header>
      {file.lines.map((line) => (
        <Line key={line.line} path={file.path} line={line} />
      ))}
    </section>
  );
}

function Line({ path, line }: { path: string; line: MatchLine }): JSX.Element {
  const layers = useMemo(
    () => [line.ranges.map(([from, to]) => ({ from, to, className: styles.hit ?? "" }))],
    [line],
  );
  return (
    <div className={styles.line} data-context={line.context || undefined}>
      <span className={styles.number}>
        <PlaceName path={path} line={line.line} text={String(line.line)} />
      </span>
      <span className={styles.text}>
        <LineText text={line.text} layers={layers} />
      </span>
    </div>
  );
}

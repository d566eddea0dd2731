import { type JSX, useMemo } from "react";
import type { DiffLine, Hunk } from "../../generated/protocol.ts";
import type { Styled } from "../../shared/ranges.ts";
import { VisuallyHidden } from "../../shared/VisuallyHidden.tsx";
import { LineText } from "../../text/Lines.tsx";
import type { DiffLayout } from "../context.ts";
import { emphasisOf, useHunkColours } from "./colours.ts";
import styles from "./Diff.module.css";
import { type PlacedLine, splitRows } from "./rows.ts";

const SIGN = { context: " ", added: "+", removed: "−" } as const;
const WORD = { context: "", added: "added: ", removed: "removed: " } as const;

interface Props {
  /** The hunk. */
  hunk: Hunk;
  /** The file, for its language. */
  path: string;
  /** How it is laid out. */
  layout: DiffLayout;
  /** How many of its lines show. */
  limit: number;
}

/** The rows of one hunk. */
export function DiffHunk({ hunk, path, layout, limit }: Props): JSX.Element {
  const colours = useHunkColours(hunk, path);
  const lines = useMemo(() => hunk.lines.slice(0, limit), [hunk, limit]);
  return (
    <tbody>
      <tr className={styles.place}>
        <th colSpan={4} scope="rowgroup">
          {placeOf(hunk)}
        </th>
      </tr>
      {layout === "unified" ? (
        <UnifiedRows lines={lines} colours={colours} />
      ) : (
        <SplitRows lines={lines} colours={colours} />
      )}
    </tbody>
  );
}

function placeOf(hunk: Hunk): string {
  return `@@ −${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`;
}

interface RowsProps {
  lines: DiffLine[];
  colours: Styled[][];
}

function UnifiedRows({ lines, colours }: RowsProps): JSX.Element {
  return (
    <>
      {lines.map((line, index) => (
        <tr key={index} className={styles[line.kind]}>
          <td className={styles.number}>{line.oldLine}</td>
          <td className={styles.number}>{line.newLine}</td>
          <td className={styles.sign} aria-hidden>
            {SIGN[line.kind]}
          </td>
          <TextCell line={line} colours={colours[index] ?? []} />
        </tr>
      ))}
    </>
  );
}

function SplitRows({ lines, colours }: RowsProps): JSX.Element {
  const rows = useMemo(() => splitRows(lines), [lines]);
  return (
    <>
      {rows.map((row) => (
        <tr key={`${row.old?.index ?? "-"}:${row.fresh?.index ?? "-"}`}>
          <SideCells side={row.old} number={row.old?.line.oldLine} colours={colours} />
          <SideCells side={row.fresh} number={row.fresh?.line.newLine} colours={colours} />
        </tr>
      ))}
    </>
  );
}

interface SideProps {
  side: PlacedLine | null;
  number: number | undefined;
  colours: Styled[][];
}

function SideCells({ side, number, colours }: SideProps): JSX.Element {
  if (side === null) {
    return (
      <>
        <td className={`${styles.number} ${styles.empty}`} />
        <td className={styles.empty} />
      </>
    );
  }
  const kind = styles[side.line.kind];
  return (
    <>
      <td className={`${styles.number} ${kind}`}>{number}</td>
      <TextCell line={side.line} colours={colours[side.index] ?? []} className={kind} />
    </>
  );
}

interface TextProps {
  line: DiffLine;
  colours: Styled[];
  className?: string | undefined;
}

function TextCell({ line, colours, className = "" }: TextProps): JSX.Element {
  const layers = useMemo(() => [colours, emphasisOf(line, styles.word ?? "")], [colours, line]);
  return (
    <td className={`${styles.text} ${className}`}>
      {line.kind === "context" ? null : <VisuallyHidden>{WORD[line.kind]}</VisuallyHidden>}
      <LineText text={line.text} layers={layers} />
      {line.missingNewline ? (
        <span className={styles.mark}>no line ending at the end of the file</span>
      ) : null}
    </td>
  );
}

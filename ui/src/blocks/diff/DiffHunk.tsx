import { type JSX, useMemo, useState } from "react";
import type { DiffLine, Hunk } from "../../generated/protocol.ts";
import type { Styled } from "../../shared/ranges.ts";
import { VisuallyHidden } from "../../shared/VisuallyHidden.tsx";
import { LineText } from "../../text/Lines.tsx";
import { type DiffLayout, useBlockContext } from "../context.ts";
import { emphasisOf, useHunkColours } from "./colours.ts";
import styles from "./Diff.module.css";
import { HunkComments } from "./HunkComments.tsx";
import { HunkHead } from "./HunkHead.tsx";
import lineStyles from "./Lines.module.css";
import { sideOf } from "./places.ts";
import { type PlacedLine, splitRows } from "./rows.ts";

const SIGN = { context: " ", added: "+", removed: "−" } as const;
const WORD = { context: "", added: "added: ", removed: "removed: " } as const;

interface Props {
  /** The hunk. */
  hunk: Hunk;
  /** Its position in the diff, from 0. */
  number: number;
  /** The file, for its language. */
  path: string;
  /** How it is laid out. */
  layout: DiffLayout;
  /** How many of its lines show. */
  limit: number;
}

/** The rows of one hunk. */
export function DiffHunk({ hunk, number, path, layout, limit }: Props): JSX.Element {
  const { review } = useBlockContext();
  const colours = useHunkColours(hunk, path);
  const lines = useMemo(() => hunk.lines.slice(0, limit), [hunk, limit]);
  const [about, setAbout] = useState<DiffLine | null>(null);
  const onLine = review === undefined ? undefined : setAbout;
  return (
    <tbody data-rejected={review?.rejected.has(number) || undefined}>
      <HunkHead
        hunk={hunk}
        number={number}
        onComment={review === undefined ? null : () => setAbout(firstChanged(lines))}
      />
      {layout === "unified" ? (
        <UnifiedRows lines={lines} colours={colours} onLine={onLine} />
      ) : (
        <SplitRows lines={lines} colours={colours} onLine={onLine} />
      )}
      {review === undefined ? null : (
        <HunkComments path={path} lines={lines} review={review} about={about} onAbout={setAbout} />
      )}
    </tbody>
  );
}

function firstChanged(lines: readonly DiffLine[]): DiffLine | null {
  return lines.find((line) => line.kind !== "context") ?? lines[0] ?? null;
}

interface RowsProps {
  lines: DiffLine[];
  colours: Styled[][];
  onLine: OnLine;
}

/** Begins a comment on a line, where lines may be commented. */
type OnLine = ((line: DiffLine) => void) | undefined;

function UnifiedRows({ lines, colours, onLine }: RowsProps): JSX.Element {
  return (
    <>
      {lines.map((line, index) => (
        <tr key={index} className={lineStyles[line.kind]}>
          <NumberCell line={line} number={line.oldLine} onLine={onLine} />
          <NumberCell line={line} number={line.newLine} onLine={onLine} />
          <td className={lineStyles.sign} aria-hidden>
            {SIGN[line.kind]}
          </td>
          <TextCell line={line} colours={colours[index] ?? []} />
        </tr>
      ))}
    </>
  );
}

interface NumberProps {
  line: DiffLine;
  number: number | undefined;
  onLine: OnLine;
  className?: string | undefined;
}

/**
 * The number of a line. Where lines may be commented a click on it begins a comment; by keys
 * that is reached from the head of the place, so that a long diff is no row of tab stops.
 */
function NumberCell({ line, number, onLine, className = "" }: NumberProps): JSX.Element {
  const commented = onLine !== undefined && number === sideOf(line).line;
  return (
    <td className={`${lineStyles.number} ${className}`}>
      {commented ? (
        <button
          type="button"
          tabIndex={-1}
          className={lineStyles.numberButton}
          aria-label={`Comment on ${line.kind === "removed" ? "removed line" : "line"} ${number}`}
          onClick={() => onLine(line)}
        >
          {number}
        </button>
      ) : (
        number
      )}
    </td>
  );
}

function SplitRows({ lines, colours, onLine }: RowsProps): JSX.Element {
  const rows = useMemo(() => splitRows(lines), [lines]);
  return (
    <>
      {rows.map((row) => (
        <tr key={`${row.old?.index ?? "-"}:${row.fresh?.index ?? "-"}`}>
          <SideCells
            side={row.old}
            number={row.old?.line.oldLine}
            colours={colours}
            onLine={onLine}
          />
          <SideCells
            side={row.fresh}
            number={row.fresh?.line.newLine}
            colours={colours}
            onLine={onLine}
          />
        </tr>
      ))}
    </>
  );
}

interface SideProps {
  side: PlacedLine | null;
  number: number | undefined;
  colours: Styled[][];
  onLine: OnLine;
}

function SideCells({ side, number, colours, onLine }: SideProps): JSX.Element {
  if (side === null) {
    return (
      <>
        <td className={`${lineStyles.number} ${lineStyles.empty}`} />
        <td className={lineStyles.empty} />
      </>
    );
  }
  const kind = lineStyles[side.line.kind];
  return (
    <>
      <NumberCell line={side.line} number={number} onLine={onLine} className={kind} />
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
  const layers = useMemo(() => [colours, emphasisOf(line, lineStyles.word ?? "")], [colours, line]);
  return (
    <td className={`${lineStyles.text} ${className}`}>
      {line.kind === "context" ? null : <VisuallyHidden>{WORD[line.kind]}</VisuallyHidden>}
      <LineText text={line.text} layers={layers} />
      {line.missingNewline ? (
        <span className={styles.mark}>no line ending at the end of the file</span>
      ) : null}
    </td>
  );
}

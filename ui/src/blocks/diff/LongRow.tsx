// biome-ignore-all lint/a11y/useFocusableInteractive: rows of a table that only shows are no stops
// biome-ignore-all lint/a11y/useSemanticElements: a table cannot hold only the rows in sight
import { type JSX, memo, useMemo } from "react";
import type { Diff, DiffLine } from "../../generated/protocol.ts";
import type { Styled } from "../../shared/ranges.ts";
import { VisuallyHidden } from "../../shared/VisuallyHidden.tsx";
import { LineText } from "../../text/Lines.tsx";
import { useBlockContext } from "../context.ts";
import { emphasisOf } from "./colours.ts";
import { CommentForm, SaidComment } from "./HunkComments.tsx";
import { HunkActions } from "./HunkHead.tsx";
import lineStyles from "./Lines.module.css";
import styles from "./Long.module.css";
import type { ColoursOf } from "./LongDiff.tsx";
import { endingOf, type LongRow, spaceOf } from "./long.ts";
import { isAbout, sideOf } from "./places.ts";
import type { PlacedLine } from "./rows.ts";

const SIGN = { context: " ", added: "+", removed: "−" } as const;
const WORD = { context: "", added: "added: ", removed: "removed: " } as const;

interface Props {
  /** The row. */
  row: LongRow;
  /** Its number. */
  index: number;
  /** The change that it is of. */
  diff: Diff;
  /** The colours of the lines of a place. */
  colours: ColoursOf;
  /** The place that is looked at. */
  current: number;
  /** Whether white space and line endings are made visible. */
  visible: boolean;
  /** Begins a comment on a line, or gives it up. */
  onLine: (hunk: number, line: DiffLine | null) => void;
  /** Begins a comment on a place. */
  onComment: (hunk: number) => void;
}

/** One row of a long diff. */
export const LongRowView = memo(function LongRowView(props: Props): JSX.Element | null {
  const { row, index, diff, colours, current, onLine, onComment } = props;
  const { review } = useBlockContext();
  const number = { "aria-rowindex": index + 1 };
  switch (row.kind) {
    case "place": {
      const hunk = diff.hunks[row.hunk];
      return hunk === undefined ? null : (
        <div
          {...number}
          role="row"
          className={styles.place}
          data-testid="place"
          data-current={row.hunk === current || undefined}
          data-accepted={review?.done?.accepted.has(row.hunk) || undefined}
        >
          <div role="rowheader">
            <HunkActions
              hunk={hunk}
              number={row.hunk}
              onComment={review === undefined ? null : () => onComment(row.hunk)}
            />
          </div>
        </div>
      );
    }
    case "line": {
      const { line } = row.placed;
      return (
        <div {...number} role="row" className={`${styles.line} ${lineStyles[line.kind]}`}>
          <NumberCell {...props} placed={row.placed} hunk={row.hunk} number={line.oldLine} />
          <NumberCell {...props} placed={row.placed} hunk={row.hunk} number={line.newLine} />
          <div role="cell" className={lineStyles.sign} aria-hidden>
            {SIGN[line.kind]}
          </div>
          <TextCell {...props} placed={row.placed} colours={colours(row.hunk)} />
        </div>
      );
    }
    case "pair":
      return (
        <div {...number} role="row" className={styles.line}>
          <Side {...props} placed={row.old} hunk={row.hunk} side="old" />
          <Side {...props} placed={row.fresh} hunk={row.hunk} side="new" />
        </div>
      );
    case "said":
      return review === undefined ? null : (
        <div {...number} role="row" className={styles.said}>
          <div role="cell">
            <SaidComment comment={row.comment} onTakeBack={review.comment} />
          </div>
        </div>
      );
    case "form":
      return review === undefined ? null : (
        <div {...number} role="row" className={styles.said}>
          <div role="cell">
            <CommentForm
              key={`${row.line.oldLine}:${row.line.newLine}`}
              path={diff.path}
              lines={diff.hunks[row.hunk]?.lines ?? []}
              about={row.line}
              before={review.comments.find((said) => isAbout(said, diff.path, row.line))}
              onAbout={(line) => onLine(row.hunk, line)}
              onSay={review.comment}
            />
          </div>
        </div>
      );
  }
});

interface SideProps extends Omit<Props, "row"> {
  placed: PlacedLine | null;
  hunk: number;
  side: "old" | "new";
}

function Side({ placed, hunk, side, ...props }: SideProps): JSX.Element {
  if (placed === null) {
    return (
      <>
        <div role="cell" className={`${lineStyles.number} ${lineStyles.empty}`} />
        <div role="cell" className={lineStyles.empty} />
      </>
    );
  }
  const number = side === "old" ? placed.line.oldLine : placed.line.newLine;
  const kind = lineStyles[placed.line.kind];
  return (
    <>
      <NumberCell {...props} placed={placed} hunk={hunk} number={number} className={kind} />
      <TextCell
        placed={placed}
        colours={props.colours(hunk)}
        visible={props.visible}
        className={kind}
      />
    </>
  );
}

interface NumberProps extends Pick<Props, "onLine"> {
  placed: PlacedLine;
  hunk: number;
  number: number | undefined;
  className?: string | undefined;
}

/** The number of a line; a click on it begins a comment. By keys one comments on the place. */
function NumberCell({ placed, hunk, number, onLine, className = "" }: NumberProps): JSX.Element {
  const { review } = useBlockContext();
  const { line } = placed;
  return (
    <div role="cell" className={`${lineStyles.number} ${className}`}>
      {review !== undefined && number === sideOf(line).line ? (
        <button
          type="button"
          tabIndex={-1}
          className={lineStyles.numberButton}
          aria-label={`Comment on ${line.kind === "removed" ? "removed line" : "line"} ${number}`}
          onClick={() => onLine(hunk, line)}
        >
          {number}
        </button>
      ) : (
        number
      )}
    </div>
  );
}

interface TextProps {
  placed: PlacedLine;
  colours: Styled[][];
  visible: boolean;
  className?: string | undefined;
}

function TextCell({ placed, colours, visible, className = "" }: TextProps): JSX.Element {
  const { line, index } = placed;
  const own = colours[index];
  const layers = useMemo(
    () => [
      own ?? [],
      emphasisOf(line, lineStyles.word ?? ""),
      visible ? spaceOf(line.text, styles.space ?? "", styles.tab ?? "") : [],
    ],
    [own, line, visible],
  );
  return (
    <div role="cell" className={`${lineStyles.text} ${className}`}>
      {line.kind === "context" ? null : <VisuallyHidden>{WORD[line.kind]}</VisuallyHidden>}
      <LineText text={line.text} layers={layers} />
      {visible || line.missingNewline ? (
        <span className={styles.ending}>
          {visible ? endingOf(line) : "no line ending at the end of the file"}
        </span>
      ) : null}
    </div>
  );
}

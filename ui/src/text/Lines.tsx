import { type JSX, memo, useMemo, useState } from "react";
import type { Styled } from "../shared/ranges.ts";
import { SafeText } from "../shared/SafeText.tsx";
import { count } from "../shared/time.ts";
import styles from "./Lines.module.css";

/** Longer lines are cut, with a button that shows the rest. UTF-16 units. */
const LONGEST_LINE = 2_000;

interface LineProps {
  /** The line. */
  text: string;
  /** Its colours and marks. */
  layers: readonly (readonly Styled[])[];
}

/** One line of program text. A very long one is cut, and says so. */
export const LineText = memo(function LineText({ text, layers }: LineProps): JSX.Element {
  const [whole, setWhole] = useState(false);
  if (whole || text.length <= LONGEST_LINE) {
    return <SafeText text={text} strictness="block" layers={layers} />;
  }
  const rest = text.length - LONGEST_LINE;
  return (
    <>
      <SafeText text={text.slice(0, LONGEST_LINE)} strictness="block" layers={layers} />
      <button type="button" className={styles.more} onClick={() => setWhole(true)}>
        … {count(rest, "more character")}
      </button>
    </>
  );
});

interface LinesProps {
  /** The lines. */
  lines: readonly string[];
  /** Colours and marks of each. */
  styled: readonly (readonly Styled[])[];
  /** The number of the first; without it no numbers show. */
  firstLine?: number | undefined;
  /** The number of a line that stands out. */
  marked?: number | undefined;
  /** How many show at first. */
  limit: number;
}

/** Lines of program text with their numbers. Many are folded behind a button with their count. */
export function Lines({ lines, styled, firstLine, marked, limit }: LinesProps): JSX.Element {
  const [all, setAll] = useState(false);
  const shown = useMemo(
    () => (all || lines.length <= limit ? lines : lines.slice(0, limit)),
    [all, lines, limit],
  );
  const hidden = lines.length - shown.length;
  return (
    <>
      <div className={styles.lines}>
        {shown.map((line, index) => (
          <div
            key={index}
            className={styles.line}
            data-marked={(marked !== undefined && index + (firstLine ?? 1) === marked) || undefined}
          >
            {firstLine === undefined ? null : (
              <span className={styles.number} aria-hidden>
                {firstLine + index}
              </span>
            )}
            <span className={styles.text}>
              <LineText text={line} layers={[styled[index] ?? []]} />
            </span>
          </div>
        ))}
      </div>
      {hidden > 0 ? (
        <button type="button" className={styles.fold} onClick={() => setAll(true)}>
          Show {count(hidden, "more line")}
        </button>
      ) : null}
    </>
  );
}

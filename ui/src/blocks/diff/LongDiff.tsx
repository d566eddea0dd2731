// biome-ignore-all lint/a11y/useSemanticElements: a table cannot hold only the rows in sight
import type { Parser } from "@lezer/common";
import {
  type JSX,
  type RefObject,
  useCallback,
  useEffect,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
} from "react";
import { VList, type VListHandle } from "virtua";
import type { Diff, DiffLine } from "../../generated/protocol.ts";
import type { Styled } from "../../shared/ranges.ts";
import { useParser } from "../../text/highlight.ts";
import { useBlockContext } from "../context.ts";
import { hunkColours } from "./colours.ts";
import styles from "./Long.module.css";
import { LongRowView } from "./LongRow.tsx";
import { type About, longRows } from "./long.ts";

/** Hunks with more text than this show without colours. UTF-16 units. */
const LONGEST = 600_000;

/** What can be asked of a diff from outside. */
export interface LongDiffHandle {
  /** Begins a comment on the first changed line of a place. */
  comment(hunk: number): void;
}

interface Props {
  /** The change. */
  diff: Diff;
  /** The place that is looked at. */
  current: number;
  /** Whether white space and line endings are made visible. */
  visible: boolean;
  /** What can be asked of it. */
  handle: RefObject<LongDiffHandle | null>;
}

/** A change of any length: only the rows in sight are in the page. */
export function LongDiff({ diff, current, visible, handle }: Props): JSX.Element {
  const { diffLayout, review } = useBlockContext();
  const [about, setAbout] = useState<About | null>(null);
  const list = useRef<VListHandle>(null);
  const comments = review?.comments;
  const rows = useMemo(
    () => longRows(diff, diffLayout, comments ?? [], about),
    [diff, diffLayout, comments, about],
  );
  const colours = useColours(diff);
  const comment = useCallback(
    (hunk: number) => {
      const lines = diff.hunks[hunk]?.lines ?? [];
      const line = lines.find(({ kind }) => kind !== "context") ?? lines[0];
      setAbout(line === undefined ? null : { hunk, line });
    },
    [diff],
  );
  useImperativeHandle(handle, () => ({ comment }), [comment]);
  const latest = useRef(rows);
  latest.current = rows;
  useEffect(() => {
    const at = latest.current.findIndex((row) => row.kind === "place" && row.hunk === current);
    if (at >= 0) {
      // The first place shows from the top; others with what is before them.
      list.current?.scrollToIndex(at, { align: current === 0 ? "start" : "center" });
    }
  }, [current]);
  const onLine = useCallback(
    (hunk: number, line: DiffLine | null) => setAbout(line === null ? null : { hunk, line }),
    [],
  );
  return (
    <div
      role="table"
      aria-label={`Changes of ${diff.path}`}
      aria-rowcount={rows.length}
      className={`${styles.table} ${styles[diffLayout]}`}
      data-testid="long-diff"
      data-rows={rows.length}
    >
      <VList ref={list} data={rows} className={styles.rows ?? ""} role="rowgroup" tabIndex={0}>
        {(row, index) => (
          <LongRowView
            key={row.key}
            row={row}
            index={index}
            diff={diff}
            colours={colours}
            current={current}
            visible={visible}
            onLine={onLine}
            onComment={comment}
          />
        )}
      </VList>
    </div>
  );
}

/** Gives the colours of the lines of a place. */
export type ColoursOf = (hunk: number) => Styled[][];

/** Colours are made for places that come into sight, once for each. */
function useColours(diff: Diff): ColoursOf {
  const parser: Parser | null = useParser(diff.path);
  return useMemo(() => {
    const known = new Map<number, Styled[][]>();
    return (hunk) => {
      const before = known.get(hunk);
      if (before !== undefined) {
        return before;
      }
      const found = diff.hunks[hunk];
      const colours = found === undefined ? [] : hunkColours(parser, found, LONGEST);
      known.set(hunk, colours);
      return colours;
    };
  }, [diff, parser]);
}

import type { StageRecord } from "../../generated/protocol.ts";

/** The stages in words, from 1. */
const STAGES: readonly string[] = [
  "Receive the call",
  "Find the tool",
  "Check the form of the input",
  "Tool’s own check",
  "Hooks before",
  "Deny rules",
  "Ask and allow rules",
  "Mode and consent",
  "Telemetry begins",
  "Run",
  "Hooks after",
  "Telemetry ends",
  "Make the result",
  "Hand on context",
];

/** One line of the trace. */
export interface StageLine {
  /** 1 to 14. */
  number: number;
  /** What it is for. */
  name: string;
  /** What happened there; null where the call did not come so far. */
  reached: StageRecord | null;
}

/**
 * All stages, those included that the call never came to.
 *
 * A call whose input was changed has some of them again, in the order in which they were.
 */
export function stageLines(recorded: readonly StageRecord[]): StageLine[] {
  const lines: StageLine[] = recorded.map((reached) => ({
    number: reached.number,
    name: STAGES[reached.number - 1] ?? reached.name,
    reached,
  }));
  STAGES.forEach((name, index) => {
    const number = index + 1;
    if (!lines.some((line) => line.number === number)) {
      const before = lines.findLastIndex((line) => line.number < number);
      lines.splice(before + 1, 0, { number, name, reached: null });
    }
  });
  return lines;
}

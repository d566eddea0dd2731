import { describe, expect, it } from "vitest";
import type { StageRecord } from "../../generated/protocol.ts";
import { stageLines } from "./stages.ts";

const reached = (number: number): StageRecord => ({
  number,
  name: `stage_${number}`,
  outcome: "passed",
  durationUs: number,
});
const all = Array.from({ length: 14 }, (_, index) => index + 1);

describe("the stages of a call", () => {
  it("are all named, those it never came to in their place", () => {
    const lines = stageLines([1, 2, 3, 12, 13].map(reached));
    expect(lines.map(({ number }) => number)).toEqual(all);
    expect(lines.filter((line) => line.reached === null).map(({ number }) => number)).toEqual([
      4, 5, 6, 7, 8, 9, 10, 11, 14,
    ]);
    expect(lines[12]).toEqual({ number: 13, name: "Make the result", reached: reached(13) });
  });

  it("show a second round where a change sent the call back", () => {
    const numbers = [1, 2, 3, 4, 5, 3, 4, 5, 6];
    const lines = stageLines(numbers.map(reached));
    expect(lines.map(({ number }) => number)).toEqual([...numbers, 7, 8, 9, 10, 11, 12, 13, 14]);
  });

  it("are none that happened before anything was recorded", () => {
    const lines = stageLines([]);
    expect(lines.map(({ number }) => number)).toEqual(all);
    expect(lines.every((line) => line.reached === null)).toBe(true);
  });
});

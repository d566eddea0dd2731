import { describe, expect, it } from "vitest";
import { cpuBetween, memoryOf, type ProcessLook } from "./useProcesses.ts";

function look(at: number, ...used: [pid: number, cpuMs: number][]): ProcessLook {
  const processes = used.map(([pid, cpuMs]) => ({
    pid,
    parent: 1,
    command: "work",
    cpuMs,
    memoryBytes: 1_000,
    ports: [],
  }));
  return { at, processes };
}

describe("what processes use", () => {
  it("is what they used between two looks", () => {
    expect(cpuBetween(look(0, [1, 500]), look(2_000, [1, 1_500]))).toBe(50);
    expect(cpuBetween(look(0, [1, 0], [2, 0]), look(1_000, [1, 1_000], [2, 1_000]))).toBe(200);
  });

  it("counts those that began, and never falls below nothing", () => {
    expect(cpuBetween(look(0, [1, 900]), look(1_000, [2, 250]))).toBe(25);
    // The number was given to another process.
    expect(cpuBetween(look(0, [1, 900]), look(1_000, [1, 10]))).toBe(0);
    expect(cpuBetween(look(5, [1, 0]), look(5, [1, 0]))).toBe(0);
  });

  it("has the memory of all", () => {
    expect(memoryOf(look(0, [1, 0], [2, 0]))).toBe(2_000);
  });
});

import { useEffect, useState } from "react";
import type { TerminalId, TerminalProcess } from "../../generated/protocol.ts";
import { useAdroit } from "../adroit.tsx";

/** Time between two looks, milliseconds. Only while somebody looks. */
const LOOK = 2_000;

/** The processes of a terminal at one moment. */
export interface ProcessLook {
  /** When, milliseconds. */
  at: number;
  /** Them. */
  processes: TerminalProcess[];
}

/** The processes of a terminal, looked at again and again, and the look before. */
export function useProcesses(
  terminal: TerminalId,
  alive: boolean,
): readonly [ProcessLook | null, ProcessLook | null] {
  const { terminals } = useAdroit();
  const [looks, setLooks] = useState<readonly [ProcessLook | null, ProcessLook | null]>([
    null,
    null,
  ]);
  useEffect(() => {
    if (!alive) {
      setLooks([null, null]);
      return;
    }
    let isOpen = true;
    const look = async () => {
      const outcome = await terminals.processes(terminal);
      if (isOpen && outcome.ok) {
        const { processes } = outcome.value;
        setLooks(([last]) => [{ at: performance.now(), processes }, last]);
      }
    };
    void look();
    const timer = setInterval(() => void look(), LOOK);
    return () => {
      isOpen = false;
      clearInterval(timer);
    };
  }, [terminals, terminal, alive]);
  return looks;
}

/** Memory of all, bytes. */
export function memoryOf({ processes }: ProcessLook): number {
  return processes.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0);
}

/** How much of one processor they used between two looks, percent; 200 are two processors. */
export function cpuBetween(earlier: ProcessLook, later: ProcessLook): number {
  const before = new Map(earlier.processes.map(({ pid, cpuMs }) => [pid, cpuMs]));
  // A process that began between them used all that it used since.
  const used = later.processes.reduce(
    (sum, { pid, cpuMs }) => sum + Math.max(0, cpuMs - (before.get(pid) ?? 0)),
    0,
  );
  return Math.round((used / Math.max(1, later.at - earlier.at)) * 100);
}

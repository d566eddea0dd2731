import type { TerminalSummary } from "../../generated/protocol.ts";

/** How a command ended: `exit 1: no match`. */
export function endWords({ exitCode, meaning }: TerminalSummary): string {
  const code = exitCode === null ? "ended" : `exit ${exitCode}`;
  return meaning === null ? code : `${code}: ${meaning}`;
}

/** Memory in words: `812 KB`, `14 MB`. */
export function memoryWords(bytes: number): string {
  const units = ["KB", "MB", "GB"];
  let value = bytes / 1024;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value < 10 && unit > 0 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

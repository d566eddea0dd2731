import type { Usage } from "../../generated/protocol.ts";

/** All tokens of a usage, cached ones included. */
export function tokensOf(usage: Usage): number {
  return usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
}

/** A count in few characters: 950, 1.2k, 34k, 1.5M. */
export function shortCount(number: number): string {
  for (const [size, letter] of [
    [1_000_000, "M"],
    [1_000, "k"],
  ] as const) {
    // What would round up to the next letter has it already.
    if (number >= size - size / 2_000) {
      const part = number / size;
      return `${part < 9.95 ? part.toFixed(1) : Math.round(part)}${letter}`;
    }
  }
  return String(number);
}

/** A usage in words. */
export function usageWords(usage: Usage): string {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  const parts = [
    `${inputTokens.toLocaleString("en")} read`,
    `${outputTokens.toLocaleString("en")} written`,
  ];
  if (cacheReadTokens > 0) {
    parts.push(`${cacheReadTokens.toLocaleString("en")} from the cache`);
  }
  if (cacheWriteTokens > 0) {
    parts.push(`${cacheWriteTokens.toLocaleString("en")} to the cache`);
  }
  return parts.join(", ");
}

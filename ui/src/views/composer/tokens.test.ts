import { expect, it } from "vitest";
import { shortCount, tokensOf, usageWords } from "./tokens.ts";

it("shortens counts", () => {
  const shown = [0, 950, 999.6, 1_234, 9_960, 34_400, 999_900, 1_500_000].map(shortCount);
  expect(shown).toEqual(["0", "950", "1.0k", "1.2k", "10k", "34k", "1.0M", "1.5M"]);
});

it("tells every kind of token", () => {
  const usage = {
    inputTokens: 1_200,
    outputTokens: 30,
    cacheReadTokens: 5_000,
    cacheWriteTokens: 0,
  };
  expect(tokensOf(usage)).toBe(6_230);
  expect(usageWords(usage)).toBe("1,200 read, 30 written, 5,000 from the cache");
});

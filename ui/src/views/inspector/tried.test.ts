import { expect, it } from "vitest";
import { readRules, ruleLines } from "./tried.ts";

it("writes rules as lines and reads them back", () => {
  const text = ruleLines([
    { rule: "Bash(cargo test:*)", behavior: "allow", source: "project" },
    { rule: "Read(.env)", behavior: "deny", source: "user" },
  ]);
  expect(text).toBe("deny Read(.env)\nallow Bash(cargo test:*)");
  expect(readRules(text)).toEqual({
    rules: [
      { behavior: "deny", rule: "Read(.env)" },
      { behavior: "allow", rule: "Bash(cargo test:*)" },
    ],
    wrong: [],
  });
});

it("names the lines that are no rule, and passes over remarks", () => {
  expect(readRules("# mine\n\nBash\nallow\nask Bash")).toEqual({
    rules: [{ behavior: "ask", rule: "Bash" }],
    wrong: [3, 4],
  });
});

import type { Behavior, RuleEntry, WhatIfRule } from "../../generated/protocol.ts";

const BEHAVIORS: readonly Behavior[] = ["deny", "ask", "allow"];

/** Rules as text, one a line: what they do, then the rule. */
export function ruleLines(rules: readonly RuleEntry[]): string {
  return BEHAVIORS.flatMap((behavior) =>
    rules.filter((rule) => rule.behavior === behavior).map(({ rule }) => `${behavior} ${rule}`),
  ).join("\n");
}

/** What a text of rules says. */
export interface TriedRules {
  /** The rules. */
  rules: WhatIfRule[];
  /** Lines that are no rule, by their number from 1. */
  wrong: number[];
}

/** Reads rules from text; empty lines and such with a leading # are passed over. */
export function readRules(text: string): TriedRules {
  const tried: TriedRules = { rules: [], wrong: [] };
  text.split("\n").forEach((line, index) => {
    const trimmed = line.trim();
    if (trimmed === "" || trimmed.startsWith("#")) {
      return;
    }
    const match = /^(deny|ask|allow)\s+(\S.*)$/.exec(trimmed);
    if (match?.[1] === undefined || match[2] === undefined) {
      tried.wrong.push(index + 1);
    } else {
      tried.rules.push({ behavior: match[1] as Behavior, rule: match[2] });
    }
  });
  return tried;
}

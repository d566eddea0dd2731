/** Settings as the panel shows them. */

import type { SettingsState } from "../src/generated/protocol.ts";

const PROJECT = "/home/ada/code/lantern";

/** Settings with rules of several sources and a broken file. */
export function settings(part: Partial<SettingsState> = {}): SettingsState {
  return {
    files: [
      {
        source: "project_local",
        path: `${PROJECT}/.adroit/settings.local.json`,
        exists: true,
        heldBack: false,
        changedInSandbox: null,
        problems: [
          {
            position: { line: 4, column: 21 },
            text: "Expected `,` or `]`. The file is not used; what it denied stays denied.",
            fatal: true,
          },
        ],
      },
      {
        source: "project",
        path: `${PROJECT}/.adroit/settings.json`,
        exists: true,
        heldBack: false,
        changedInSandbox: null,
        problems: [],
      },
      {
        source: "project",
        path: `${PROJECT}/.claude/settings.json`,
        exists: true,
        heldBack: false,
        changedInSandbox: "7d1c",
        problems: [],
      },
      {
        source: "user",
        path: "/home/ada/.config/adroit/settings.json",
        exists: false,
        heldBack: false,
        changedInSandbox: null,
        problems: [],
      },
    ],
    rules: [
      {
        rule: "Bash(git push:*)",
        behavior: "deny",
        source: "project",
        file: `${PROJECT}/.adroit/settings.json`,
        position: { line: 6, column: 7 },
      },
      {
        rule: "Bash(cargo test:*)",
        behavior: "allow",
        source: "project",
        file: `${PROJECT}/.adroit/settings.json`,
        position: { line: 3, column: 7 },
      },
      {
        rule: "Bash(rm *",
        behavior: "deny",
        source: "user",
        file: "/home/ada/.config/adroit/settings.json",
        position: { line: 9, column: 5 },
        problem: "The parenthesis is not closed; until it is, every Bash call is denied.",
      },
      { rule: "Edit(src/**)", behavior: "allow", source: "session" },
    ],
    reports: [
      {
        rule: {
          rule: "Bash(rm *",
          behavior: "deny",
          source: "user",
          file: "/home/ada/.config/adroit/settings.json",
          position: { line: 9, column: 5 },
        },
        kind: "invalid",
        text: "the parenthesis is not closed; it denies all that it may speak of",
      },
      {
        rule: {
          rule: "Bash(cargo test:*)",
          behavior: "allow",
          source: "project",
          file: `${PROJECT}/.adroit/settings.json`,
          position: { line: 3, column: 7 },
        },
        kind: "unreachable",
        text: "the ask rule `Bash(cargo:*)` (managed settings) goes before it",
      },
    ],
    defaultMode: "default",
    theme: "system",
    density: "grouped",
    editor: null,
    compaction: { automatic: null, thresholdPercent: null },
    agents: [],
    execution: {
      streaming: true,
      bashErrorCascade: "mutating",
      survivors: "keep",
      sandbox: null,
      limits: null,
      agentDepth: null,
    },
    sandbox: {
      backend: "bubblewrap",
      meaning:
        "Commands write to the project, temporary folders and caches alone; protected paths in the project stay as they are.",
    },
    provider: "anthropic",
    model: "large",
    baseUrl: null,
    keys: [
      { provider: "offline", origin: "none", place: "" },
      { provider: "anthropic", origin: "environment", place: "ANTHROPIC_API_KEY" },
      { provider: "openai-chat", origin: "none", place: "" },
    ],
    ...part,
  };
}

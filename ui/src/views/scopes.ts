import type { RuleScope, RuleSource } from "../generated/protocol.ts";

/** Where an answer may be remembered, in words. */
export const SCOPES: readonly { scope: RuleScope; name: string; meaning: string }[] = [
  {
    scope: "session",
    name: "This session",
    meaning: "Until the session ends; nothing is written.",
  },
  {
    scope: "project_local",
    name: "Project, only me",
    meaning: "In the project’s local settings, which are not shared.",
  },
  {
    scope: "project",
    name: "Project, shared",
    meaning: "In the project’s settings, which others who work on it get too.",
  },
  { scope: "user", name: "All my projects", meaning: "In your own settings." },
];

/** Where a rule comes from, in words. */
export const SOURCES: Record<RuleSource, string> = {
  managed: "Managed",
  command_line: "Command line",
  project_local: "Project, only me",
  project: "Project, shared",
  user: "All my projects",
  session: "This session",
};

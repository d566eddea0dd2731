import type { Item, PermissionRequest, Question } from "../src/generated/protocol.ts";
import { call, NOW, view } from "./scenes.ts";

/** One answer, with what each choice means. */
export const STORE: Question = {
  header: "Storage",
  question: "Where shall the lamp keep its settings?",
  choices: [
    {
      label: "A file beside the program (recommended)",
      description: "Nothing to set up; one lamp a machine.",
    },
    { label: "SQLite", description: "Survives a crash while it writes. One dependency more." },
    { label: "The keyring", description: "Only on machines that have one." },
  ],
  multiple: false,
};

/** Several answers. */
export const FORMATS: Question = {
  header: "Formats",
  question: "Which formats shall it read?",
  choices: [
    { label: "TOML", description: "As the rest of the project." },
    { label: "JSON", description: "As other lamps do." },
  ],
  multiple: true,
};

/** Two questions that wait. */
export function questionRequest(part: Partial<PermissionRequest> = {}): PermissionRequest {
  return {
    id: "req_q",
    nonce: "nonce-q",
    session: "ses_1",
    call: "cq",
    tool: "AskUserQuestion",
    toolLabel: "Question",
    description: "Asks 2 questions.",
    openWorld: false,
    view: view({
      title: "Ask 2 questions",
      blocks: [
        { type: "question", ...STORE },
        { type: "question", ...FORMATS },
      ],
    }),
    input: {},
    reasons: [{ text: "it is a question to you" }],
    suggestions: [],
    askedAt: NOW - 4_000,
    draft: { kind: "questions", hunks: false, text: false, answer: true },
    revised: false,
    ...part,
  };
}

/** A question that was answered before. */
export function answeredQuestion(): Item {
  return call("cq0", {
    tool: "AskUserQuestion",
    view: view({
      title: "Ask 2 questions",
      summary: "SQLite · TOML, and YAML for the old ones",
      blocks: [
        { type: "question", ...STORE, answer: { chosen: [1] } },
        {
          type: "question",
          ...FORMATS,
          answer: { chosen: [0], other: "and YAML for the old ones" },
        },
      ],
    }),
  });
}

/** A plan that waits. */
export function planRequest(): PermissionRequest {
  const plan = [
    "## Keep the lamp's level from overflowing",
    "",
    "1. Read `src/lamp.rs` and whoever sets a level.",
    "2. Make the level a `u16` that is **clamped** to 0…255 where it is set.",
    "3. Add a test that sets 256, and run `cargo test`.",
  ].join("\n");
  return questionRequest({
    id: "req_p",
    nonce: "nonce-p",
    tool: "ExitPlanMode",
    toolLabel: "Plan",
    description: "Presents a plan, and goes on with it once you approve it.",
    view: view({ title: "Plan", blocks: [{ type: "markdown", text: plan }] }),
    draft: { kind: "plan", hunks: false, text: true, answer: true },
  });
}

import { expect, it } from "vitest";
import type { ChangedFile } from "../../generated/protocol.ts";
import { byFolder } from "./FileList.tsx";
import { messageOf } from "./useComments.ts";

it("groups files by their folder and keeps their order", () => {
  const file = (path: string): ChangedFile => ({
    path,
    change: "updated",
    kind: "text",
    reviewed: false,
  });
  const grouped = byFolder([file("README.md"), file("src/a.rs"), file("src/b.rs"), file("t/a.rs")]);
  expect(grouped.map(([folder, files]) => [folder, files.map(({ path }) => path)])).toEqual([
    ["", ["README.md"]],
    ["src", ["src/a.rs", "src/b.rs"]],
    ["t", ["t/a.rs"]],
  ]);
});

it("makes one message of all comments, each with its place and its line", () => {
  const message = messageOf([
    { path: "b.rs", side: "new", line: 7, text: "Why?", quote: "let x = 1;" },
    { path: "a.rs", side: "old", line: 3, text: "Keep this.", quote: "old();" },
  ]);
  expect(message).toBe(
    "Comments on your changes:\n\n" +
      "a.rs, line 3 before the change:\n> old();\nKeep this.\n\n" +
      "b.rs, line 7:\n> let x = 1;\nWhy?",
  );
});

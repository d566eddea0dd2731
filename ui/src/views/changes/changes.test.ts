import fc from "fast-check";
import { expect, it } from "vitest";
import type { ChangedFile } from "../../generated/protocol.ts";
import { foldersOf, rowsOf, treeOf } from "./tree.ts";
import { messageOf } from "./useComments.ts";

const file = (path: string, reviewed = false): ChangedFile => ({
  path,
  change: "updated",
  kind: "text",
  added: 2,
  removed: 1,
  reviewed,
});

it("makes a tree of the files, keeps their order and sums up what is in a folder", () => {
  const files = ["README.md", "src/a.rs", "src/deep/er/b.rs", "src/deep/er/c.rs", "t/x/a.rs"];
  const nodes = treeOf(files.map((path) => file(path, path.startsWith("src"))));
  expect(rowsOf(nodes, new Set())).toEqual([
    "README.md",
    "src/",
    "src/a.rs",
    "src/deep/er/",
    "src/deep/er/b.rs",
    "src/deep/er/c.rs",
    "t/x/",
    "t/x/a.rs",
  ]);
  expect(nodes.map(({ name }) => name)).toEqual(["README.md", "src", "t/x"]);
  expect(nodes[1]?.sums).toEqual({ files: 3, reviewed: 3, added: 6, removed: 3 });
  expect(rowsOf(nodes, new Set(["src/deep/er/"]))).toHaveLength(6);
  expect(foldersOf(nodes)).toEqual(["src/", "src/deep/er/", "t/x/"]);
});

it("loses no file, whatever the paths", () => {
  const name = fc.string({ minLength: 1, maxLength: 3 }).map((text) => text.replaceAll("/", "-"));
  const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"));
  fc.assert(
    fc.property(fc.uniqueArray(path, { maxLength: 30 }), (paths) => {
      const sorted = paths
        .filter((one) => !paths.some((other) => other.startsWith(`${one}/`)))
        .sort();
      const rows = rowsOf(treeOf(sorted.map((one) => file(one))), new Set());
      expect(rows.filter((row) => sorted.includes(row)).sort()).toEqual(sorted);
      expect(new Set(rows).size).toBe(rows.length);
    }),
  );
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

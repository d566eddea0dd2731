import type { Diff, DiffLine } from "../src/generated/protocol.ts";
import type { Changes } from "./fake-host.ts";
import { changes, line } from "./scenes.ts";

/** A change of `lines` lines of one file, every tenth another, in `hunks` places. */
export function longDiff(path: string, lines: number, hunks: number): Diff {
  const each = Math.floor(lines / hunks);
  const code = (n: number) => `    let value_${n} = compute(${n}, "words that fill the line");`;
  return {
    path,
    change: "updated",
    added: lines / 10,
    removed: lines / 10,
    hiddenHunks: 0,
    notes: [],
    hunks: Array.from({ length: hunks }, (_, at) => {
      const start = at * each + 1;
      return {
        oldStart: start,
        oldLines: each,
        newStart: start,
        newLines: each,
        lines: Array.from({ length: each }, (__, n) => start + n).flatMap((n) =>
          n % 10 === 5
            ? [
                line("removed", code(n), {
                  oldLine: n,
                  emphasis: [[code(n).indexOf("compute"), code(n).indexOf("(")]],
                }),
                line("added", code(n).replace("compute", "derive"), {
                  newLine: n,
                  emphasis: [[code(n).indexOf("compute"), code(n).indexOf("(") - 1]],
                }),
              ]
            : [line("context", code(n), { oldLine: n, newLine: n })],
        ),
      };
    }),
  };
}

/** A change of 5,000 lines beside 299 other files. */
export function manyChanges(): Changes {
  const files = Array.from({ length: 300 }, (_, n) => ({
    path: `src/part${Math.floor(n / 12)}/file${n}.rs`,
    change: "updated" as const,
    kind: "text" as const,
    added: n === 0 ? 500 : 10,
    removed: n === 0 ? 500 : 10,
    reviewed: n % 7 === 3,
  }));
  return {
    list: { files, notes: [], turn: 2, undoable: true },
    files: files.map((file, n) => ({
      file,
      diff: n === 0 ? longDiff(file.path, 5_000, 40) : longDiff(file.path, 100, 4),
      invisible: [],
      byHunk: true,
      onlyInvisible: false,
      accepted: n === 0 ? [1] : [],
    })),
    preview: changes().preview,
  };
}

/** Changes that lines do not show, of pictures, and of bytes. */
export function oddChanges(): Changes {
  const file = (path: string, kind: "text" | "image" | "binary") => ({
    path,
    change: "updated" as const,
    kind,
    ...(kind === "text" ? { added: 2, removed: 2 } : {}),
    reviewed: false,
  });
  const diff = (path: string, lines: DiffLine[]): Diff => ({
    path,
    change: "updated",
    added: 2,
    removed: 2,
    hiddenHunks: 0,
    notes: [],
    hunks:
      lines.length === 0 ? [] : [{ oldStart: 1, oldLines: 2, newStart: 1, newLines: 2, lines }],
  });
  const picture = (colour: string) => ({
    mediaType: "image/svg+xml",
    data: btoa(
      `<svg xmlns="http://www.w3.org/2000/svg" width="240" height="160"><rect width="240" height="160" fill="${colour}"/></svg>`,
    ),
  });
  const endings = diff("src/endings.txt", [
    line("removed", "one\ttwo", { oldLine: 1 }),
    line("removed", "two  words", { oldLine: 2 }),
    line("added", "one\ttwo  ", { newLine: 1, ending: "crlf" }),
    line("added", "two\u200b  words", { newLine: 2, ending: "crlf" }),
  ]);
  const base = { byHunk: false, onlyInvisible: false, accepted: [], invisible: [] };
  const files = [
    file("src/endings.txt", "text"),
    file("src/logo.svg", "image"),
    file("src/data.bin", "binary"),
  ];
  return {
    list: {
      files,
      notes: ["libs/lamp is a submodule: what changed in it is compared in its own repository."],
      turn: 2,
      undoable: true,
    },
    files: [
      {
        ...base,
        file: file("src/endings.txt", "text"),
        diff: endings,
        onlyInvisible: true,
        byHunk: true,
        invisible: [
          "Was: LF line endings. Is: CRLF line endings.",
          "1 hidden character was added (no width, or turning the direction of writing).",
        ],
      },
      {
        ...base,
        file: file("src/logo.svg", "image"),
        diff: diff("src/logo.svg", []),
        oldImage: picture("#c66"),
        newImage: picture("#6a6"),
      },
      { ...base, file: file("src/data.bin", "binary"), diff: diff("src/data.bin", []) },
    ],
    preview: changes().preview,
  };
}

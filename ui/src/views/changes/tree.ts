import type { ChangedFile } from "../../generated/protocol.ts";

/** A folder, or a changed file. */
export interface TreeNode {
  /** The path of a file; that of a folder with a slash at its end. */
  key: string;
  /** What shows: of folders that hold nothing but one folder all the names. */
  name: string;
  /** The file; null for a folder. */
  file: ChangedFile | null;
  /** What is in a folder, in the order of the files. */
  children: TreeNode[];
  /** Sums over all the files. */
  sums: Sums;
}

/** What the files of a folder come to. */
export interface Sums {
  files: number;
  reviewed: number;
  added: number;
  removed: number;
}

interface Folder {
  folders: Map<string, Folder>;
  /** Folders and files in the order in which they came. */
  order: (Folder | ChangedFile)[];
  name: string;
}

/**
 * The files as a tree, in their own order: whoever goes from file to file goes down the tree.
 * @param files By path, so that the files of a folder follow each other.
 */
export function treeOf(files: readonly ChangedFile[]): TreeNode[] {
  const root: Folder = { folders: new Map(), order: [], name: "" };
  for (const file of files) {
    let at = root;
    for (const name of file.path.split("/").slice(0, -1)) {
      let inside = at.folders.get(name);
      if (inside === undefined) {
        inside = { folders: new Map(), order: [], name };
        at.folders.set(name, inside);
        at.order.push(inside);
      }
      at = inside;
    }
    at.order.push(file);
  }
  return nodesOf(root, "");
}

function nodesOf(folder: Folder, path: string): TreeNode[] {
  return folder.order.map((entry) =>
    "order" in entry ? folderNode(entry, path) : fileNode(entry),
  );
}

function folderNode(folder: Folder, above: string): TreeNode {
  let at = folder;
  let name = folder.name;
  let only = at.order.length === 1 ? at.order[0] : undefined;
  while (only !== undefined && "order" in only) {
    at = only;
    name = `${name}/${at.name}`;
    only = at.order.length === 1 ? at.order[0] : undefined;
  }
  const key = `${above}${name}/`;
  const children = nodesOf(at, key);
  // Above absolute paths stands the root.
  return { key, name: name === "" ? "/" : name, file: null, children, sums: sumOf(children) };
}

function fileNode(file: ChangedFile): TreeNode {
  const sums = {
    files: 1,
    reviewed: file.reviewed ? 1 : 0,
    added: file.added ?? 0,
    removed: file.removed ?? 0,
  };
  const name = file.path.slice(file.path.lastIndexOf("/") + 1);
  return { key: file.path, name, file, children: [], sums };
}

function sumOf(nodes: readonly TreeNode[]): Sums {
  const sums = { files: 0, reviewed: 0, added: 0, removed: 0 };
  for (const node of nodes) {
    sums.files += node.sums.files;
    sums.reviewed += node.sums.reviewed;
    sums.added += node.sums.added;
    sums.removed += node.sums.removed;
  }
  return sums;
}

/** The keys of all folders. */
export function foldersOf(nodes: readonly TreeNode[]): string[] {
  return nodes.flatMap((node) =>
    node.file === null ? [node.key, ...foldersOf(node.children)] : [],
  );
}

/** The keys of what shows, from top to bottom. */
export function rowsOf(nodes: readonly TreeNode[], folded: ReadonlySet<string>): string[] {
  return nodes.flatMap((node) =>
    node.file !== null || folded.has(node.key)
      ? [node.key]
      : [node.key, ...rowsOf(node.children, folded)],
  );
}

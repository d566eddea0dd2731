import { Check, ChevronRight } from "lucide-react";
import { type JSX, type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import {
  Button,
  Collection,
  type Key,
  ListLayout,
  Tree,
  TreeItem,
  TreeItemContent,
  Virtualizer,
} from "react-aria-components";
import type { ChangedFile } from "../../generated/protocol.ts";
import { SafeText } from "../../shared/SafeText.tsx";
import { Counts } from "./ChangeChips.tsx";
import styles from "./FileTree.module.css";
import { foldersOf, rowsOf, type Sums, type TreeNode, treeOf } from "./tree.ts";

/** How high a row is, in pixels: all alike, so that only those in sight have to be measured. */
const ROW = 26;

interface Props {
  /** The files, by path. */
  files: readonly ChangedFile[];
  /** The one that shows. */
  current: string;
  /** Shows another. */
  onShow: (path: string) => void;
  /** What a letter does in the panel: it looks for no name in the tree. */
  onLetter: (event: KeyboardEvent) => void;
}

/** The changed files as a tree that folds. Only those in sight are in the page. */
export function FileTree({ files, current, onShow, onLetter }: Props): JSX.Element {
  const nodes = useMemo(() => treeOf(files), [files]);
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const folders = useMemo(() => foldersOf(nodes), [nodes]);
  const expanded = useMemo(() => folders.filter((one) => !folded.has(one)), [folders, folded]);
  const tree = useRef<HTMLDivElement>(null);
  useInSight(tree, nodes, folded, setFolded, current);
  const paths = useMemo(() => new Set(files.map((file) => file.path)), [files]);
  const reviewed = files.filter((file) => file.reviewed).length;
  const show = (keys: "all" | Set<Key>) => {
    const [key] = keys === "all" ? [] : keys;
    if (typeof key === "string" && paths.has(key)) {
      onShow(key);
    }
  };
  const fold = (folder: string) => {
    const next = new Set(folded);
    if (!next.delete(folder)) {
      next.add(folder);
    }
    setFolded(next);
  };
  return (
    <nav
      className={styles.files}
      aria-label="Changed files"
      onKeyDownCapture={(event) => {
        if (event.key.length === 1 && event.key !== " ") {
          onLetter(event);
          event.stopPropagation();
        }
      }}
    >
      <p className={styles.total}>
        {files.length} {files.length === 1 ? "file" : "files"}, {reviewed} reviewed
      </p>
      <Virtualizer layout={ListLayout} layoutOptions={{ rowSize: ROW }}>
        <Tree
          ref={tree}
          className={styles.tree ?? ""}
          aria-label="Changed files"
          items={nodes}
          selectionMode="single"
          selectionBehavior="replace"
          disallowEmptySelection
          // A folder is no choice: a click on it folds it.
          disabledKeys={folders}
          disabledBehavior="selection"
          selectedKeys={[current]}
          onSelectionChange={show}
          expandedKeys={expanded}
          onExpandedChange={(keys) => {
            setFolded(new Set(folders.filter((folder) => !keys.has(folder))));
          }}
        >
          {(node) => <Row node={node} onFold={fold} />}
        </Tree>
      </Virtualizer>
    </nav>
  );
}

/** Unfolds the folders of the file that shows, and brings its row in sight, when it is another. */
function useInSight(
  tree: { current: HTMLDivElement | null },
  nodes: readonly TreeNode[],
  folded: ReadonlySet<string>,
  setFolded: (folded: ReadonlySet<string>) => void,
  current: string,
): void {
  const latest = useRef({ nodes, folded });
  latest.current = { nodes, folded };
  useEffect(() => {
    const now = latest.current;
    const open = new Set([...now.folded].filter((folder) => !current.startsWith(folder)));
    if (open.size < now.folded.size) {
      setFolded(open);
    }
    const element = tree.current;
    const at = rowsOf(now.nodes, open).indexOf(current);
    if (element === null || at < 0) {
      return;
    }
    const top = at * ROW;
    if (top < element.scrollTop) {
      element.scrollTop = top;
    } else if (top + ROW > element.scrollTop + element.clientHeight) {
      element.scrollTop = top + ROW - element.clientHeight;
    }
  }, [tree, setFolded, current]);
}

function Row({ node, onFold }: { node: TreeNode; onFold: (folder: string) => void }): JSX.Element {
  const { file, sums } = node;
  const words = file === null ? `${node.name}, ${counted(sums)}` : node.name;
  return (
    <TreeItem
      id={node.key}
      textValue={node.name}
      aria-label={words}
      className={styles.row ?? ""}
      data-testid={file === null ? "changed-folder" : "changed-file"}
      {...(file === null ? { onAction: () => onFold(node.key) } : {})}
    >
      <TreeItemContent>
        {({ level }) => (
          <div className={styles.cells} style={{ paddingInlineStart: `${(level - 1) * 0.75}rem` }}>
            {file === null ? (
              <Button slot="chevron" className={styles.fold ?? ""}>
                <ChevronRight size={13} aria-hidden />
              </Button>
            ) : (
              <span className={styles.leaf} />
            )}
            <span
              className={styles.name}
              data-change={file?.change}
              data-reviewed={sums.reviewed === sums.files || undefined}
              title={node.key}
            >
              <SafeText text={node.name} />
            </span>
            {sums.reviewed === sums.files ? <Check size={12} aria-label="reviewed" /> : null}
            {file === null ? <FolderCounts sums={sums} /> : <Counts file={file} />}
          </div>
        )}
      </TreeItemContent>
      <Collection items={node.children}>
        {(child) => <Row node={child} onFold={onFold} />}
      </Collection>
    </TreeItem>
  );
}

function FolderCounts({ sums }: { sums: Sums }): JSX.Element {
  return (
    <span className={styles.counts}>
      <span className={styles.number}>{sums.files}</span>
      {sums.added > 0 ? <span className={styles.plus}>+{sums.added}</span> : null}
      {sums.removed > 0 ? <span className={styles.minus}>−{sums.removed}</span> : null}
    </span>
  );
}

function counted({ files, reviewed }: Sums): string {
  return `${files} ${files === 1 ? "file" : "files"}, ${reviewed} reviewed`;
}

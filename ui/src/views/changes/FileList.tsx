import { Check } from "lucide-react";
import { type JSX, useEffect, useMemo, useRef } from "react";
import { VList, type VListHandle } from "virtua";
import type { ChangedFile } from "../../generated/protocol.ts";
import { SafeText } from "../../shared/SafeText.tsx";
import { Counts } from "./ChangeChips.tsx";
import styles from "./Changes.module.css";

interface Props {
  /** The files, by path. */
  files: readonly ChangedFile[];
  /** The one that shows. */
  current: string;
  /** Shows another. */
  onShow: (path: string) => void;
}

/** The changed files, by folder. Only those in sight are in the page. */
export function FileList({ files, current, onShow }: Props): JSX.Element {
  const rows = useMemo(() => fileRows(files), [files]);
  const list = useRef<VListHandle>(null);
  const latest = useRef(rows);
  latest.current = rows;
  useEffect(() => {
    const at = latest.current.findIndex((row) => row.file?.path === current);
    if (at >= 0) {
      list.current?.scrollToIndex(at, { align: "nearest" });
    }
  }, [current]);
  const reviewed = files.filter((file) => file.reviewed).length;
  return (
    <nav className={styles.files} aria-label="Changed files">
      <p className={styles.total}>
        {files.length} {files.length === 1 ? "file" : "files"}, {reviewed} reviewed
      </p>
      <VList ref={list} data={rows} className={styles.fileRows ?? ""} tabIndex={-1}>
        {(row) =>
          row.file === null ? (
            <p key={row.key} className={styles.folder}>
              <SafeText text={row.name} />
            </p>
          ) : (
            <button
              key={row.key}
              type="button"
              className={styles.fileButton}
              aria-current={row.file.path === current ? "true" : undefined}
              data-testid="changed-file"
              data-reviewed={row.file.reviewed || undefined}
              data-nested={row.nested || undefined}
              onClick={() => onShow(row.key)}
            >
              <span className={styles.fileName} data-change={row.file.change}>
                <SafeText text={row.name} />
              </span>
              {row.file.reviewed ? <Check size={12} aria-label="reviewed" /> : null}
              <Counts file={row.file} />
            </button>
          )
        }
      </VList>
    </nav>
  );
}

/** One row of the list: a folder, or a file in it. */
export interface FileRow {
  /** Names it. */
  key: string;
  /** What shows. */
  name: string;
  /** Whether it is in a folder that has a row. */
  nested: boolean;
  /** The file; null for a folder. */
  file: ChangedFile | null;
}

/** The rows: the files of each folder below it, in the order of their paths. */
export function fileRows(files: readonly ChangedFile[]): FileRow[] {
  return byFolder(files).flatMap(([folder, inside]): FileRow[] => {
    const nested = folder !== "";
    const own = inside.map((file) => ({
      key: file.path,
      name: file.path.slice(nested ? folder.length + 1 : 0),
      nested,
      file,
    }));
    return nested ? [{ key: `${folder}/`, name: folder, nested: false, file: null }, ...own] : own;
  });
}

/** The files of each folder, in the order of their paths. */
export function byFolder(files: readonly ChangedFile[]): [string, ChangedFile[]][] {
  const folders = new Map<string, ChangedFile[]>();
  for (const file of files) {
    const cut = file.path.lastIndexOf("/");
    const folder = cut < 0 ? "" : file.path.slice(0, cut);
    const inside = folders.get(folder);
    if (inside === undefined) {
      folders.set(folder, [file]);
    } else {
      inside.push(file);
    }
  }
  return [...folders];
}

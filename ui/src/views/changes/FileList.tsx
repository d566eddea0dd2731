import { Check } from "lucide-react";
import { type JSX, useEffect, useMemo, useRef } from "react";
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

/** The changed files, by folder. */
export function FileList({ files, current, onShow }: Props): JSX.Element {
  const folders = useMemo(() => byFolder(files), [files]);
  const here = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    here.current?.scrollIntoView({ block: "nearest" });
  }, [current]);
  const reviewed = files.filter((file) => file.reviewed).length;
  return (
    <nav className={styles.files} aria-label="Changed files">
      <p className={styles.total}>
        {files.length} {files.length === 1 ? "file" : "files"}, {reviewed} reviewed
      </p>
      {folders.map(([folder, inside]) => (
        <div key={folder}>
          {folder === "" ? null : (
            <p className={styles.folder}>
              <SafeText text={folder} />
            </p>
          )}
          <ul className={styles.inFolder}>
            {inside.map((file) => (
              <li key={file.path}>
                <button
                  type="button"
                  ref={file.path === current ? here : null}
                  className={styles.fileButton}
                  aria-current={file.path === current ? "true" : undefined}
                  data-testid="changed-file"
                  data-reviewed={file.reviewed || undefined}
                  onClick={() => onShow(file.path)}
                >
                  <span className={styles.fileName} data-change={file.change}>
                    <SafeText text={file.path.slice(folder === "" ? 0 : folder.length + 1)} />
                  </span>
                  {file.reviewed ? <Check size={12} aria-label="reviewed" /> : null}
                  <Counts file={file} />
                </button>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

/** The files of each folder, in the order of their paths. */
export function byFolder(files: readonly ChangedFile[]): [string, ChangedFile[]][] {
  const folders = new Map<string, ChangedFile[]>();
  for (const file of files) {
    const cut = file.path.lastIndexOf("/");
    const folder = cut < 0 ? "" : file.path.slice(0, cut);
    folders.set(folder, [...(folders.get(folder) ?? []), file]);
  }
  return [...folders];
}

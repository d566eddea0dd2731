import { type JSX, useState } from "react";
import { SafeText } from "../../shared/SafeText.tsx";
import { count } from "../../shared/time.ts";
import type { BlockOf } from "../block.ts";
import blocks from "../blocks.module.css";
import { useBlockContext } from "../context.ts";
import { HiddenNote } from "../HiddenNote.tsx";
import { PlaceName } from "../PlaceName.tsx";

/** Names of files. */
export function FileListBlock({ block }: { block: BlockOf<"file_list"> }): JSX.Element {
  const { lineLimit } = useBlockContext();
  const [all, setAll] = useState(false);
  const shown = all ? block.entries : block.entries.slice(0, lineLimit);
  const folded = block.entries.length - shown.length;
  return (
    <div className={blocks.box}>
      {block.entries.length === 0 ? <p className={blocks.nothing}>No files.</p> : null}
      <ul className={blocks.list}>
        {shown.map((entry) => (
          <li key={entry.path} className={blocks.entry}>
            <span className={blocks.path}>
              <PlaceName path={entry.path} />
            </span>
            {entry.detail === undefined ? null : (
              <span className={blocks.detail}>
                <SafeText text={entry.detail} />
              </span>
            )}
          </li>
        ))}
      </ul>
      {folded > 0 ? (
        <p className={blocks.hidden}>
          <button type="button" className={blocks.link} onClick={() => setAll(true)}>
            Show {count(folded, "more file")}
          </button>
        </p>
      ) : null}
      <HiddenNote number={block.more} one="more file" />
    </div>
  );
}

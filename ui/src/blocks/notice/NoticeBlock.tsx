import type { JSX } from "react";
import { Notice } from "../../shared/Notice.tsx";
import type { BlockOf } from "../block.ts";

/** A remark of the program. */
export function NoticeBlock({ block }: { block: BlockOf<"notice"> }): JSX.Element {
  return <Notice tone={block.tone} text={block.text} />;
}

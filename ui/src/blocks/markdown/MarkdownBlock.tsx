import type { JSX } from "react";
import { Markdown } from "../../text/Markdown.tsx";
import type { BlockOf } from "../block.ts";
import { useBlockContext } from "../context.ts";

/** Markdown. */
export function MarkdownBlock({ block }: { block: BlockOf<"markdown"> }): JSX.Element {
  const { openLink } = useBlockContext();
  return <Markdown text={block.text} onLink={openLink} />;
}

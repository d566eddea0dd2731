import type { JSX } from "react";
import { CodeFence } from "../../text/CodeFence.tsx";
import type { BlockOf } from "../block.ts";
import { useBlockContext } from "../context.ts";
import { HiddenNote } from "../HiddenNote.tsx";

/** Program text with line numbers. */
export function CodeBlock({ block }: { block: BlockOf<"code"> }): JSX.Element {
  const { lineLimit } = useBlockContext();
  return (
    <div>
      <CodeFence
        // The last line's ending begins no line of its own.
        text={block.text.replace(/\n$/, "")}
        language={block.language ?? ""}
        firstLine={block.firstLine}
        limit={lineLimit}
      />
      <HiddenNote number={block.hiddenLines} one="more line" />
    </div>
  );
}

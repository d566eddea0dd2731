import type { ComponentType, JSX } from "react";
import type { Block } from "../generated/protocol.ts";
import type { BlockOf } from "./block.ts";
import styles from "./blocks.module.css";
import { CodeBlock } from "./code/CodeBlock.tsx";
import { DiffBlock } from "./diff/DiffBlock.tsx";
import { FileListBlock } from "./file_list/FileListBlock.tsx";
import { ImageBlock } from "./image/ImageBlock.tsx";
import { KeyValueBlock } from "./key_value/KeyValueBlock.tsx";
import { MarkdownBlock } from "./markdown/MarkdownBlock.tsx";
import { MatchesBlock } from "./matches/MatchesBlock.tsx";
import { NoticeBlock } from "./notice/NoticeBlock.tsx";
import { QuestionBlock } from "./question/QuestionBlock.tsx";
import { SubSessionBlock } from "./sub_session/SubSessionBlock.tsx";
import { TerminalBlock } from "./terminal/TerminalBlock.tsx";
import { TerminalInputBlock } from "./terminal_input/TerminalInputBlock.tsx";
import { TextBlock } from "./text/TextBlock.tsx";
import { TodoBlock } from "./todo/TodoBlock.tsx";

type Components = { [T in Block["type"]]: ComponentType<{ block: BlockOf<T> }> };

/** One component for each block: a block without one does not compile. */
const BLOCKS: Components = {
  text: TextBlock,
  markdown: MarkdownBlock,
  code: CodeBlock,
  diff: DiffBlock,
  terminal: TerminalBlock,
  terminal_input: TerminalInputBlock,
  matches: MatchesBlock,
  file_list: FileListBlock,
  key_value: KeyValueBlock,
  image: ImageBlock,
  todo: TodoBlock,
  question: QuestionBlock,
  sub_session: SubSessionBlock,
  notice: NoticeBlock,
};

/** The blocks of a view, in order. */
export function Blocks({ blocks }: { blocks: readonly Block[] }): JSX.Element {
  return (
    <div className={styles.blocks}>
      {blocks.map((block, index) => {
        // The table's type ties each component to its block; the union loses that tie.
        const Component = BLOCKS[block.type] as ComponentType<{ block: Block }>;
        return <Component key={index} block={block} />;
      })}
    </div>
  );
}

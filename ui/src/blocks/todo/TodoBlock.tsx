import { Circle, CircleCheck, CircleDot } from "lucide-react";
import type { JSX } from "react";
import type { TodoStatus } from "../../generated/protocol.ts";
import { SafeText } from "../../shared/SafeText.tsx";
import type { BlockOf } from "../block.ts";
import blocks from "../blocks.module.css";

const ICON: Record<TodoStatus, JSX.Element> = {
  pending: <Circle size={14} aria-label="To do" />,
  in_progress: <CircleDot size={14} aria-label="In progress" />,
  completed: <CircleCheck size={14} aria-label="Done" />,
};

/** A list of things to do. */
export function TodoBlock({ block }: { block: BlockOf<"todo"> }): JSX.Element {
  return (
    <ul className={`${blocks.box} ${blocks.todo}`} aria-label="Things to do">
      {block.items.map((item, index) => (
        <li key={index} className={blocks.task} data-status={item.status}>
          {ICON[item.status]}
          <span>
            <SafeText text={item.text} strictness="prose" />
          </span>
        </li>
      ))}
    </ul>
  );
}

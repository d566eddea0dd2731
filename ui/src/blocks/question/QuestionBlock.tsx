import type { JSX } from "react";
import { SafeText } from "../../shared/SafeText.tsx";
import type { BlockOf } from "../block.ts";
import blocks from "../blocks.module.css";

/** A question with its choices, and what was chosen. */
export function QuestionBlock({ block }: { block: BlockOf<"question"> }): JSX.Element {
  return (
    <figure className={`${blocks.box} ${blocks.question}`} aria-label="Question">
      <p>
        <SafeText text={block.question} strictness="prose" />
      </p>
      <ul className={blocks.choices}>
        {block.choices.map((choice) => (
          <li
            key={choice}
            className={blocks.choice}
            data-chosen={choice === block.answer || undefined}
          >
            <SafeText text={choice} strictness="prose" />
          </li>
        ))}
      </ul>
      {block.answer !== undefined && !block.choices.includes(block.answer) ? (
        <p>
          <SafeText text={block.answer} strictness="prose" />
        </p>
      ) : null}
    </figure>
  );
}

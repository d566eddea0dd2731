import { Check } from "lucide-react";
import type { JSX } from "react";
import { SafeText } from "../../shared/SafeText.tsx";
import { VisuallyHidden } from "../../shared/VisuallyHidden.tsx";
import type { BlockOf } from "../block.ts";
import blocks from "../blocks.module.css";

/** A question with its choices, and what was answered. */
export function QuestionBlock({ block }: { block: BlockOf<"question"> }): JSX.Element {
  const { answer } = block;
  return (
    <figure className={`${blocks.box} ${blocks.question}`} aria-label="Question">
      <figcaption className={blocks.asked}>
        <span className={blocks.header}>
          <SafeText text={block.header} />
        </span>{" "}
        <SafeText text={block.question} strictness="prose" />
      </figcaption>
      <ul className={blocks.choices}>
        {block.choices.map((choice, at) => {
          const isChosen = answer?.chosen.includes(at) === true;
          return (
            <li key={choice.label} className={blocks.choice} data-chosen={isChosen || undefined}>
              <span className={blocks.mark}>
                {isChosen ? <Check size={13} strokeWidth={3} aria-label="Chosen" /> : null}
              </span>
              <span className={blocks.choiceText}>
                <span className={blocks.label}>
                  <SafeText text={choice.label} strictness="prose" />
                </span>
                <SafeText text={choice.description} strictness="prose" />
              </span>
            </li>
          );
        })}
        {answer?.other === undefined ? null : (
          <li className={blocks.choice} data-chosen>
            <span className={blocks.mark}>
              <Check size={13} strokeWidth={3} aria-hidden />
            </span>
            <span className={blocks.choiceText}>
              <VisuallyHidden>In other words:</VisuallyHidden>
              <span className={blocks.said}>
                <SafeText text={answer.other} strictness="block" />
              </span>
            </span>
          </li>
        )}
      </ul>
    </figure>
  );
}

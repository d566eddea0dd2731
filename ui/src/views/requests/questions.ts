import type { PermissionRequest, Question, QuestionAnswer } from "../../generated/protocol.ts";

/** One answer as it is being given. */
export interface AnswerSoFar {
  /** The positions of what is chosen. */
  chosen: readonly number[];
  /** Whether the person's own words are an answer, or part of it. */
  isOther: boolean;
  /** Their own words, kept while something else is chosen. */
  words: string;
}

/** Nothing is answered yet. */
export const UNANSWERED: AnswerSoFar = { chosen: [], isOther: false, words: "" };

/** The questions of a request; none where it is about something else. */
export function questionsOf(request: PermissionRequest): Question[] {
  return request.draft?.kind === "questions"
    ? request.view.blocks.flatMap((block) => (block.type === "question" ? [block] : []))
    : [];
}

/** The answer, or null where there is none yet. */
export function answerOf({ chosen, isOther, words }: AnswerSoFar): QuestionAnswer | null {
  const other = isOther ? words.trim() : "";
  if (chosen.length === 0 && other === "") {
    return null;
  }
  // Other was chosen, and what is meant by it is not said yet.
  if (isOther && other === "") {
    return null;
  }
  return {
    chosen: [...chosen].sort((a, b) => a - b),
    ...(other === "" ? {} : { other }),
  };
}

/** All answers, or null while one is missing. */
export function answersOf(so: readonly AnswerSoFar[]): QuestionAnswer[] | null {
  const answers = so.map(answerOf);
  return answers.every((answer) => answer !== null) ? answers : null;
}

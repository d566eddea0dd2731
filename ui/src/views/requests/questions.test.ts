import { expect, it } from "vitest";
import { answerOf, answersOf, UNANSWERED } from "./questions.ts";

it("takes choices, own words, or both, and nothing that is not said yet", () => {
  expect(answerOf(UNANSWERED)).toBeNull();
  expect(answerOf({ chosen: [2, 0], isOther: false, words: "kept" })).toEqual({ chosen: [0, 2] });
  expect(answerOf({ chosen: [], isOther: true, words: "  mine " })).toEqual({
    chosen: [],
    other: "mine",
  });
  // "Other" without words answers nothing, even beside a choice.
  expect(answerOf({ chosen: [1], isOther: true, words: " " })).toBeNull();
});

it("answers all questions or none", () => {
  const one = { chosen: [0], isOther: false, words: "" };
  expect(answersOf([one, UNANSWERED])).toBeNull();
  expect(answersOf([one, one])).toEqual([{ chosen: [0] }, { chosen: [0] }]);
});

import { expect, it } from "vitest";
import { bashRequest, editRequest } from "../../../test/scenes.ts";
import { groupRequests } from "./groups.ts";

it("groups what a rule would cover alike, and leaves losses alone", () => {
  const groups = groupRequests([
    bashRequest({ id: "a" }),
    editRequest({ id: "b" }),
    bashRequest({ id: "c", session: "ses_2" }),
    bashRequest({ id: "d", destructive: "Deletes everything." }),
    bashRequest({ id: "e", suggestions: [] }),
  ]);
  expect(groups.map(({ title, requests }) => [title, requests.map(({ id }) => id)])).toEqual([
    ["Bash(cargo test:*)", ["a", "c"]],
    ["Edit(src/**)", ["b"]],
    ["Run cargo test --workspace && curl …", ["d"]],
    ["Run cargo test --workspace && curl …", ["e"]],
  ]);
});

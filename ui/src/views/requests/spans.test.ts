import { expect, it } from "vitest";
import { endOf } from "./spans.ts";

it("ends a rule at a whole minute, never too early", () => {
  expect(endOf("always", 1)).toEqual({});
  expect(endOf("hour", 0)).toEqual({ expiresAt: 3_600_000 });
  expect(endOf("hour", 1)).toEqual({ expiresAt: 3_660_000 });
});

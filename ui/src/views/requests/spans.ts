/** How long a remembered rule holds. */
export type RuleSpan = "always" | "hour" | "day" | "week";

const HOUR = 3_600_000;

/** The choices, with how long each is in milliseconds. */
export const SPANS: readonly { span: RuleSpan; name: string; length: number | null }[] = [
  { span: "always", name: "until it is removed", length: null },
  { span: "hour", name: "for an hour", length: HOUR },
  { span: "day", name: "for a day", length: 24 * HOUR },
  { span: "week", name: "for a week", length: 7 * 24 * HOUR },
];

/** When a rule that is given at `now` ceases to hold, to the minute; nothing where it does not. */
export function endOf(span: RuleSpan, now: number): { expiresAt?: number } {
  const length = SPANS.find((one) => one.span === span)?.length ?? null;
  const minute = 60_000;
  return length === null ? {} : { expiresAt: Math.ceil((now + length) / minute) * minute };
}

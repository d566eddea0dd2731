import type { JSX } from "react";

/** The mark of the app. */
export function Logo({ size }: { size: number }): JSX.Element {
  return (
    <svg width={size} height={size} viewBox="0 0 512 512" aria-hidden="true" focusable="false">
      <rect x="24" y="24" width="464" height="464" rx="108" fill="#141d38" />
      <path
        d="M132 372 L256 124 L380 372"
        fill="none"
        stroke="#6ea4ff"
        strokeWidth="48"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
      <path
        d="M204 300 L244 338 L322 256"
        fill="none"
        stroke="#5fe0a4"
        strokeWidth="42"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}

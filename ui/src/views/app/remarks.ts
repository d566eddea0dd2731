import { toast } from "sonner";
import { escapeText } from "../../shared/deceptive.ts";
import type { Remark } from "../../store/state.ts";

/** How long a remark stays that nobody must act on, milliseconds. */
const STAYS = 6_000;

/** Shows a remark in a corner. What went wrong stays until it is dismissed. */
export function showRemark({ tone, text, hint }: Remark): void {
  const serious = tone === "danger" || tone === "warning";
  const show = {
    neutral: toast.message,
    info: toast.info,
    success: toast.success,
    warning: toast.warning,
    danger: toast.error,
  }[tone];
  show(escapeText(text, "prose"), {
    ...(hint === undefined ? {} : { description: escapeText(hint, "prose") }),
    duration: serious ? Number.POSITIVE_INFINITY : STAYS,
  });
}

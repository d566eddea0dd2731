import { FoldVertical } from "lucide-react";
import type { JSX } from "react";
import { IconButton } from "../../shared/Button.tsx";
import { currentSnapshot } from "../../store/state.ts";
import { useAdroit, useUi } from "../adroit.tsx";

/** What a person types for the same, with what they want of the summary behind it. */
const COMMAND = "/compact";

/** Has the conversation go on with a summary of its older part; after the turn where one runs. */
export function CompactButton(): JSX.Element | null {
  const { sessions } = useAdroit();
  const begun = useUi((state) =>
    currentSnapshot(state)?.items.some(({ body }) => body.type === "assistant"),
  );
  if (begun !== true) {
    return null;
  }
  return (
    <IconButton
      label="Compact conversation"
      keys={COMMAND}
      onPress={() => void sessions.submit(COMMAND)}
    >
      <FoldVertical size={14} />
    </IconButton>
  );
}

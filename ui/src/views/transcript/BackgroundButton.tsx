import { PanelBottomClose } from "lucide-react";
import type { JSX } from "react";
import type { CallItem, TerminalId } from "../../generated/protocol.ts";
import { Button } from "../../shared/Button.tsx";
import { useAdroit, useUi } from "../adroit.tsx";

/** Lets the command of a running call go on without the call. Shows where that can be done. */
export function BackgroundButton({ call }: { call: CallItem }): JSX.Element | null {
  const { terminals: actions } = useAdroit();
  const terminal = call.status === "running" ? terminalOf(call) : undefined;
  const movable = useUi((state) =>
    state.terminals.some((summary) => summary.terminal === terminal && summary.movable),
  );
  if (terminal === undefined || !movable) {
    return null;
  }
  return (
    <Button
      small
      look="quiet"
      aria-label={`To the background: ${call.view.title}`}
      onPress={() => void actions.background(terminal)}
    >
      <PanelBottomClose size={13} aria-hidden /> Background
    </Button>
  );
}

function terminalOf(call: CallItem): TerminalId | undefined {
  for (const block of call.view.blocks) {
    if (block.type === "terminal" && block.terminal !== undefined) {
      return block.terminal;
    }
  }
  return undefined;
}

import { ArrowUpRight } from "lucide-react";
import type { JSX } from "react";
import { Button } from "../../shared/Button.tsx";
import { SafeText } from "../../shared/SafeText.tsx";
import type { BlockOf } from "../block.ts";
import { useBlockContext } from "../context.ts";

/** Leads to the conversation of another agent. */
export function SubSessionBlock({ block }: { block: BlockOf<"sub_session"> }): JSX.Element {
  const { showSession } = useBlockContext();
  return (
    <Button look="plain" small onPress={() => showSession(block.session)}>
      <SafeText text={block.title} /> <ArrowUpRight size={13} aria-hidden />
    </Button>
  );
}

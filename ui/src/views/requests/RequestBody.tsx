import { Folder } from "lucide-react";
import { type JSX, useMemo } from "react";
import { Blocks } from "../../blocks/Blocks.tsx";
import type { BlockOf } from "../../blocks/block.ts";
import type { PermissionRequest, RequestReason } from "../../generated/protocol.ts";
import type { Styled } from "../../shared/ranges.ts";
import { SafeText } from "../../shared/SafeText.tsx";
import styles from "./Requests.module.css";

/** The whole call as the tool presents it. A command shows with its folder and what is asked about. */
export function RequestBody({ request }: { request: PermissionRequest }): JSX.Element {
  return (
    <>
      {request.view.blocks.map((block, index) =>
        block.type === "terminal" ? (
          <Command key={index} block={block} reasons={request.reasons} />
        ) : (
          <Blocks key={index} blocks={[block]} />
        ),
      )}
    </>
  );
}

interface CommandProps {
  block: BlockOf<"terminal">;
  reasons: readonly RequestReason[];
}

function Command({ block, reasons }: CommandProps): JSX.Element {
  const layers = useMemo(() => [spansOf(reasons)], [reasons]);
  return (
    <figure className={styles.command} aria-label="Command">
      <pre className={styles.commandText} data-testid="request-command">
        <SafeText text={block.command} strictness="block" layers={layers} />
      </pre>
      <figcaption className={styles.cwd}>
        <Folder size={12} aria-hidden />
        <span>
          in <SafeText text={block.cwd} />
        </span>
      </figcaption>
    </figure>
  );
}

/** The words that reasons are about. Where two overlap the first is marked. */
function spansOf(reasons: readonly RequestReason[]): Styled[] {
  const spans = reasons
    .flatMap(({ span }) => (span === undefined ? [] : [{ from: span[0], to: span[1] }]))
    .sort((a, b) => a.from - b.from);
  const apart: Styled[] = [];
  for (const { from, to } of spans) {
    if (from >= (apart.at(-1)?.to ?? 0)) {
      apart.push({ from, to, className: styles.span ?? "" });
    }
  }
  return apart;
}

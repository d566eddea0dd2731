import type { JSX } from "react";
import { SafeText } from "../../shared/SafeText.tsx";
import type { BlockOf } from "../block.ts";
import blocks from "../blocks.module.css";

/** Names and values. */
export function KeyValueBlock({ block }: { block: BlockOf<"key_value"> }): JSX.Element {
  return (
    <dl className={`${blocks.box} ${blocks.pairs}`}>
      {block.entries.map(({ key, value }) => (
        <div key={key} className={blocks.pair}>
          <dt>
            <SafeText text={key} />
          </dt>
          <dd>
            <SafeText text={value} strictness="block" />
          </dd>
        </div>
      ))}
    </dl>
  );
}

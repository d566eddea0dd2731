import type { JSX } from "react";
import { SafeText } from "../shared/SafeText.tsx";
import blocks from "./blocks.module.css";
import { useBlockContext } from "./context.ts";

interface Props {
  /** The file. */
  path: string;
  /** A line of it, from 1. */
  line?: number;
  /** How it reads; the path when absent. */
  text?: string;
}

/** A file, or a line of it, that shows when it is pressed. */
export function PlaceName({ path, line, text }: Props): JSX.Element {
  const { openPlace } = useBlockContext();
  return (
    <button
      type="button"
      className={blocks.place}
      title={line === undefined ? "Show this file" : "Show this line in its file"}
      onClick={() => openPlace(path, line)}
    >
      <SafeText text={text ?? path} />
    </button>
  );
}

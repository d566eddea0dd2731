import type { JSX } from "react";
import type { Position } from "../generated/protocol.ts";
import { SafeText } from "../shared/SafeText.tsx";
import { placeText } from "../store/files.ts";
import { useAdroit } from "./adroit.tsx";
import styles from "./PlaceLink.module.css";

/** Something that was read from a file. */
export interface Placed {
  /** The file. */
  file?: string;
  /** Where in it. */
  position?: Position;
}

/** The file and the place in it; nothing where there is none. */
export function placeOf({ file, position }: Placed): string {
  return file === undefined ? "" : placeText(file, position);
}

/** A place that opens when it is pressed. */
export function PlaceLink({ placed }: { placed: Placed }): JSX.Element | null {
  const { openFile } = useAdroit();
  const { file, position } = placed;
  return file === undefined ? null : (
    <button
      type="button"
      className={styles.place}
      title="Open this file"
      onClick={() => void openFile(file, position)}
    >
      <SafeText text={placeOf(placed)} />
    </button>
  );
}

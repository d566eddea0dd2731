import type { JSX } from "react";
import type { FileComparison, ImageData } from "../../generated/protocol.ts";
import styles from "./Changes.module.css";

/** Two pictures side by side. */
export function Pictures({ compared }: { compared: FileComparison }): JSX.Element {
  return (
    <div className={styles.pictures}>
      <Picture image={compared.oldImage} name="Before" />
      <Picture image={compared.newImage} name="After" />
    </div>
  );
}

function Picture({ image, name }: { image: ImageData | undefined; name: string }): JSX.Element {
  return (
    <figure className={styles.picture}>
      <figcaption>{name}</figcaption>
      {image === undefined ? (
        <p className={styles.none}>There is none.</p>
      ) : (
        <img src={`data:${image.mediaType};base64,${image.data}`} alt={`The picture, ${name}`} />
      )}
    </figure>
  );
}

import type { JSX } from "react";
import type { BlockOf } from "../block.ts";
import blocks from "../blocks.module.css";

/** Pixel formats only: an SVG is a document that could carry more than a picture. */
const FORMATS = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"]);

/** An image. */
export function ImageBlock({ block }: { block: BlockOf<"image"> }): JSX.Element {
  const { mediaType, data, alternative } = block;
  if (!FORMATS.has(mediaType)) {
    return (
      <p className={blocks.nothing}>
        {alternative} ({mediaType} is not shown)
      </p>
    );
  }
  return (
    <img
      className={blocks.image}
      src={`data:${mediaType};base64,${data}`}
      alt={alternative}
      loading="lazy"
    />
  );
}

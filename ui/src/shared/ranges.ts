/** A stretch of a text, in UTF-16 offsets. */
export interface Range {
  /** Where it begins. */
  from: number;
  /** Where it ends. */
  to: number;
}

/** A stretch with the classes that it is shown in. */
export interface Styled extends Range {
  /** Class names, joined by spaces. */
  className: string;
}

/** One piece of a text that is styled alike throughout. */
export interface Piece extends Range {
  /** The classes of all stretches that cover it. */
  className: string;
}

/**
 * Cuts a text of `length` where any stretch begins or ends.
 *
 * Stretches may overlap: syntax colours, changed words and marks are laid over each
 * other. Those outside of the text are clipped, since offsets come from elsewhere.
 */
export function overlay(length: number, ...layers: readonly (readonly Styled[])[]): Piece[] {
  const cuts = new Set<number>([0, length]);
  for (const layer of layers) {
    for (const { from, to } of layer) {
      cuts.add(clip(from, length));
      cuts.add(clip(to, length));
    }
  }
  const points = [...cuts].sort((a, b) => a - b);
  const pieces: Piece[] = [];
  const positions = layers.map(() => 0);
  for (let index = 0; index + 1 < points.length; index += 1) {
    const from = points[index] ?? 0;
    const to = points[index + 1] ?? length;
    const classes: string[] = [];
    layers.forEach((layer, number) => {
      const styled = covering(layer, positions, number, from, to);
      if (styled !== undefined) {
        classes.push(styled.className);
      }
    });
    pieces.push({ from, to, className: classes.join(" ") });
  }
  return pieces;
}

/** The stretch of a layer over a piece. Layers are in order and do not overlap themselves. */
function covering(
  layer: readonly Styled[],
  positions: number[],
  number: number,
  from: number,
  to: number,
): Styled | undefined {
  let at = positions[number] ?? 0;
  while (at < layer.length && (layer[at]?.to ?? 0) <= from) {
    at += 1;
  }
  positions[number] = at;
  const styled = layer[at];
  return styled !== undefined && styled.from <= from && styled.to >= to ? styled : undefined;
}

function clip(offset: number, length: number): number {
  return Math.max(0, Math.min(length, offset));
}

import type { Position } from "../generated/protocol.ts";
import type { ActionContext } from "./context.ts";

/** A file and the place in it, as editors take it: `settings.json:12:7`. */
export function placeText(file: string, position?: Position): string {
  return position === undefined ? file : `${file}:${position.line}:${position.column}`;
}

/** Opens a file outside of the app. Where that cannot be, its place is copied, and that is said. */
export async function openFile(
  { host, notify }: ActionContext,
  file: string,
  position?: Position,
): Promise<void> {
  // A file that could not be opened is still to be found by its place.
  if (await host.openFile(file).catch(() => false)) {
    return;
  }
  const place = placeText(file, position);
  try {
    await navigator.clipboard.writeText(place);
    notify({
      tone: "info",
      text: `Copied ${place}`,
      hint: "Files cannot be opened from here; paste it into your editor.",
    });
  } catch {
    notify({
      tone: "warning",
      text: `${place} could be neither opened nor copied.`,
      hint: "Open it in your editor.",
    });
  }
}

import type { IBuffer, ILink, ILinkProvider, Terminal } from "@xterm/xterm";
import { type Place, placesIn } from "../../text/places.ts";

/** How many rows a line may be wrapped into and still be looked at. */
const MOST_ROWS = 30;
/** How many of the last lines the list of places looks through. */
const LISTED_LINES = 300;
/** How many places the list holds. */
const LISTED = 30;

/** A line as it was printed, and where each of its characters stands. */
interface Printed {
  text: string;
  /** The cell of each UTF-16 unit: column and row, both from 0. */
  cells: { x: number; y: number }[];
}

/** What is done with links. */
export interface LinkTarget {
  /** Which of some names are files: their paths, in the same order. */
  find(names: string[]): Promise<(string | null)[]>;
  /** Opens what a link leads to. */
  open(place: Place): void;
}

/** Makes files and addresses of a terminal's text clickable. */
export class PlaceLinks implements ILinkProvider {
  constructor(
    private readonly view: Terminal,
    private readonly target: LinkTarget,
  ) {}

  /** The links of the row of the buffer with this number, from 1. */
  provideLinks(row: number, callback: (links: ILink[] | undefined) => void): void {
    const printed = printedAt(this.view.buffer.active, row - 1);
    const places = placesIn(printed.text);
    if (places.length === 0) {
      callback(undefined);
      return;
    }
    this.existing(places).then(
      (found) => callback(found.map((place) => this.link(printed, place))),
      () => callback(undefined),
    );
  }

  /** The places in the last lines, newest first, each once. For a list: links need a mouse. */
  async recent(): Promise<Place[]> {
    const buffer = this.view.buffer.active;
    const named = new Map<string, Place>();
    let end = buffer.length - 1;
    for (let lines = 0; end >= 0 && lines < LISTED_LINES; lines += 1) {
      const { text, cells } = printedAt(buffer, end);
      for (const place of placesIn(text).reverse()) {
        const name = nameOf(place);
        if (!named.has(name)) {
          named.set(name, place);
        }
      }
      end = Math.min(end, cells[0]?.y ?? end) - 1;
    }
    const candidates = [...named.values()];
    const found: Place[] = [];
    // Words are asked about by pieces: the backend looks at no more than 64 at once.
    for (let from = 0; from < candidates.length && found.length < LISTED; from += 64) {
      found.push(...(await this.existing(candidates.slice(from, from + 64))));
    }
    return found.slice(0, LISTED);
  }

  private async existing(places: Place[]): Promise<Place[]> {
    const files = places.filter((place) => place.type === "file");
    const names = files.flatMap(({ path }) => [path, unprefixed(path)]);
    const paths = names.length === 0 ? [] : await this.target.find(names);
    return places.flatMap((place): Place[] => {
      if (place.type === "address") {
        return [place];
      }
      const index = files.indexOf(place) * 2;
      const path = paths[index] ?? paths[index + 1];
      return path === null || path === undefined ? [] : [{ ...place, path }];
    });
  }

  private link({ cells }: Printed, place: Place): ILink {
    const start = cells[place.from] ?? { x: 0, y: 0 };
    const end = cells[place.to - 1] ?? start;
    return {
      text: nameOf(place),
      range: { start: { x: start.x + 1, y: start.y + 1 }, end: { x: end.x + 1, y: end.y + 1 } },
      activate: () => {
        // Who marks a text that is a link wants the text.
        if (!this.view.hasSelection()) {
          this.target.open(place);
        }
      },
    };
  }
}

/** A place as it is listed: `src/a.ts:3:7`. */
export function nameOf(place: Place): string {
  if (place.type === "address") {
    return place.address;
  }
  const { path, line, column } = place;
  return [path, line, column].filter((part) => part !== undefined).join(":");
}

/** Git calls the sides of a diff `a/…` and `b/…`. */
function unprefixed(path: string): string {
  return path.replace(/^[ab]\//, "");
}

/** The whole line that a row is part of. */
function printedAt(buffer: IBuffer, row: number): Printed {
  let first = row;
  while (first > 0 && row - first < MOST_ROWS && buffer.getLine(first)?.isWrapped === true) {
    first -= 1;
  }
  const printed: Printed = { text: "", cells: [] };
  for (let y = first; y - first < MOST_ROWS; y += 1) {
    const line = buffer.getLine(y);
    if (line === undefined || (y > first && !line.isWrapped)) {
      break;
    }
    for (let x = 0; x < line.length; x += 1) {
      const cell = line.getCell(x);
      // The right half of a wide character has no text of its own.
      if (cell !== undefined && cell.getWidth() > 0) {
        const characters = cell.getChars() || " ";
        printed.text += characters;
        for (let unit = 0; unit < characters.length; unit += 1) {
          printed.cells.push({ x, y });
        }
      }
    }
  }
  return printed;
}

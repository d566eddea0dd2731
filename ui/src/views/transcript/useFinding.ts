import { useEffect, useMemo, useRef, useState } from "react";
import type { FoundEntry, Item, WireError } from "../../generated/protocol.ts";
import { useAdroit, useUi } from "../adroit.tsx";
import type { Expansion } from "./expansion.ts";
import { firstFrom, type Place, placesOf } from "./places.ts";
import type { Row } from "./rows.ts";

/** How long typing rests before it is looked for, milliseconds: each time goes through all results. */
const REST = 150;

/** A search of the conversation. */
export interface Finding {
  /** What is looked for. */
  text: string;
  /** Looks for something else. */
  setText(text: string): void;
  /** Where it is. */
  places: readonly Place[];
  /** Which of the places shows; -1 where there is none. */
  at: number;
  /** Whether the answer is there. */
  settled: boolean;
  /** Why there is none. */
  error: WireError | null;
  /** Goes on by so many places, around the ends. */
  go(by: 1 | -1): void;
}

interface Looked {
  text: string;
  entries: readonly FoundEntry[];
  error: WireError | null;
}

const NOTHING: Looked = { text: "", entries: [], error: null };

/** Looks through the conversation and shows what is found. */
export function useFinding(
  items: readonly Item[],
  rows: readonly Row[],
  expansion: Expansion,
  sight: { top(): number; reveal(row: number): void },
): Finding {
  const { sessions } = useAdroit();
  const open = useUi((state) => state.panels.finding);
  const [text, setText] = useState("");
  const [looked, setLooked] = useState<Looked>(NOTHING);
  const [at, setAt] = useState(-1);
  const wanted = open ? text : "";

  // A new entry may have it too.
  useEffect(() => {
    if (wanted === "") {
      setLooked(NOTHING);
      return;
    }
    let isWanted = true;
    const timer = setTimeout(async () => {
      const outcome = await sessions.find(wanted);
      if (isWanted) {
        setLooked(
          outcome.ok
            ? { text: wanted, entries: outcome.value.entries, error: null }
            : { text: wanted, entries: [], error: outcome.error },
        );
      }
    }, REST);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [sessions, wanted, items.length]);

  const places = useMemo(
    () => (looked.text === wanted ? placesOf(looked.entries, items, rows) : []),
    [looked, wanted, items, rows],
  );
  const latest = useRef({ places, expansion, sight });
  latest.current = { places, expansion, sight };

  function show(index: number): void {
    setAt(index);
    const place = latest.current.places[index];
    if (place === undefined) {
      return;
    }
    if (place.grouped) {
      latest.current.expansion.set(`group:${place.key}`, true);
    }
    if (place.call !== null) {
      latest.current.expansion.set(place.call, true);
    }
    latest.current.sight.reveal(place.row);
  }

  // Another text begins at what is in sight; one that is looked for anew keeps its place.
  useEffect(() => {
    show(looked.text === "" ? -1 : firstFrom(latest.current.places, latest.current.sight.top()));
  }, [looked.text]);

  return {
    text,
    setText,
    places,
    at: Math.min(at, places.length - 1),
    settled: looked.text === wanted,
    error: looked.error,
    go(by) {
      const { length } = places;
      if (length > 0) {
        show((Math.max(at, 0) + by + length) % length);
      }
    },
  };
}

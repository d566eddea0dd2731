import { Copy, SquarePen } from "lucide-react";
import { type JSX, useEffect, useRef, useState } from "react";
import { Dialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import type { FileLines, WireError } from "../../generated/protocol.ts";
import { Button } from "../../shared/Button.tsx";
import dialog from "../../shared/Dialog.module.css";
import { ErrorNote } from "../../shared/ErrorNote.tsx";
import { SafeText } from "../../shared/SafeText.tsx";
import { count } from "../../shared/time.ts";
import { placeText } from "../../store/files.ts";
import type { ShownPlace } from "../../store/state.ts";
import { styledByLine, useHighlight } from "../../text/highlight.ts";
import { Lines } from "../../text/Lines.tsx";
import { useAdroit, useUi } from "../adroit.tsx";
import styles from "./Place.module.css";

/** How many lines are shown before and after the place at first. */
const AROUND = 200;
/** How many more at a time. */
const MORE = 500;
const ICON = 14;

/** Shows a place of a file: what a command's output or a call names. Read only. */
export function PlaceDialog(): JSX.Element | null {
  const { setPanels } = useAdroit();
  const place = useUi((state) => state.panels.place);
  if (place === null) {
    return null;
  }
  return (
    <ModalOverlay
      className={dialog.overlay ?? ""}
      isOpen
      isDismissable
      onOpenChange={(open) => {
        if (!open) {
          setPanels({ place: null });
        }
      }}
    >
      <Modal className={`${dialog.modal} ${styles.modal}`}>
        <Dialog className={styles.dialog ?? ""} data-modal data-testid="place-dialog">
          <Place
            key={`${place.path}:${place.line}`}
            place={place}
            onClose={() => setPanels({ place: null })}
          />
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

interface PlaceProps {
  place: ShownPlace;
  onClose: () => void;
}

function Place({ place, onClose }: PlaceProps): JSX.Element {
  const { places, notify } = useAdroit();
  const { page, error, earlier, later } = usePages(place);
  const { path, line, column } = place;
  const position = line === null ? undefined : { line, column: column ?? 1 };
  const copy = () => {
    const text = placeText(page?.shown ?? path, position);
    navigator.clipboard.writeText(text).then(
      () => notify({ tone: "info", text: `Copied ${text}` }),
      () => notify({ tone: "warning", text: "Copying is not allowed here." }),
    );
  };
  return (
    <>
      <Heading slot="title" className={styles.title ?? ""}>
        <SafeText text={page?.shown ?? path} />
        {page === null ? null : <span className={styles.total}>{count(page.total, "line")}</span>}
      </Heading>
      <ErrorNote error={error} />
      {page === null ? null : <Text page={page} line={line} earlier={earlier} later={later} />}
      <div className={styles.actions}>
        <Button onPress={copy}>
          <Copy size={ICON} aria-hidden /> Copy place
        </Button>
        {page?.editor === true ? (
          <Button onPress={() => void places.edit(path, line ?? undefined, column ?? undefined)}>
            <SquarePen size={ICON} aria-hidden /> Open in editor
          </Button>
        ) : null}
        <Button look="primary" autoFocus onPress={onClose}>
          Close
        </Button>
      </div>
    </>
  );
}

interface TextProps {
  page: FileLines;
  line: number | null;
  earlier: () => void;
  later: () => void;
}

function Text({ page, line, earlier, later }: TextProps): JSX.Element {
  const text = page.lines.join("\n");
  const colours = useHighlight(text, page.shown);
  const box = useRef<HTMLElement>(null);
  const last = page.first + page.lines.length - 1;
  const isBeyond = line !== null && line > page.total;
  // Once: whoever scrolls on is not pulled back when more lines come.
  useEffect(() => {
    box.current?.querySelector("[data-marked]")?.scrollIntoView({ block: "center" });
  }, []);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it.
    <section ref={box} className={styles.text} aria-label="Lines of the file" tabIndex={0}>
      {isBeyond ? (
        <p className={styles.beyond}>
          It has no line {line} any more: {count(page.total, "line is", "lines are")} left.
        </p>
      ) : null}
      {page.first > 1 ? (
        <Button look="quiet" small onPress={earlier}>
          Earlier lines
        </Button>
      ) : null}
      {page.total === 0 ? <p className={styles.beyond}>The file is empty.</p> : null}
      <Lines
        lines={page.lines}
        styled={styledByLine(page.lines, colours)}
        firstLine={page.first}
        marked={line ?? undefined}
        limit={page.lines.length}
      />
      {last < page.total ? (
        <Button look="quiet" small onPress={later}>
          Later lines
        </Button>
      ) : null}
    </section>
  );
}

/** The lines around a place, and more of them when they are asked for. */
function usePages({ path, line }: ShownPlace): {
  page: FileLines | null;
  error: WireError | null;
  earlier: () => void;
  later: () => void;
} {
  const { places } = useAdroit();
  const [range, setRange] = useState(() => {
    const first = Math.max(1, (line ?? 1) - AROUND);
    return { first, count: AROUND * 2 };
  });
  const [page, setPage] = useState<FileLines | null>(null);
  const [error, setError] = useState<WireError | null>(null);
  useEffect(() => {
    let isOpen = true;
    void (async () => {
      let outcome = await places.view(path, range.first, range.count);
      if (outcome.ok && outcome.value.lines.length === 0 && outcome.value.total > 0) {
        // The file became shorter since its place was named: its end is nearest.
        const first = Math.max(1, outcome.value.total - range.count + 1);
        outcome = await places.view(path, first, range.count);
      }
      if (isOpen) {
        setPage(outcome.ok ? outcome.value : null);
        setError(outcome.ok ? null : outcome.error);
      }
    })();
    return () => {
      isOpen = false;
    };
  }, [places, path, range]);
  return {
    page,
    error,
    earlier: () =>
      setRange((now) => {
        const first = Math.max(1, now.first - MORE);
        return { first, count: now.count + now.first - first };
      }),
    later: () => setRange((now) => ({ ...now, count: now.count + MORE })),
  };
}

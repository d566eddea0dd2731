import { CheckCheck, Columns2, Pilcrow, Rows2, Undo2 } from "lucide-react";
import type { JSX } from "react";
import type { ChangeList, ChangeScope } from "../../generated/protocol.ts";
import { Button, IconButton } from "../../shared/Button.tsx";
import type { ShownChanges } from "../../store/state.ts";
import { useAdroit } from "../adroit.tsx";
import styles from "./Changes.module.css";
import type { LooksChoice } from "./useLooks.ts";

interface Props {
  /** What is looked through. */
  shown: ShownChanges;
  /** Its files. */
  list: ChangeList | null;
  /** How the lines look. */
  looks: LooksChoice;
  /** Says that all of it was found good, or takes that back. */
  onAcceptAll: (accepted: boolean) => void;
}

const NAMES: Record<ChangeScope["type"], string> = {
  call: "this call",
  turn: "the last turn",
  since: "since a message",
  session: "the session",
  git: "against git",
};

/** What is looked through and how, and all of it accepted or taken back. */
export function ScopeBar({ shown, list, looks, onAcceptAll }: Props): JSX.Element {
  const { setPanels } = useAdroit();
  const { scope, title } = shown;
  const turn = list?.turn ?? 0;
  const scopes: ChangeScope[] = [
    ...(scope.type === "call" || scope.type === "since" ? [scope] : []),
    { type: "turn", turn: scope.type === "turn" ? scope.turn : turn },
    { type: "session" },
    { type: "git" },
  ];
  const allGood = list?.files.every((file) => file.reviewed) === true;
  const split = looks.layout === "split";
  return (
    <div className={styles.bar}>
      <select
        className={styles.scope}
        aria-label="Which changes"
        value={scope.type}
        onChange={(event) => {
          const next = scopes.find((one) => one.type === event.target.value);
          if (next !== undefined) {
            setPanels({
              changes: { scope: next, path: shown.path, wide: shown.wide ?? false },
            });
          }
        }}
      >
        {scopes.map((one) => (
          <option key={one.type} value={one.type}>
            {one.type === "call" && title !== undefined ? title : NAMES[one.type]}
          </option>
        ))}
      </select>
      <IconButton
        label="Side by side"
        keys="S"
        pressed={split}
        onPress={() => looks.choose({ layout: split ? "unified" : "split" })}
      >
        {split ? <Columns2 size={14} /> : <Rows2 size={14} />}
      </IconButton>
      <IconButton
        label="Show white space and line endings"
        keys="I"
        pressed={looks.visible}
        onPress={() => looks.choose({ visible: !looks.visible })}
      >
        <Pilcrow size={14} />
      </IconButton>
      <label className={styles.space}>
        <input
          type="checkbox"
          checked={looks.ignoreSpace}
          onChange={(event) => looks.choose({ ignoreSpace: event.target.checked })}
        />
        Ignore white space
      </label>
      <span className={styles.grow} />
      {list?.undoable === true ? (
        <>
          <Button small look="quiet" aria-pressed={allGood} onPress={() => onAcceptAll(!allGood)}>
            <CheckCheck size={13} aria-hidden /> {allGood ? "All accepted" : "Accept all"}
          </Button>
          <Button
            small
            look="quiet"
            onPress={() =>
              setPanels({
                undoing: {
                  target: { scope, files: null, redo: false },
                  title: `all changes of ${title ?? NAMES[scope.type]}`,
                  rejects: true,
                },
              })
            }
          >
            <Undo2 size={13} aria-hidden /> Reject all
          </Button>
        </>
      ) : null}
    </div>
  );
}

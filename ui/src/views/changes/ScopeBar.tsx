import { Undo2 } from "lucide-react";
import type { JSX } from "react";
import type { ChangeList, ChangeScope } from "../../generated/protocol.ts";
import { Button } from "../../shared/Button.tsx";
import type { ShownChanges } from "../../store/state.ts";
import { useAdroit } from "../adroit.tsx";
import styles from "./Changes.module.css";

interface Props {
  /** What is looked through. */
  shown: ShownChanges;
  /** Its files. */
  list: ChangeList | null;
  /** Whether places that differ in white space only are left out. */
  ignoreSpace: boolean;
  /** Changes that. */
  onIgnoreSpace: (ignore: boolean) => void;
}

const NAMES: Record<ChangeScope["type"], string> = {
  call: "this call",
  turn: "the last turn",
  since: "since a message",
  session: "the session",
  git: "against git",
};

/** What is looked through, and all of it taken back. */
export function ScopeBar({ shown, list, ignoreSpace, onIgnoreSpace }: Props): JSX.Element {
  const { setPanels } = useAdroit();
  const { scope, title } = shown;
  const turn = list?.turn ?? 0;
  const scopes: ChangeScope[] = [
    ...(scope.type === "call" || scope.type === "since" ? [scope] : []),
    { type: "turn", turn: scope.type === "turn" ? scope.turn : turn },
    { type: "session" },
    { type: "git" },
  ];
  return (
    <div className={styles.bar}>
      <select
        className={styles.scope}
        aria-label="Which changes"
        value={scope.type}
        onChange={(event) => {
          const next = scopes.find((one) => one.type === event.target.value);
          if (next !== undefined) {
            setPanels({ changes: { scope: next, path: shown.path } });
          }
        }}
      >
        {scopes.map((one) => (
          <option key={one.type} value={one.type}>
            {one.type === "call" && title !== undefined ? title : NAMES[one.type]}
          </option>
        ))}
      </select>
      <label className={styles.space}>
        <input
          type="checkbox"
          checked={ignoreSpace}
          onChange={(event) => onIgnoreSpace(event.target.checked)}
        />
        Ignore white space
      </label>
      <span className={styles.grow} />
      {list?.undoable === true ? (
        <Button
          small
          onPress={() =>
            setPanels({
              undoing: {
                target: { scope, files: null, redo: false },
                title: `all changes of ${title ?? NAMES[scope.type]}`,
              },
            })
          }
        >
          <Undo2 size={13} aria-hidden /> Revert all
        </Button>
      ) : null}
    </div>
  );
}

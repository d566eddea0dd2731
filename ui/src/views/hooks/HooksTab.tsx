import { type JSX, useEffect, useState } from "react";
import type { HookList, HookState, SettingsState, WireError } from "../../generated/protocol.ts";
import { ErrorNote } from "../../shared/ErrorNote.tsx";
import { Notice } from "../../shared/Notice.tsx";
import { SafeText } from "../../shared/SafeText.tsx";
import { formatDuration } from "../../shared/time.ts";
import { useAdroit, useUi } from "../adroit.tsx";
import { PlaceLink } from "../PlaceLink.tsx";
import { SOURCES } from "../scopes.ts";
import settingsStyles from "../settings/Settings.module.css";
import { HookRuns } from "./HookRuns.tsx";
import styles from "./Hooks.module.css";

/** Every hook with where it comes from and what it last did. */
export function HooksTab({ settings }: { settings: SettingsState }): JSX.Element {
  const { list, error } = useHooks(settings);
  return (
    <div className={settingsStyles.content}>
      <p className={settingsStyles.faint}>
        Programs that are told what the agent does, and may object. They stand in the settings files
        under <code>hooks</code>. A hook’s no is final; its yes never lifts a rule or the protection
        of a path.
      </p>
      <ErrorNote error={error} />
      {list?.problems.map((problem) => (
        <Notice key={problem} tone="warning" text={problem} />
      ))}
      {list !== null && list.hooks.length === 0 ? (
        <p className={settingsStyles.empty}>There are no hooks yet.</p>
      ) : null}
      {list === null || list.hooks.length === 0 ? null : (
        <ul className={settingsStyles.files} aria-label="Hooks">
          {list.hooks.map((hook) => (
            <Hook key={hook.id} hook={hook} />
          ))}
        </ul>
      )}
    </div>
  );
}

function Hook({ hook }: { hook: HookState }): JSX.Element {
  return (
    <li className={settingsStyles.file} data-testid="hook">
      <div className={styles.head}>
        <span className={styles.event}>{hook.event}</span>
        <span className={styles.matcher}>
          <SafeText text={hook.matcher === "" ? "everything" : hook.matcher} />
          {hook.condition === undefined ? null : (
            <>
              {" if "}
              <SafeText text={hook.condition} />
            </>
          )}
        </span>
        <State hook={hook} />
      </div>
      <p className={styles.command}>
        <SafeText text={hook.text} />
      </p>
      <p className={settingsStyles.faint}>
        {SOURCES[hook.source]} · <PlaceLink placed={hook} /> · at most{" "}
        {formatDuration(hook.timeoutMs)}
        {hook.event === "PreToolUse" ? ` · ${FAILURE[hook.onFailure]}` : ""}
        {hook.background ? " · in the background" : ""}
      </p>
      {hook.problem === undefined ? null : <Notice tone="danger" text={hook.problem} />}
      <HookRuns runs={hook.runs} />
    </li>
  );
}

const FAILURE: Record<HookState["onFailure"], string> = {
  block: "blocks the call when it fails",
  continue: "the call goes on when it fails",
};

function State({ hook }: { hook: HookState }): JSX.Element {
  if (hook.heldBack !== undefined) {
    return (
      <span className={styles.state} data-tone="warning">
        <SafeText text={`does not run: ${hook.heldBack}`} />
      </span>
    );
  }
  if (hook.problem !== undefined) {
    return (
      <span className={styles.state} data-tone="danger">
        cannot be started
      </span>
    );
  }
  return (
    <span className={styles.state}>{hook.runs.length === 0 ? "has not run" : "in force"}</span>
  );
}

interface Asked {
  list: HookList | null;
  error: WireError | null;
}

/** The hooks, asked for again whenever the settings changed or one has run. */
function useHooks(settings: SettingsState): Asked {
  const { settings: actions } = useAdroit();
  const ran = useUi((state) => state.hooksRan);
  const [asked, setAsked] = useState<Asked>({ list: null, error: null });
  useEffect(() => {
    let wanted = true;
    void actions.hooks().then((outcome) => {
      if (wanted) {
        setAsked((before) =>
          outcome.ok
            ? { list: outcome.value, error: null }
            : { list: before.list, error: outcome.error },
        );
      }
    });
    return () => {
      wanted = false;
    };
  }, [actions, settings, ran]);
  return asked;
}

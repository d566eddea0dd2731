import { type JSX, useState } from "react";
import { Input, Label, Text, TextField } from "react-aria-components";
import type { KeyState, WireError } from "../../generated/protocol.ts";
import { Button } from "../../shared/Button.tsx";
import { ErrorNote } from "../../shared/ErrorNote.tsx";
import { SafeText } from "../../shared/SafeText.tsx";
import { useAdroit } from "../adroit.tsx";
import styles from "./Settings.module.css";

/** Enters a provider's key, and says where the one in force comes from. The key itself never shows. */
export function KeyForm({ state }: { state: KeyState }): JSX.Element {
  const { settings } = useAdroit();
  const [key, setKey] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<WireError | null>(null);
  const isStored = state.origin === "keyring" || state.origin === "file";

  async function run(action: () => Promise<WireError | null>): Promise<void> {
    setBusy(true);
    const failure = await action();
    setBusy(false);
    setError(failure);
    if (failure === null) {
      setKey("");
    }
  }

  return (
    <form
      className={styles.section}
      aria-label="Enter a key"
      onSubmit={(event) => {
        event.preventDefault();
        void run(() => settings.setSecret(state.provider, key.trim()));
      }}
    >
      <div className={styles.inlineEnd}>
        <TextField className={styles.grow ?? ""} value={key} onChange={setKey} type="password">
          <Label className={styles.label ?? ""}>Key</Label>
          <Text slot="description" className={styles.faint ?? ""} data-testid="key-origin">
            <Origin state={state} />
          </Text>
          <Input
            className={`${styles.input} ${styles.mono}`}
            autoComplete="off"
            placeholder={state.origin === "none" ? "Enter a key" : "Enter another key"}
          />
        </TextField>
        <Button type="submit" isDisabled={busy || key.trim() === ""}>
          Save key
        </Button>
        {isStored ? (
          <Button
            isDisabled={busy}
            onPress={() => void run(() => settings.clearSecret(state.provider))}
          >
            Remove key
          </Button>
        ) : null}
      </div>
      <ErrorNote error={error} />
    </form>
  );
}

function Origin({ state }: { state: KeyState }): JSX.Element {
  switch (state.origin) {
    case "none":
      return <>No key yet. It is kept in the system’s keyring, never in the project.</>;
    case "environment":
      return (
        <>
          From the environment: <SafeText text={state.place} />. It wins over a stored one.
        </>
      );
    case "keyring":
    case "file":
      return (
        <>
          Stored: <SafeText text={state.place} />.
        </>
      );
  }
}

import { CircleCheck, CircleX } from "lucide-react";
import { type JSX, useState } from "react";
import type { Provider, ProviderCheck, WireError } from "../../generated/protocol.ts";
import { Button } from "../../shared/Button.tsx";
import { ErrorNote } from "../../shared/ErrorNote.tsx";
import { Prose } from "../../shared/Prose.tsx";
import { useAdroit } from "../adroit.tsx";
import { Choice, type Option } from "./Choice.tsx";
import { KeyForm } from "./KeyForm.tsx";
import { SavedField } from "./SavedField.tsx";
import styles from "./Settings.module.css";
import type { TabProps } from "./SettingsPanel.tsx";
import { useChange } from "./useChange.ts";

const PROVIDERS: Option<Provider>[] = [
  {
    value: "offline",
    name: "Offline operator",
    meaning:
      "Embedded: no key, no network. Understands a small language and plain phrasings of it.",
  },
  { value: "anthropic", name: "Anthropic", meaning: "Anthropic Messages, with a key." },
  {
    value: "openai-chat",
    name: "OpenAI-compatible",
    meaning: "Chat Completions: OpenAI, routers, and local servers such as Ollama or llama.cpp.",
  },
];

const COMPACTION: Option<"auto" | "manual">[] = [
  {
    value: "auto",
    name: "By itself",
    meaning: "Before it outgrows the model: a summary takes the place of its older part.",
  },
  { value: "manual", name: "Only when you say /compact" },
];

/** Who answers. */
export function ModelTab({ settings }: TabProps): JSX.Element {
  const { change, error } = useChange();
  const { provider, model, baseUrl } = settings;
  const [checked, setChecked] = useState<ProviderCheck | null>(null);
  const key = settings.keys.find((one) => one.provider === provider);
  const set = (
    part: Partial<{ provider: Provider; name: string | null; baseUrl: string | null }>,
  ) => {
    setChecked(null);
    void change({ type: "set_model", provider, name: model, baseUrl, ...part });
  };
  return (
    <div className={styles.content}>
      <Choice
        label="Provider"
        options={PROVIDERS}
        value={provider}
        onChange={(next) => set({ provider: next, name: null, baseUrl: null })}
      />
      {provider === "offline" ? null : (
        <>
          <SavedField
            key={`model:${provider}`}
            label="Model"
            value={model}
            placeholder="The provider’s own default"
            suggestions={checked?.models ?? []}
            onSave={(name) => set({ name })}
          />
          <SavedField
            key={`server:${provider}`}
            label="Base URL"
            value={baseUrl}
            placeholder="The provider’s own server"
            suggestions={[]}
            onSave={(url) => set({ baseUrl: url })}
          />
          {key === undefined ? null : <KeyForm key={provider} state={key} />}
        </>
      )}
      <Choice
        label="A long conversation is compacted"
        description="You still see and search all of it, and can go back to before."
        options={COMPACTION}
        value={settings.compaction.automatic === false ? "manual" : "auto"}
        onChange={(value) =>
          void change({
            type: "set_compaction",
            compaction: { automatic: value === "auto", thresholdPercent: null },
          })
        }
      />
      <ErrorNote error={error} />
      <Check checked={checked} onChecked={setChecked} />
    </div>
  );
}

interface CheckProps {
  checked: ProviderCheck | null;
  onChecked: (check: ProviderCheck | null) => void;
}

function Check({ checked, onChecked }: CheckProps): JSX.Element {
  const { settings } = useAdroit();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<WireError | null>(null);
  async function run(): Promise<void> {
    setBusy(true);
    setError(null);
    onChecked(null);
    const outcome = await settings.check();
    setBusy(false);
    if (outcome.ok) {
      onChecked(outcome.value);
    } else {
      setError(outcome.error);
    }
  }
  return (
    <section className={styles.section} aria-label="Check">
      <div className={styles.inline}>
        <Button isDisabled={busy} onPress={() => void run()}>
          {busy ? "Checking…" : "Check"}
        </Button>
        <p className={styles.checked} role="status" data-ok={checked?.ok}>
          {checked === null ? null : (
            <>
              {checked.ok ? (
                <CircleCheck size={14} aria-label="It works" />
              ) : (
                <CircleX size={14} aria-label="It does not work" />
              )}
              <span>
                <Prose text={checked.text} />
              </span>
            </>
          )}
        </p>
      </div>
      <ErrorNote error={error} />
    </section>
  );
}

import type {
  HookList,
  Provider,
  ProviderCheck,
  SettingsChange,
  SettingsState,
  WireError,
} from "../generated/protocol.ts";
import { type ActionContext, attempt, type Outcome } from "./context.ts";

/** What can be done with settings. Failures go back to the form that asked. */
export interface SettingsActions {
  /** Changes a setting; null where it worked. */
  change(change: SettingsChange): Promise<WireError | null>;
  /** Stores a key. */
  setSecret(provider: Provider, key: string): Promise<WireError | null>;
  /** Removes a stored key. */
  clearSecret(provider: Provider): Promise<WireError | null>;
  /** The hooks of the project with their last runs. */
  hooks(): Promise<Outcome<HookList>>;
  /** Tries the provider in force. */
  check(): Promise<Outcome<ProviderCheck>>;
}

/** Makes them. */
export function settingsActions(context: ActionContext): SettingsActions {
  const { store } = context;
  function take(outcome: Outcome<SettingsState>): WireError | null {
    if (outcome.ok) {
      store.setState({ settings: outcome.value });
      return null;
    }
    return outcome.error;
  }
  function scope(): { project: string | null; session: string | null } {
    const { project, current } = store.getState();
    return { project: project?.path ?? null, session: current };
  }
  return {
    async change(change) {
      return take(await attempt(context, "settings.change", { ...scope(), change }));
    },
    async setSecret(provider, key) {
      return take(await attempt(context, "secret.set", { provider, key }));
    },
    async clearSecret(provider) {
      return take(await attempt(context, "secret.clear", { provider }));
    },
    hooks() {
      return attempt(context, "hooks.list", scope());
    },
    check() {
      return attempt(context, "provider.check", scope());
    },
  };
}

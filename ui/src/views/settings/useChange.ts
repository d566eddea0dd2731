import { useCallback, useState } from "react";
import type { SettingsChange, WireError } from "../../generated/protocol.ts";
import { useAdroit } from "../adroit.tsx";

/** Changes settings and keeps the failure for the form that asked. */
export function useChange(): {
  change: (change: SettingsChange) => Promise<boolean>;
  error: WireError | null;
} {
  const { settings } = useAdroit();
  const [error, setError] = useState<WireError | null>(null);
  const change = useCallback(
    async (wanted: SettingsChange) => {
      const failure = await settings.change(wanted);
      setError(failure);
      return failure === null;
    },
    [settings],
  );
  return { change, error };
}

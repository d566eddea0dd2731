import type { JSX } from "react";
import type { PermissionRequest } from "../../generated/protocol.ts";
import { currentSnapshot } from "../../store/state.ts";
import { useUi } from "../adroit.tsx";
import { RequestCard } from "./RequestCard.tsx";

const NONE: PermissionRequest[] = [];

/** What waits for an answer: the first of the open requests, above the composer. */
export function RequestDock(): JSX.Element | null {
  const requests = useUi((state) => currentSnapshot(state)?.requests ?? NONE);
  const first = requests[0];
  return first === undefined ? null : (
    // Keyed by the request: nothing of one answer may reach the next.
    <RequestCard key={first.id} request={first} number={requests.length} />
  );
}

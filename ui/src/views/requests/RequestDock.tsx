import { type JSX, useLayoutEffect, useRef } from "react";
import type { PermissionRequest } from "../../generated/protocol.ts";
import { currentSnapshot } from "../../store/state.ts";
import { useUi } from "../adroit.tsx";
import { RequestCard } from "./RequestCard.tsx";

const NONE: PermissionRequest[] = [];

/** What waits for an answer: the first of the open requests, above the composer. */
export function RequestDock(): JSX.Element | null {
  const requests = useUi((state) => currentSnapshot(state)?.requests ?? NONE);
  const first = requests[0];
  const hadFocus = useFocusHandover(first?.id ?? null);
  return first === undefined ? null : (
    // Keyed by the request: nothing of one answer may reach the next.
    <RequestCard
      key={first.id}
      request={first}
      number={requests.length}
      onGone={(held) => {
        hadFocus.current = held;
      }}
    />
  );
}

/**
 * Who answered from inside of the dock goes on there, or in the composer when nothing
 * waits any more. Nobody else's focus is touched.
 */
function useFocusHandover(request: string | null): { current: boolean } {
  const hadFocus = useRef(false);
  useLayoutEffect(() => {
    if (!hadFocus.current) {
      return;
    }
    hadFocus.current = false;
    const next =
      request === null
        ? document.querySelector<HTMLElement>("[data-region=composer] textarea")
        : document.querySelector<HTMLElement>("[data-region=requests]");
    next?.focus();
  }, [request]);
  return hadFocus;
}

import type { PermissionRequest } from "../../generated/protocol.ts";

/** Requests that are alike: they can be looked at and decided together. */
export interface RequestGroup {
  /** Names the group. */
  key: string;
  /** What they have in common, in words. */
  title: string;
  /** They, oldest first. */
  requests: PermissionRequest[];
}

/**
 * Groups requests that a rule of middle breadth would cover alike, such as every `cargo test`.
 *
 * A request that would lose something stands alone: it is never one of many. So does one that
 * no rule may answer.
 */
export function groupRequests(requests: readonly PermissionRequest[]): RequestGroup[] {
  const groups = new Map<string, RequestGroup>();
  for (const request of requests) {
    const like = likeness(request);
    const key = like === null ? request.id : `${request.tool}:${like}`;
    const group = groups.get(key) ?? {
      key,
      title: like === null ? request.view.title : like,
      requests: [],
    };
    group.requests.push(request);
    groups.set(key, group);
  }
  return [...groups.values()];
}

function likeness({ destructive, suggestions }: PermissionRequest): string | null {
  if (destructive !== undefined) {
    return null;
  }
  const middle = suggestions.find(({ breadth }) => breadth === "prefix");
  return (middle ?? suggestions.find(({ breadth }) => breadth === "tool"))?.rule ?? null;
}

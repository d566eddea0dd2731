import type { Host } from "./host.ts";

/**
 * The host that this page runs in: the desktop window, or the loopback host whose
 * token is in the page's address.
 *
 * Each is loaded on demand, so that the browser never evaluates desktop code.
 */
export async function chooseHost(): Promise<Host> {
  if ("__TAURI_INTERNALS__" in window) {
    const { tauriHost } = await import("./tauri.ts");
    return tauriHost();
  }
  const token = new URLSearchParams(window.location.search).get("token");
  if (token === null) {
    throw new Error(
      "This page needs the address that the loopback host printed: its `?token=` is missing.",
    );
  }
  const { httpHost } = await import("./http.ts");
  return httpHost(window.location.origin, token);
}

import type { EventBatch } from "../generated/protocol.ts";
import { type EventListener, type Host, isWireError, toWireError } from "./host.ts";

/** The backend of the loopback host: commands by POST, events by a server-sent stream. */
export function httpHost(origin: string, token: string): Host {
  return {
    async rpc(name, input) {
      let response: Response;
      try {
        response = await fetch(`${origin}/rpc/${name}`, {
          method: "POST",
          headers: { "content-type": "application/json", "x-adroit-token": token },
          body: JSON.stringify(input),
        });
      } catch {
        throw {
          code: "failed",
          message: `The backend at ${origin} does not answer.`,
          hint: "Start it again and reload this page with the address that it prints.",
        };
      }
      const body: unknown = await response.json().catch(() => null);
      if (!response.ok) {
        throw isWireError(body)
          ? body
          : toWireError(new Error(`\`${name}\` failed with status ${response.status}.`));
      }
      // The devserver answers with the command's output type: both sides are generated.
      return body as never;
    },
    subscribe(listener: EventListener) {
      const source = new EventSource(`${origin}/events?token=${encodeURIComponent(token)}`);
      let lost = false;
      source.onmessage = (message: MessageEvent<string>) => {
        listener.onBatch(JSON.parse(message.data) as EventBatch);
      };
      source.onerror = () => {
        lost = true;
        if (source.readyState === EventSource.CLOSED) {
          listener.onBatch({
            events: [
              {
                type: "notice",
                tone: "danger",
                text: `The backend at ${origin} sends no events any more.`,
                hint: "Start it again and open the address that it prints.",
              },
            ],
          });
        }
      };
      source.onopen = () => {
        if (lost) {
          lost = false;
          listener.onReconnected();
        }
      };
      return () => source.close();
    },
    async openLink(address) {
      window.open(address, "_blank", "noopener,noreferrer");
    },
    async openFile() {
      // A page of the web opens no files.
      return false;
    },
  };
}

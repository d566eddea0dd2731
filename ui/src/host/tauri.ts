import { Channel, invoke } from "@tauri-apps/api/core";
import { openPath, openUrl } from "@tauri-apps/plugin-opener";
import type { EventBatch } from "../generated/protocol.ts";
import { type EventListener, type Host, toWireError } from "./host.ts";

/** The backend of the desktop window. */
export function tauriHost(): Host {
  return {
    async rpc(name, input) {
      try {
        return await invoke("rpc", { name, input });
      } catch (thrown) {
        throw toWireError(thrown);
      }
    },
    subscribe(listener: EventListener) {
      let open = true;
      const channel = new Channel<EventBatch>((batch) => {
        if (open) {
          listener.onBatch(batch);
        }
      });
      invoke("subscribe", { channel }).catch((thrown: unknown) => {
        const error = toWireError(thrown);
        listener.onBatch({
          events: [
            {
              type: "notice",
              tone: "danger",
              text: `The window receives no events: ${error.message}`,
              hint: error.hint ?? "Restart Adroit.",
            },
          ],
        });
      });
      return () => {
        open = false;
      };
    },
    async openLink(address) {
      try {
        await openUrl(address);
      } catch (thrown) {
        throw toWireError(thrown);
      }
    },
    async openFile(file) {
      try {
        // The capability names the settings files: no text in the page can open another.
        await openPath(file);
        return true;
      } catch (thrown) {
        throw toWireError(thrown);
      }
    },
  };
}

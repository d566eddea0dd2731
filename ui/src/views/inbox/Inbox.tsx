import { Inbox as InboxIcon, X } from "lucide-react";
import { type JSX, useEffect, useMemo } from "react";
import { Dialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import type { Inbox as InboxState } from "../../generated/protocol.ts";
import { IconButton } from "../../shared/Button.tsx";
import { count } from "../../shared/time.ts";
import { useAdroit, useUi } from "../adroit.tsx";
import { groupRequests } from "./groups.ts";
import styles from "./Inbox.module.css";
import { InboxGroup } from "./InboxGroup.tsx";

const EMPTY: InboxState = { requests: [], sessions: [] };

/** Opens the inbox; says how many requests wait in all sessions. Not there when none does. */
export function InboxButton(): JSX.Element | null {
  const { setPanels } = useAdroit();
  const waiting = useInbox().requests.length;
  if (waiting === 0) {
    return null;
  }
  return (
    <span className={styles.button}>
      <IconButton
        label={`Inbox: ${count(waiting, "request")} in all sessions`}
        keys="Ctrl+I"
        onPress={() => setPanels({ inbox: true })}
      >
        <InboxIcon size={15} />
        <span className={styles.badge} aria-hidden>
          {waiting}
        </span>
      </IconButton>
    </span>
  );
}

/** What waits for an answer in all sessions, similar requests together. */
export function InboxPanel(): JSX.Element {
  const { setPanels, sessions } = useAdroit();
  const isOpen = useUi((state) => state.panels.inbox);
  const inbox = useInbox();
  const groups = useMemo(() => groupRequests(inbox.requests), [inbox]);
  const close = () => setPanels({ inbox: false });
  return (
    <ModalOverlay
      className={styles.overlay ?? ""}
      isOpen={isOpen}
      isDismissable
      onOpenChange={(open) => setPanels({ inbox: open })}
    >
      <Modal className={styles.modal ?? ""}>
        <Dialog className={styles.dialog ?? ""} data-testid="inbox">
          <header className={styles.header}>
            <Heading slot="title" className={styles.heading ?? ""}>
              Inbox
            </Heading>
            <IconButton label="Close inbox" keys="Esc" onPress={close}>
              <X size={15} />
            </IconButton>
          </header>
          <div className={styles.body}>
            {groups.length === 0 ? <p className={styles.empty}>Nothing waits for you.</p> : null}
            {groups.map((group) => (
              <InboxGroup
                key={group.key}
                group={group}
                sessions={inbox.sessions}
                onOpen={(request) => {
                  close();
                  void sessions.show(request.session);
                }}
              />
            ))}
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function useInbox(): InboxState {
  const { sessions } = useAdroit();
  const inbox = useUi((state) => state.inbox);
  useEffect(() => {
    void sessions.refreshInbox();
  }, [sessions]);
  return inbox ?? EMPTY;
}

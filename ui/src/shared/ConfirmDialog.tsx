import type { JSX, ReactNode } from "react";
import { Dialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import { Button } from "./Button.tsx";
import styles from "./Dialog.module.css";

interface Props {
  /** Whether it shows. */
  isOpen: boolean;
  /** The question. */
  title: string;
  /** What the button that goes ahead says. */
  confirm: string;
  /** What follows from it. */
  children: ReactNode;
  /** Goes ahead. */
  onConfirm: () => void;
  /** Leaves everything as it is. */
  onCancel: () => void;
}

/** Asks before something that cannot be taken back. The focus begins on the safe answer. */
export function ConfirmDialog(props: Props): JSX.Element {
  const { isOpen, title, confirm, children, onConfirm, onCancel } = props;
  return (
    <ModalOverlay
      className={styles.overlay ?? ""}
      isOpen={isOpen}
      isDismissable
      onOpenChange={(open) => {
        if (!open) {
          onCancel();
        }
      }}
    >
      <Modal className={styles.modal ?? ""}>
        <Dialog role="alertdialog" className={styles.confirm ?? ""}>
          <Heading slot="title" className={styles.title ?? ""}>
            {title}
          </Heading>
          <p className={styles.text}>{children}</p>
          <div className={styles.actions}>
            <Button autoFocus onPress={onCancel}>
              Cancel
            </Button>
            <Button look="danger" onPress={onConfirm}>
              {confirm}
            </Button>
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

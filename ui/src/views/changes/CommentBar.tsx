import type { JSX } from "react";
import { Button } from "../../shared/Button.tsx";
import { count } from "../../shared/time.ts";
import { useAdroit } from "../adroit.tsx";
import styles from "./Changes.module.css";
import type { Comments } from "./useComments.ts";

/** Sends what was said about lines, as one message. */
export function CommentBar({ comments }: { comments: Comments }): JSX.Element | null {
  const { sessions } = useAdroit();
  if (comments.all.length === 0) {
    return null;
  }
  async function send(): Promise<void> {
    if (await sessions.submit(comments.message())) {
      comments.clear();
    }
  }
  return (
    <footer className={styles.comments}>
      <span>{count(comments.all.length, "comment")} not sent yet</span>
      <span className={styles.grow} />
      <Button small look="quiet" onPress={comments.clear}>
        Drop
      </Button>
      <Button small look="primary" onPress={() => void send()}>
        Send to the agent
      </Button>
    </footer>
  );
}

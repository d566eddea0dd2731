import { X } from "lucide-react";
import { type JSX, useState } from "react";
import type { DiffLine, LineComment } from "../../generated/protocol.ts";
import { Button, IconButton } from "../../shared/Button.tsx";
import { escapeText } from "../../shared/deceptive.ts";
import { SafeText } from "../../shared/SafeText.tsx";
import type { DiffReview } from "../context.ts";
import styles from "./Diff.module.css";
import { isAbout, sideOf } from "./places.ts";

interface Props {
  /** The file. */
  path: string;
  /** The lines of the hunk. */
  lines: readonly DiffLine[];
  /** What was said, and how to say more. */
  review: DiffReview;
  /** The line that a comment is being written on. */
  about: DiffLine | null;
  /** Chooses it. */
  onAbout: (line: DiffLine | null) => void;
}

/** What is said about the lines of one hunk. */
export function HunkComments({ path, lines, review, about, onAbout }: Props): JSX.Element {
  const said = review.comments.filter((comment) =>
    lines.some((line) => isAbout(comment, path, line)),
  );
  return (
    <>
      {said.map((comment) => (
        <tr key={`${comment.side}:${comment.line}`} className={styles.said}>
          <td colSpan={4}>
            <SaidComment comment={comment} onTakeBack={review.comment} />
          </td>
        </tr>
      ))}
      {about === null ? null : (
        <tr className={styles.said}>
          <td colSpan={4}>
            <CommentForm
              key={`${about.oldLine}:${about.newLine}`}
              path={path}
              lines={lines}
              about={about}
              before={said.find((comment) => isAbout(comment, path, about))}
              onAbout={onAbout}
              onSay={review.comment}
            />
          </td>
        </tr>
      )}
    </>
  );
}

interface SaidProps {
  comment: LineComment;
  onTakeBack: (comment: LineComment) => void;
}

/** What was said about one line. */
export function SaidComment({ comment, onTakeBack }: SaidProps): JSX.Element {
  return (
    <div className={styles.saidRow}>
      <span className={styles.saidLine}>Line {comment.line}</span>
      <span className={styles.saidText}>
        <SafeText text={comment.text} strictness="prose" />
      </span>
      <IconButton
        label={`Take back the comment on line ${comment.line}`}
        onPress={() => onTakeBack({ ...comment, text: "" })}
      >
        <X size={12} />
      </IconButton>
    </div>
  );
}

interface FormProps {
  path: string;
  lines: readonly DiffLine[];
  about: DiffLine;
  before: LineComment | undefined;
  onAbout: (line: DiffLine | null) => void;
  onSay: (comment: LineComment) => void;
}

const SIGN = { context: " ", added: "+", removed: "−" } as const;

/** Says something about a line. */
export function CommentForm({
  path,
  lines,
  about,
  before,
  onAbout,
  onSay,
}: FormProps): JSX.Element {
  const [text, setText] = useState(before?.text ?? "");
  function say(): void {
    onSay({ path, ...sideOf(about), text: text.trim() });
    onAbout(null);
  }
  return (
    <form
      className={styles.commentForm}
      aria-label="Comment on a line"
      onSubmit={(event) => {
        event.preventDefault();
        say();
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape") {
          event.stopPropagation();
          onAbout(null);
        }
      }}
    >
      <select
        className={styles.commentLine}
        aria-label="Line"
        value={lines.indexOf(about)}
        onChange={(event) => onAbout(lines[Number(event.target.value)] ?? about)}
      >
        {lines.map((line, index) => (
          <option key={index} value={index}>
            {`${sideOf(line).line} ${SIGN[line.kind]} ${escapeText(line.text).slice(0, 60)}`}
          </option>
        ))}
      </select>
      <textarea
        className={styles.commentText}
        aria-label={`Comment on line ${sideOf(about).line}`}
        placeholder="The agent reads this together with your answer."
        rows={2}
        value={text}
        // biome-ignore lint/a11y/noAutofocus: it opens because its line was chosen
        autoFocus
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
            event.preventDefault();
            say();
          }
        }}
      />
      <span className={styles.commentButtons}>
        <Button small type="submit" isDisabled={text.trim() === ""}>
          Add comment
        </Button>
        <Button small look="quiet" onPress={() => onAbout(null)}>
          Cancel
        </Button>
      </span>
    </form>
  );
}

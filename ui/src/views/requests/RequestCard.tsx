import { CircleQuestionMark, Globe, Hand, ListChecks } from "lucide-react";
import { type JSX, useId, useLayoutEffect, useMemo, useRef, useState } from "react";
import { BlockContextProvider, useBlockContext } from "../../blocks/context.ts";
import type { Answer, PermissionRequest, WireError } from "../../generated/protocol.ts";
import { ErrorNote } from "../../shared/ErrorNote.tsx";
import { Prose } from "../../shared/Prose.tsx";
import { SafeText } from "../../shared/SafeText.tsx";
import { useAdroit } from "../adroit.tsx";
import { useChangedOf } from "../changed.ts";
import type { AnswerHandle } from "./AnswerButton.tsx";
import { Answers } from "./Answers.tsx";
import { DraftEditor, textKindOf, useEditing } from "./DraftEditor.tsx";
import { EditAnswers } from "./EditAnswers.tsx";
import { PlanAnswers } from "./PlanAnswers.tsx";
import { QuestionAnswers } from "./QuestionAnswers.tsx";
import { QuestionForm } from "./QuestionForm.tsx";
import { answersOf, questionsOf, UNANSWERED } from "./questions.ts";
import { RequestBody } from "./RequestBody.tsx";
import styles from "./Requests.module.css";
import { ConsentProvider, useGuard } from "./useConsent.ts";
import { useReview } from "./useReview.ts";
import { WholeInput } from "./WholeInput.tsx";

/** How many lines a preview shows before it folds; generous, for here one decides. */
const PREVIEW_LINES = 200;

interface Props {
  /** The request. */
  request: PermissionRequest;
  /** How many are open, this one included. */
  number: number;
  /** The card goes away; says whether it held the focus. */
  onGone: (heldFocus: boolean) => void;
}

/** One request: what will run, why it asks, and the answers. */
export function RequestCard({ request, number, onGone }: Props): JSX.Element {
  const { sessions } = useAdroit();
  const outer = useBlockContext();
  const card = useRef<HTMLElement>(null);
  const heading = useId();
  const { consent, told } = useGuard(request.id, card);
  const gone = useRef(onGone);
  gone.current = onGone;
  useLayoutEffect(() => {
    const element = card.current;
    return () => gone.current(element?.contains(document.activeElement) === true);
  }, []);
  const [whole, setWhole] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<WireError | null>(null);
  const review = useReview(request);
  const questions = useMemo(() => questionsOf(request), [request]);
  const [answers, setAnswers] = useState(() => questions.map(() => UNANSWERED));
  const textKind = textKindOf(request.draft);
  const isPlan = request.draft?.kind === "plan";
  const send = useRef<AnswerHandle>(null);
  const [isEditing, setEditing] = useState(false);
  const editing = useEditing(request, review.rejected, isEditing);
  const context = useMemo(
    () => ({ ...outer, lineLimit: PREVIEW_LINES, showWhole: () => setWhole(true) }),
    [outer],
  );
  const reviewed = useMemo(() => ({ ...context, review: review.diff }), [context, review.diff]);

  async function answer(given: Answer): Promise<void> {
    setBusy(true);
    setError(null);
    const failure = await sessions.answer(request, given);
    setError(failure);
    if (failure !== null) {
      setBusy(false);
    }
  }

  return (
    <section
      ref={card}
      className={styles.card}
      aria-labelledby={heading}
      data-region="requests"
      data-region-focus
      data-testid="request"
      data-request={request.id}
      data-armed={consent.armed || undefined}
      data-destructive={request.destructive !== undefined || undefined}
      data-question={request.draft?.answer === true || undefined}
      tabIndex={-1}
    >
      <header className={styles.header}>
        {isPlan ? (
          <ListChecks size={15} aria-hidden className={styles.hand} />
        ) : questions.length > 0 ? (
          <CircleQuestionMark size={15} aria-hidden className={styles.hand} />
        ) : (
          <Hand size={15} aria-hidden className={styles.hand} />
        )}
        <h2 className={styles.title} id={heading}>
          <SafeText text={request.view.title} />
        </h2>
        <span className={styles.tool}>
          {request.agent === undefined ? null : (
            <>
              <SafeText text={request.agent} /> ·{" "}
            </>
          )}
          {request.toolLabel === request.view.title ? null : <SafeText text={request.toolLabel} />}
        </span>
        <span className={styles.place} data-testid="request-place">
          1 of {number}
        </span>
      </header>
      <div className={styles.scroll}>
        <BlockContextProvider value={context}>
          {/* That it asks is plain to see where that is all. */}
          {request.draft?.answer === true && request.reasons.length === 1 ? null : (
            <Reasons request={request} />
          )}
          {questions.map((question, at) => (
            <QuestionForm
              key={question.question}
              question={question}
              answer={answers[at] ?? UNANSWERED}
              isBusy={busy}
              onChange={(next) => setAnswers((so) => so.with(at, next))}
              onSubmit={(event) => send.current?.keyDown(event)}
            />
          ))}
          {questions.length > 0 ? null : isEditing && textKind !== null ? (
            <DraftEditor kind={textKind} editing={editing} />
          ) : (
            <BlockContextProvider value={reviewed}>
              <RequestBody request={request} />
            </BlockContextProvider>
          )}
          {request.draft?.answer === true ? null : (
            <WholeInput input={request.input} isOpen={whole} onToggle={setWhole} />
          )}
        </BlockContextProvider>
      </div>
      <footer className={styles.footer}>
        <ErrorNote error={error} />
        <p className={styles.told} role="status">
          {told}
        </p>
        <ConsentProvider value={consent}>
          {questions.length > 0 ? (
            <QuestionAnswers
              count={questions.length}
              answers={answersOf(answers)}
              isBusy={busy}
              handle={send}
              onAnswer={(given) => void answer(given)}
            />
          ) : isPlan ? (
            <PlanAnswers
              editing={isEditing ? editing : null}
              isBusy={busy}
              onAnswer={(given) => void answer(given)}
              onEdit={() => setEditing(true)}
              onBack={() => setEditing(false)}
            />
          ) : isEditing ? (
            <EditAnswers
              request={request}
              editing={editing}
              comments={review.comments}
              isBusy={busy}
              onAnswer={(given) => void answer(given)}
              onBack={() => setEditing(false)}
            />
          ) : (
            <Answers
              request={request}
              review={review}
              isBusy={busy}
              onAnswer={(given) => void answer(given)}
              onEdit={() => setEditing(true)}
            />
          )}
        </ConsentProvider>
      </footer>
    </section>
  );
}

function Reasons({ request }: { request: PermissionRequest }): JSX.Element {
  // What would be lost stands above by itself.
  const [main, ...others] = request.reasons.filter(({ text }) => text !== request.destructive);
  const changed = useChangedOf(request.view);
  return (
    <div className={styles.reasons}>
      {changed.length === 0 ? null : (
        <p className={styles.changed} role="status" data-testid="request-changed">
          Changed by someone else since the agent read it: <SafeText text={changed.join(", ")} />.
          Approved as it is, the call will fail, and nothing of that change is lost.
        </p>
      )}
      {request.revised ? (
        <p className={styles.revised}>This is your version. It needs an answer of its own:</p>
      ) : null}
      {request.destructive === undefined ? null : (
        <p className={styles.loss} role="note">
          <Prose text={request.destructive} />
        </p>
      )}
      {request.openWorld ? (
        <p className={styles.reaches} data-testid="request-open-world">
          <Globe size={13} aria-hidden /> It may reach beyond this machine.
        </p>
      ) : null}
      {(request.unrestorable ?? []).map((words) => (
        <p key={words} className={styles.loss} role="note" data-testid="request-unrestorable">
          <SafeText text={words} strictness="prose" />
        </p>
      ))}
      {main === undefined ? null : (
        <p>
          <Prose text={main.text} />
        </p>
      )}
      {others.length === 0 ? null : (
        <ul className={styles.others} aria-label="Further reasons">
          {others.map((reason) => (
            <li key={reason.text}>
              <Prose text={reason.text} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

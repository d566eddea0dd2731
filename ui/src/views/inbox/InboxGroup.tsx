import { type JSX, useMemo, useRef, useState } from "react";
import { type BlockContext, BlockContextProvider, type DiffLayout } from "../../blocks/context.ts";
import type { InboxSession, PermissionRequest, WireError } from "../../generated/protocol.ts";
import { Button } from "../../shared/Button.tsx";
import { ErrorNote } from "../../shared/ErrorNote.tsx";
import { Prose } from "../../shared/Prose.tsx";
import { SafeText } from "../../shared/SafeText.tsx";
import { count } from "../../shared/time.ts";
import { useAdroit } from "../adroit.tsx";
import { AnswerButton } from "../requests/AnswerButton.tsx";
import { RequestBody } from "../requests/RequestBody.tsx";
import { ConsentProvider, useGuard } from "../requests/useConsent.ts";
import type { RequestGroup } from "./groups.ts";
import styles from "./Inbox.module.css";

/** How many lines a preview shows before it folds. */
const PREVIEW_LINES = 200;

interface Props {
  /** The group. */
  group: RequestGroup;
  /** The sessions that the requests are of. */
  sessions: readonly InboxSession[];
  /** Shows the session of a request. */
  onOpen: (request: PermissionRequest) => void;
}

/** Requests that are alike, decided together; each can be left out. */
export function InboxGroup({ group, sessions, onOpen }: Props): JSX.Element {
  const adroit = useAdroit();
  const card = useRef<HTMLElement>(null);
  // Another member is another thing to consent to: answers settle anew.
  const { consent, told } = useGuard(group.requests.map(({ id }) => id).join(), card);
  const [vetoed, setVetoed] = useState<ReadonlySet<string>>(new Set());
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<WireError | null>(null);
  const chosen = group.requests.filter(({ id }) => !vetoed.has(id));
  // An answer is more than a yes: a question is answered where it stands.
  const isQuestion = chosen.some(({ draft }) => draft?.answer === true);
  const hold = chosen.some(({ destructive }) => destructive !== undefined);

  async function answer(type: "allow_once" | "deny"): Promise<void> {
    setBusy(true);
    setError(null);
    for (const request of chosen) {
      const failure = await adroit.sessions.answer(request, { type });
      // The rest is still asked about; who gave the answer sees why it did not count.
      if (failure !== null) {
        setError(failure);
        break;
      }
    }
    setBusy(false);
    await adroit.sessions.refreshInbox();
  }

  return (
    <section
      ref={card}
      className={styles.group}
      aria-label={`Requests like ${group.title}`}
      data-testid="inbox-group"
      data-armed={consent.armed || undefined}
    >
      <h3 className={styles.title}>
        <SafeText text={group.title} />
        <span className={styles.count}>{count(group.requests.length, "request")}</span>
      </h3>
      <ul className={styles.requests}>
        {group.requests.map((request) => (
          <Member
            key={request.id}
            request={request}
            session={sessions.find(({ session }) => session === request.session)}
            taken={!vetoed.has(request.id)}
            onToggle={() => setVetoed((before) => toggled(before, request.id))}
            onOpen={() => onOpen(request)}
          />
        ))}
      </ul>
      <ErrorNote error={error} />
      <p className={styles.told} role="status">
        {told}
      </p>
      <ConsentProvider value={consent}>
        <div className={styles.answers}>
          {isQuestion ? (
            <span className={styles.session}>Open it to answer.</span>
          ) : (
            <AnswerButton
              answer="allow"
              look="allow"
              hold={hold}
              isDisabled={busy || chosen.length === 0}
              onAnswer={() => void answer("allow_once")}
            >
              {hold ? "Hold to allow" : "Allow"} {chosen.length} once
            </AnswerButton>
          )}
          <AnswerButton
            answer="deny"
            look="deny"
            isDisabled={busy || chosen.length === 0}
            onAnswer={() => void answer("deny")}
          >
            Deny {chosen.length}
          </AnswerButton>
        </div>
      </ConsentProvider>
    </section>
  );
}

interface MemberProps {
  request: PermissionRequest;
  session: InboxSession | undefined;
  taken: boolean;
  onToggle: () => void;
  onOpen: () => void;
}

function Member({ request, session, taken, onToggle, onOpen }: MemberProps): JSX.Element {
  const [main] = request.reasons;
  const context = useContextHere(onOpen);
  return (
    <li className={styles.member} data-vetoed={!taken || undefined} data-testid="inbox-request">
      <div className={styles.memberHead}>
        <label className={styles.take}>
          <input type="checkbox" checked={taken} onChange={onToggle} />
          <SafeText text={request.view.title} />
        </label>
        <span className={styles.session}>
          {request.agent === undefined ? null : (
            <>
              <SafeText text={request.agent} /> ·{" "}
            </>
          )}
          <SafeText text={session?.title || "New session"} />
        </span>
        <Button small look="quiet" onPress={onOpen}>
          Open
        </Button>
      </div>
      {request.destructive === undefined ? null : (
        <p className={styles.loss}>
          <Prose text={request.destructive} />
        </p>
      )}
      {main === undefined ? null : (
        <p className={styles.reason}>
          <Prose text={main.text} />
        </p>
      )}
      <BlockContextProvider value={context}>
        <RequestBody request={request} />
      </BlockContextProvider>
    </li>
  );
}

/** Here one decides: much shows before it folds, and the rest is behind "Open". */
function useContextHere(open: () => void): BlockContext {
  const { openLink } = useAdroit();
  const [diffLayout, setDiffLayout] = useState<DiffLayout>("unified");
  const latest = useRef(open);
  latest.current = open;
  return useMemo(
    () => ({
      openLink,
      // Its files are another project's, perhaps: they are looked at in its session.
      openPlace: () => latest.current(),
      showTerminal: () => latest.current(),
      // Nothing runs yet that could be typed into.
      typeInto: () => undefined,
      showSession: () => latest.current(),
      showWhole: () => latest.current(),
      lineLimit: PREVIEW_LINES,
      diffLayout,
      setDiffLayout,
    }),
    [openLink, diffLayout],
  );
}

function toggled(before: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const after = new Set(before);
  if (!after.delete(id)) {
    after.add(id);
  }
  return after;
}

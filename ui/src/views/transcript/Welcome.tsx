import type { JSX } from "react";
import { useAdroit, useUi } from "../adroit.tsx";
import { Logo } from "../app/Logo.tsx";
import styles from "./Welcome.module.css";

/** First things to ask; the offline operator understands them as any model does. */
const IDEAS = ["Give me a tour of this project", "Find TODO", "List the files", "Run git status"];

/** What an empty session shows. */
export function Welcome(): JSX.Element {
  const { setDraft } = useAdroit();
  const offline = useUi((state) => state.settings?.provider === "offline");
  return (
    <section className={styles.welcome} aria-label="Transcript" data-region="transcript">
      <Logo size={36} />
      <h2 className={styles.heading}>What shall we do?</h2>
      <ul className={styles.ideas} aria-label="Ideas">
        {IDEAS.map((idea) => (
          <li key={idea}>
            <button
              type="button"
              className={styles.idea}
              onClick={() => {
                setDraft(idea);
                document.querySelector<HTMLElement>("[data-region=composer] textarea")?.focus();
              }}
            >
              {idea}
            </button>
          </li>
        ))}
      </ul>
      {offline ? (
        <p className={styles.faint}>
          The offline operator answers: no key, no network. Choose a model in the settings.
        </p>
      ) : null}
    </section>
  );
}

import { ShieldQuestion } from "lucide-react";
import { type JSX, useEffect, useRef } from "react";
import type { Project } from "../../generated/protocol.ts";
import { Button } from "../../shared/Button.tsx";
import { SafeText } from "../../shared/SafeText.tsx";
import { useAdroit } from "../adroit.tsx";
import styles from "./TrustQuestion.module.css";

/** Asks, for a folder that was not seen before, whether it is trusted. */
export function TrustQuestion({ project }: { project: Project }): JSX.Element {
  const { projects } = useAdroit();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <div className={styles.centre}>
      <section className={styles.card} aria-labelledby="trust-heading" data-testid="trust-question">
        <ShieldQuestion size={28} className={styles.icon} aria-hidden />
        <h2 id="trust-heading" className={styles.heading} ref={heading} tabIndex={-1}>
          Do you trust this folder?
        </h2>
        <p className={styles.path}>
          <SafeText text={project.path} />
        </p>
        <p>
          A project can carry settings, hooks and servers that run programs on this machine. Trust
          it only if you know where it comes from.
        </p>
        <HeldBack entries={project.heldBack} />
        <p className={styles.faint}>
          Restricted, the agent can read, list and search, and nothing of the folder takes effect.
          You can change this at any time beside the project’s name.
        </p>
        <div className={styles.actions}>
          <Button look="primary" onPress={() => void projects.trust(true)}>
            Trust this folder
          </Button>
          <Button onPress={() => void projects.trust(false)}>Stay restricted</Button>
        </div>
      </section>
    </div>
  );
}

function HeldBack({ entries }: { entries: readonly string[] }): JSX.Element {
  if (entries.length === 0) {
    return <p className={styles.held}>It brings no settings, hooks or servers of its own.</p>;
  }
  return (
    <div className={styles.held}>
      <p>Held back until then:</p>
      <ul className={styles.list}>
        {entries.map((entry) => (
          <li key={entry}>
            <SafeText text={entry} />
          </li>
        ))}
      </ul>
    </div>
  );
}

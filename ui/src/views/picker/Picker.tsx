import { Folder, FolderOpen, X } from "lucide-react";
import { type FormEvent, type JSX, useState } from "react";
import { Input, Label, TextField } from "react-aria-components";
import type { AppState, RecentProject, WireError } from "../../generated/protocol.ts";
import { Button, IconButton } from "../../shared/Button.tsx";
import { ErrorNote } from "../../shared/ErrorNote.tsx";
import { SafeText } from "../../shared/SafeText.tsx";
import { formatAgo } from "../../shared/time.ts";
import { useAdroit } from "../adroit.tsx";
import { Logo } from "../app/Logo.tsx";
import styles from "./Picker.module.css";

/** Chooses the folder to work on. */
export function Picker({ app }: { app: AppState }): JSX.Element {
  const adroit = useAdroit();
  const [path, setPath] = useState("");
  const [error, setError] = useState<WireError | null>(null);
  const [busy, setBusy] = useState(false);

  async function open(folder: string): Promise<void> {
    setError(null);
    setBusy(true);
    setError(await adroit.projects.open(folder));
    setBusy(false);
  }

  return (
    <main className={styles.picker}>
      <div className={styles.card}>
        <header className={styles.header}>
          <Logo size={40} />
          <div>
            <h1 className={styles.name}>Adroit</h1>
            <p className={styles.faint}>Open a project folder to work on.</p>
          </div>
        </header>
        <form
          className={styles.form}
          onSubmit={(event: FormEvent) => {
            event.preventDefault();
            if (path.trim() !== "") {
              void open(path.trim());
            }
          }}
        >
          <TextField className={styles.field ?? ""} value={path} onChange={setPath} autoFocus>
            <Label className={styles.label ?? ""}>Folder</Label>
            <Input
              className={styles.input ?? ""}
              placeholder="/home/you/project"
              spellCheck="false"
              autoComplete="off"
            />
          </TextField>
          <Button look="primary" type="submit" isDisabled={busy || path.trim() === ""}>
            Open
          </Button>
          {app.desktop ? (
            <Button
              onPress={() => {
                setError(null);
                void adroit.projects.pick().then(setError);
              }}
            >
              <FolderOpen size={14} aria-hidden /> Choose…
            </Button>
          ) : null}
        </form>
        <ErrorNote error={error} />
        <Recent projects={app.recent} onOpen={(folder) => void open(folder)} />
        <footer className={styles.version}>Version {app.version}</footer>
      </div>
    </main>
  );
}

interface RecentProps {
  projects: readonly RecentProject[];
  onOpen: (path: string) => void;
}

function Recent({ projects, onOpen }: RecentProps): JSX.Element | null {
  const adroit = useAdroit();
  if (projects.length === 0) {
    return null;
  }
  return (
    <section aria-labelledby="recent">
      <h2 className={styles.heading} id="recent">
        Recent
      </h2>
      <ul className={styles.list}>
        {projects.map((project) => (
          <li key={project.path} className={styles.item} data-gone={!project.exists || undefined}>
            <button
              type="button"
              className={styles.open}
              disabled={!project.exists}
              onClick={() => onOpen(project.path)}
            >
              <Folder size={16} aria-hidden className={styles.icon} />
              <span className={styles.words}>
                <span className={styles.project}>
                  <SafeText text={project.name} />
                </span>
                <span className={styles.path}>
                  <SafeText text={project.path} />
                </span>
              </span>
              <span className={styles.ago}>
                {project.exists ? formatAgo(project.openedAt, Date.now()) : "folder is gone"}
              </span>
            </button>
            <IconButton
              label={`Forget ${project.name}`}
              onPress={() => void adroit.projects.forget(project.path)}
            >
              <X size={14} />
            </IconButton>
          </li>
        ))}
      </ul>
    </section>
  );
}

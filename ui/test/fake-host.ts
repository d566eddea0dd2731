import type {
  CallRecord,
  ChangeList,
  ChangePreview,
  DraftChange,
  Event,
  FileComparison,
  FoundEntry,
  HookState,
  HunkPlace,
  Item,
  PermissionRequest,
  Project,
  QueuedMessage,
  RuleCheck,
  SessionChange,
  SessionSnapshot,
  SettingsChange,
  SettingsState,
  TerminalState,
  UndoPreview,
  WireError,
} from "../src/generated/protocol.ts";
import type { CommandName, EventListener, Host, Input, Output } from "../src/host/host.ts";

/** What a fake backend begins with. */
export interface Scene {
  project: Project | null;
  snapshot: SessionSnapshot;
  settings: SettingsState;
  record: CallRecord;
  hooks: HookState[];
  terminals: TerminalState[];
  changes: Changes;
}

/** What a fake backend says of changes. */
export interface Changes {
  list: ChangeList;
  files: FileComparison[];
  preview: UndoPreview;
}

type Bodies = { [N in CommandName]: (input: Input<N>) => Output<N> };

/** A backend in memory, for stories and tests of the views. Never shipped. */
export class FakeHost implements Host {
  /** Every command that was given, in order. */
  readonly calls: { name: CommandName; input: unknown }[] = [];
  /** Addresses that were opened. */
  readonly links: string[] = [];
  /** Files that were to be opened. */
  readonly files: string[] = [];
  /** Whether they are: not so in a browser. */
  opensFiles = true;
  /** Failures to answer with, by command. */
  /** Requests of sessions that do not show. */
  elsewhere: PermissionRequest[] = [];
  readonly failures = new Map<CommandName, WireError>();
  private listeners = new Set<EventListener>();

  constructor(readonly scene: Scene) {}

  async rpc<N extends CommandName>(name: N, input: Input<N>): Promise<Output<N>> {
    this.calls.push({ name, input });
    const failure = this.failures.get(name);
    if (failure !== undefined) {
      throw failure;
    }
    return structuredClone(this.bodies()[name](input));
  }

  subscribe(listener: EventListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async openLink(address: string): Promise<void> {
    this.links.push(address);
  }

  async openFile(file: string): Promise<boolean> {
    this.files.push(file);
    return this.opensFiles;
  }

  /** What was given of one command. */
  given<N extends CommandName>(name: N): Input<N>[] {
    return this.calls.filter((call) => call.name === name).map((call) => call.input as Input<N>);
  }

  /** Changes the session, and tells it. */
  change(change: SessionChange): void {
    const { snapshot } = this.scene;
    snapshot.sequence += 1;
    switch (change.type) {
      case "item_added":
        snapshot.items = [...snapshot.items, change.item];
        break;
      case "item_replaced":
        snapshot.items = snapshot.items.map((i) => (i.id === change.item.id ? change.item : i));
        break;
      case "request_opened":
        snapshot.requests = [...snapshot.requests, change.request];
        break;
      case "request_closed":
        snapshot.requests = snapshot.requests.filter((r) => r.id !== change.request);
        break;
      case "mode_changed":
        snapshot.mode = change.mode;
        break;
      case "turn_changed":
        snapshot.turn = change.turn;
        break;
      case "queue_changed":
        snapshot.queue = change.queue;
        break;
      case "undos_changed":
        snapshot.undos = change.undos;
        break;
      default:
        break;
    }
    this.emit({ type: "session", session: snapshot.session, sequence: snapshot.sequence, change });
  }

  /** Tells an event. */
  emit(...events: Event[]): void {
    for (const listener of this.listeners) {
      listener.onBatch(structuredClone({ events }));
    }
  }

  /** Tells that the connection was lost and is up again. */
  reconnect(): void {
    for (const listener of this.listeners) {
      listener.onReconnected();
    }
  }

  private bodies(): Bodies {
    const { scene } = this;
    return {
      "app.state": () => ({
        version: "0.1.0",
        desktop: true,
        startFolder: scene.project?.path ?? null,
        recent: RECENT,
      }),
      "project.pick": () => ({ path: null }),
      "project.open": ({ path }) => {
        if (scene.project === null) {
          throw {
            code: "not_found",
            message: `There is no folder ${path}.`,
            hint: "Check the path, or choose the folder.",
          } satisfies WireError;
        }
        return scene.project;
      },
      "project.trust": ({ trusted }) => {
        const project = scene.project as Project;
        project.trust = trusted ? "trusted" : "untrusted";
        return project;
      },
      "project.forget": () => ({}),
      "session.list": () => ({ sessions: sessionsOf(scene.snapshot) }),
      "session.create": () => scene.snapshot,
      "session.open": () => scene.snapshot,
      "session.delete": () => ({}),
      "session.find": ({ text }) => ({ entries: foundIn(scene.snapshot.items, text) }),
      "turn.submit": ({ text }) => {
        const id = `item_${scene.snapshot.sequence}`;
        this.change({ type: "item_added", item: { id, body: { type: "user", text } } });
        return {};
      },
      "turn.stop": () => {
        this.change({ type: "turn_changed", turn: { type: "idle" } });
        return {};
      },
      "queue.remove": ({ message }) => {
        const found = scene.snapshot.queue.find((one) => one.id === message);
        const queue = scene.snapshot.queue.filter((one) => one.id !== message);
        this.change({ type: "queue_changed", queue });
        return { text: found?.text ?? null };
      },
      "queue.edit": ({ message, text }) => {
        this.requeue(message, (one) => ({ ...one, text }));
        return {};
      },
      "queue.steer": ({ message, steer }) => {
        this.requeue(message, (one) => ({ ...one, steer }));
        return {};
      },
      "request.answer": (answered) => this.answer(answered),
      "request.draft": ({ request }) => ({ text: this.draftOf(request) }),
      "request.preview_change": ({ request, change }) => this.previewOf(request, change),
      "request.check_rule": ({ rule }) => checkOf(rule),
      "mode.set": ({ mode, confirmed }) => {
        if (mode === "bypassPermissions" && confirmed !== true) {
          throw {
            code: "unconfirmed",
            message: "Bypassing permissions needs to be confirmed once.",
          } satisfies WireError;
        }
        this.change({ type: "mode_changed", mode });
        return {};
      },
      "call.record": () => scene.record,
      "changes.list": () => scene.changes.list,
      "changes.file": ({ path }) => {
        const found = scene.changes.files.find((one) => one.file.path === path);
        if (found === undefined) {
          throw { code: "not_found", message: `${path} is not among these changes.` };
        }
        return found;
      },
      "changes.review": ({ path, hunks, reviewed }) => {
        if (hunks.length > 0) {
          scene.changes.files = scene.changes.files.map((one) =>
            one.file.path === path ? acceptedAt(one, hunks[0], reviewed) : one,
          );
          return {};
        }
        scene.changes.list.files = scene.changes.list.files.map((file) =>
          path === undefined || file.path === path ? { ...file, reviewed } : file,
        );
        return {};
      },
      "undo.preview": () => scene.changes.preview,
      "undo.apply": () => ({ restored: scene.changes.preview.files.length, left: [] }),
      "undo.later": ({ target, title }) => {
        const files = target.files?.map((file) => file.path) ?? [];
        const undo = { id: `undo_${this.calls.length}`, title, target, files, more: 0 };
        this.change({ type: "undos_changed", undos: [...scene.snapshot.undos, undo] });
        return {};
      },
      "undo.forget": ({ undo }) => {
        const undos = scene.snapshot.undos.filter((one) => one.id !== undo);
        this.change({ type: "undos_changed", undos });
        return {};
      },
      "session.rewind": () => ({ text: "" }),
      "permissions.what_if": () => ({
        lookedAt: 218,
        changed: [
          {
            session: "ses_1",
            call: "c6",
            tool: "Bash",
            subject: "cargo test --workspace",
            decided: "allow",
            now: { behavior: "ask", reason: "no rule allows `cargo test`" },
            tried: { behavior: "allow", reason: "the allow rule `Bash(cargo test:*)` covers it" },
          },
        ],
        more: 2,
        problems: [],
      }),
      "inbox.list": () => ({
        requests: [...scene.snapshot.requests, ...this.elsewhere],
        sessions: [
          { session: "ses_1", title: scene.snapshot.title, project: scene.snapshot.project },
          { session: "ses_2", title: "Why is the parser slow", project: scene.snapshot.project },
        ],
      }),
      "settings.get": () => scene.settings,
      "hooks.list": () => ({ hooks: scene.hooks, problems: [] }),
      "settings.change": ({ change }) => changeSettings(scene.settings, change),
      "secret.set": ({ provider }) => {
        scene.settings.keys = scene.settings.keys.map((key) =>
          key.provider === provider
            ? { provider, origin: "keyring", place: "system keyring" }
            : key,
        );
        return scene.settings;
      },
      "secret.clear": () => scene.settings,
      "provider.check": () => ({
        ok: true,
        text: "It answers; 3 models.",
        models: ["large", "medium", "small"],
      }),
      "terminal.open": () => scene.terminals[0] as TerminalState,
      "terminal.list": () => ({ terminals: scene.terminals.map((one) => one.summary) }),
      "terminal.attach": ({ terminal }) =>
        scene.terminals.find((one) => one.summary.terminal === terminal) as TerminalState,
      "terminal.write": () => ({}),
      "terminal.resize": () => ({}),
      "terminal.close": () => ({}),
      "terminal.shown": () => ({}),
      "terminal.background": () => ({}),
      "terminal.processes": () => ({ processes: PROCESSES }),
      "terminal.end_process": () => ({}),
      "place.find": ({ names }) => ({
        paths: names.map((name) => (/^src\//.test(name) ? `/home/ada/code/lantern/${name}` : null)),
      }),
      "place.view": ({ path, first, count }) => {
        const all = Array.from({ length: 900 }, (_, n) => `let line_${n + 1} = ${n + 1};`);
        const shown = path.replace("/home/ada/code/lantern/", "");
        const lines = all.slice(first - 1, first - 1 + count);
        return {
          path,
          shown,
          first,
          lines,
          total: all.length,
          editor: scene.settings.editor !== null,
        };
      },
      "place.edit": () => ({}),
    };
  }

  private answer({ request, nonce }: Input<"request.answer">): Output<"request.answer"> {
    const other = this.elsewhere.find((one) => one.id === request && one.nonce === nonce);
    if (other !== undefined) {
      this.elsewhere = this.elsewhere.filter((one) => one !== other);
      const change = { type: "request_closed", request, end: "allowed" } as const;
      this.emit({ type: "session", session: other.session, sequence: 1, change });
      return {};
    }
    const open = this.scene.snapshot.requests.find((one) => one.id === request);
    if (open === undefined || open.nonce !== nonce) {
      throw {
        code: "stale",
        message: "This request is not open any more.",
        hint: "Nothing was run.",
      } satisfies WireError;
    }
    this.change({ type: "request_closed", request, end: "allowed" });
    return {};
  }

  private requeue(id: string, next: (message: QueuedMessage) => QueuedMessage): void {
    const queue = this.scene.snapshot.queue.map((one) => (one.id === id ? next(one) : one));
    this.change({ type: "queue_changed", queue });
  }

  private draftOf(id: string): string {
    const request = this.scene.snapshot.requests.find((one) => one.id === id);
    const input = request?.input as { command?: string } | undefined;
    return input?.command ?? "pub fn light(&mut self) {}\n";
  }

  private previewOf(id: string, change: DraftChange): ChangePreview {
    const request = this.scene.snapshot.requests.find((one) => one.id === id) as PermissionRequest;
    if (change.type === "text" && change.text === this.draftOf(id)) {
      return { view: null, problem: "this is what was proposed; nothing is changed" };
    }
    const blocks = request.view.blocks.map((block) =>
      block.type === "terminal" && change.type === "text"
        ? { ...block, command: change.text }
        : block,
    );
    return { view: { ...request.view, blocks }, problem: null };
  }

  /** Opens a request. */
  ask(request: PermissionRequest): void {
    this.change({ type: "request_opened", request });
  }
}

function checkOf(rule: string): RuleCheck {
  if (!/^(Bash|Edit)\b/.test(rule)) {
    return {
      covers: false,
      text: "This rule does not cover the call that waits.",
      broadest: null,
      past: [],
      more: 0,
      lookedAt: 0,
    };
  }
  return {
    covers: true,
    text: "Covers this call and every `cargo test` with other arguments.",
    broadest: "`cargo test …` with every option and argument that the program knows",
    past: [
      { tool: "Bash", subject: "cargo test --workspace", decided: "allow" },
      { tool: "Bash", subject: "cargo test -p lantern -- --ignored", decided: "deny" },
    ],
    more: 3,
    lookedAt: 218,
  };
}

function changeSettings(settings: SettingsState, change: SettingsChange): SettingsState {
  switch (change.type) {
    case "add_rule":
      settings.rules = [
        ...settings.rules,
        { rule: change.rule, behavior: change.behavior, source: change.scope },
      ];
      break;
    case "remove_rule":
      settings.rules = settings.rules.filter(
        (one) => one.rule !== change.rule || one.behavior !== change.behavior,
      );
      break;
    case "set_default_mode":
      settings.defaultMode = change.mode;
      break;
    case "set_model":
      settings.provider = change.provider;
      settings.model = change.name;
      settings.baseUrl = change.baseUrl;
      break;
    case "set_appearance":
      settings.theme = change.appearance.theme ?? settings.theme;
      settings.editor = change.appearance.editor ?? settings.editor;
      settings.density = change.appearance.density ?? settings.density;
      break;
    case "set_compaction":
      settings.compaction = { ...settings.compaction, ...change.compaction };
      break;
    case "set_execution":
      settings.execution = { ...settings.execution, ...change.execution };
      break;
    case "accept_file":
      for (const file of settings.files.filter((one) => one.path === change.path)) {
        file.changedInSandbox = null;
      }
      break;
    case "set_limits":
      settings.execution.limits = change.limits;
      break;
    case "set_allowed_domains":
      settings.execution.sandbox = {
        mode: null,
        network: null,
        writablePaths: [],
        ...settings.execution.sandbox,
        allowedDomains: change.domains,
      };
      break;
  }
  return settings;
}

const HOUR = 3_600_000;

function sessionsOf(snapshot: SessionSnapshot) {
  const now = Date.now();
  return [
    { session: snapshot.session, title: snapshot.title, updatedAt: now, damaged: false },
    {
      session: "ses_2",
      title: "Why is the parser slow",
      updatedAt: now - 2 * HOUR,
      damaged: false,
    },
    { session: "ses_3", title: "Release notes for 0.4", updatedAt: now - 26 * HOUR, damaged: true },
  ];
}

const PROCESSES = [
  {
    pid: 4101,
    parent: 1,
    command: "npm run dev",
    cpuMs: 840,
    memoryBytes: 61_000_000,
    ports: [],
  },
  {
    pid: 4117,
    parent: 4101,
    command: "node node_modules/.bin/vite --port 5173",
    cpuMs: 2_310,
    memoryBytes: 148_000_000,
    ports: [5173],
  },
];

const RECENT = [
  { path: "/home/ada/code/lantern", name: "lantern", openedAt: Date.now() - HOUR, exists: true },
  { path: "/home/ada/code/weaver", name: "weaver", openedAt: Date.now() - 50 * HOUR, exists: true },
  { path: "/mnt/usb/old-thing", name: "old-thing", openedAt: 1_700_000_000_000, exists: false },
];

/** Entries whose text, title or blocks have a text. */
function foundIn(items: readonly Item[], text: string): FoundEntry[] {
  const wanted = text.toLowerCase();
  return items.flatMap(({ id, body }) => {
    const all = JSON.stringify(body.type === "call" ? body.call.view : body);
    const at = all.toLowerCase().indexOf(wanted);
    return at === -1 ? [] : [{ item: id, excerpt: all.slice(Math.max(0, at - 20), at + 40) }];
  });
}

/** A file with one more place accepted, or one less. */
function acceptedAt(
  file: FileComparison,
  place: HunkPlace | undefined,
  reviewed: boolean,
): FileComparison {
  const at = file.diff.hunks.findIndex((hunk) => hunk.newStart === place?.newStart);
  const others = file.accepted.filter((one) => one !== at);
  return { ...file, accepted: reviewed ? [...others, at] : others };
}

// Written by `cargo xtask codegen` from src-tauri/crates/adroit-protocol. Do not edit.

/**
 * The mode in which a session goes on once its plan was approved. None of the others: a plan
 * must not lead to a mode that the person could not have meant by approving it.
 */
export type AfterPlan = "default" | "acceptEdits";

/**
 * A kind of agent, or a file that defines none.
 */
export type AgentState = { 
/**
 * Its name; empty where the file cannot be read.
 */
name: string, 
/**
 * When to use it.
 */
description: string, 
/**
 * The tools that it may have; all that agents may have where there are none.
 */
tools: Array<string>, 
/**
 * The model that it asks, where that is not the conversation's.
 */
model: string | null, 
/**
 * The file that defines it; none for one that is built in.
 */
file: string | null, 
/**
 * What is wrong with the file.
 */
problem: string | null, };

/**
 * What the person says to a request.
 */
export type Answer = { "type": "allow_once", 
/**
 * Words about lines, for the model.
 */
comments?: Array<LineComment>, } | { "type": "allow_changed", 
/**
 * The change.
 */
change: DraftChange, 
/**
 * Words about lines, for the model.
 */
comments?: Array<LineComment>, } | { "type": "allow_and_remember", 
/**
 * The rule; proven to cover this call before it is stored.
 */
rule: string, 
/**
 * Where it is stored.
 */
scope: RuleScope, 
/**
 * When it ceases to hold, milliseconds since 1970; never where this is absent.
 */
expiresAt?: number, } | { "type": "deny", 
/**
 * Words for the model.
 */
words?: string, 
/**
 * Words about lines, for the model.
 */
comments?: Array<LineComment>, };

/**
 * An answer to a request.
 */
export type AnswerRequest = { 
/**
 * Of which session.
 */
session: SessionId, 
/**
 * Which request.
 */
request: RequestId, 
/**
 * The nonce that came with it.
 */
nonce: string, 
/**
 * The answer.
 */
answer: Answer, };

/**
 * What the app is and what it was started with.
 */
export type AppState = { 
/**
 * The version.
 */
version: string, 
/**
 * True in the desktop app, false in a plain browser.
 */
desktop: boolean, 
/**
 * The folder that the app was started on.
 */
startFolder: string | null, 
/**
 * Folders opened before, newest first.
 */
recent: Array<RecentProject>, };

/**
 * How it looks.
 */
export type AppearanceSettings = { 
/**
 * Colours.
 */
theme: Theme | null, 
/**
 * Whether calls fold.
 */
density: Density | null, 
/**
 * The command that opens a place in the person's own editor, such as
 * `code --goto {file}:{line}:{column}`. It is no shell's command line: words are split at blanks
 * outside of quotes, and what is in braces is put in after that.
 */
editor: string | null, };

/**
 * Which failing Bash calls cancel later ones of the same message.
 */
export type BashErrorCascade = "mutating" | "siblings" | "off";

/**
 * The answer of the permission system about one call.
 */
export type Behavior = "allow" | "ask" | "deny";

/**
 * One block of a view. The set is closed: the UI has one component for each.
 */
export type Block = { "type": "text", 
/**
 * The text.
 */
text: string, } | { "type": "markdown", 
/**
 * The source.
 */
text: string, } | { "type": "code", 
/**
 * A file name or extension that tells the language.
 */
language?: string, 
/**
 * The text, without line numbers.
 */
text: string, 
/**
 * The number of its first line, where it is part of a file.
 */
firstLine?: number, 
/**
 * How many lines the block does not show.
 */
hiddenLines: number, } | { "type": "diff" } & Diff | { "type": "terminal", 
/**
 * The live terminal.
 */
terminal?: TerminalId, 
/**
 * The command line.
 */
command: string, 
/**
 * Where it runs.
 */
cwd: string, 
/**
 * Its output as clean text.
 */
output: string, 
/**
 * How it ended.
 */
exitCode?: number, } | { "type": "terminal_input", 
/**
 * The terminal.
 */
terminal: TerminalId, 
/**
 * The last lines on its screen, such as the question.
 */
question: string, 
/**
 * True where what is typed is not shown: it is a secret, never stored nor sent to a model.
 */
secret: boolean, } | { "type": "matches", 
/**
 * The files.
 */
files: Array<FileMatches>, 
/**
 * How many more matches there are.
 */
more: number, } | { "type": "file_list", 
/**
 * The names, relative to the project where inside.
 */
entries: Array<FileEntry>, 
/**
 * How many more there are.
 */
more: number, } | { "type": "key_value", 
/**
 * The pairs.
 */
entries: Array<KeyValue>, } | { "type": "image", 
/**
 * For example `image/png`.
 */
mediaType: string, 
/**
 * Base64 of the bytes.
 */
data: string, 
/**
 * What it is, for those who cannot see it.
 */
alternative: string, } | { "type": "todo", 
/**
 * The list.
 */
items: Array<TodoItem>, } | { "type": "question" } & Question | { "type": "sub_session", 
/**
 * Which.
 */
session: SessionId, 
/**
 * What it is about.
 */
title: string, 
/**
 * Its calls, oldest first; of many the newest.
 */
calls: Array<SubCall>, 
/**
 * How many older ones there were.
 */
more: number, } | { "type": "notice", 
/**
 * How it should be felt.
 */
tone: Tone, 
/**
 * The remark.
 */
text: string, };

/**
 * How broad a rule is.
 */
export type Breadth = "exact" | "prefix" | "tool";

/**
 * What one call changed on the disk.
 */
export type CallChanges = { 
/**
 * The files, folders that only hold them left out; cut where there are many.
 */
files: Array<ChangedFile>, 
/**
 * How many more there are.
 */
more: number, 
/**
 * What is not covered, in sentences: ignored files that were lost, a folder too large.
 */
notes: Array<string>, 
/**
 * Whether it is taken back.
 */
state: ChangeState, };

/**
 * One `tool_use` block. Given by the model's server where it gives one.
 */
export type CallId = string;

/**
 * A call as the transcript shows it.
 */
export type CallItem = { 
/**
 * Which call.
 */
call: CallId, 
/**
 * The tool's name, for the inspector only: nothing is rendered by it.
 */
tool: string, 
/**
 * How far it is.
 */
status: CallStatus, 
/**
 * Its presentation.
 */
view: View, 
/**
 * True where it may change something: such a call never folds into a group.
 */
mutating: boolean, 
/**
 * When it began to run, milliseconds since 1970.
 */
startedAt?: number, 
/**
 * How long it ran, milliseconds.
 */
elapsedMs?: number, 
/**
 * The live terminal, while there is one.
 */
terminal?: TerminalId, 
/**
 * What it changed on the disk, once it ended; absent where that was nothing.
 */
changes?: CallChanges, };

/**
 * All that is known of a call.
 */
export type CallRecord = { 
/**
 * Its decision record, absent for a call that has not got so far.
 */
record: DecisionRecord | null, 
/**
 * Its input as the model sent it.
 */
input: unknown, 
/**
 * What the model got back.
 */
result: string | null, };

/**
 * Names a call.
 */
export type CallRef = { 
/**
 * Of which session.
 */
session: SessionId, 
/**
 * Which call.
 */
call: CallId, };

/**
 * How far a call is.
 */
export type CallStatus = "writing" | "queued" | "waiting" | "running" | "succeeded" | "failed" | "denied" | "cancelled";

/**
 * What a tool says of one input.
 */
export type CallTraits = { 
/**
 * It changes nothing at all.
 */
readOnly: boolean, 
/**
 * It may run beside others.
 */
concurrencySafe: boolean, 
/**
 * It loses something that cannot be brought back.
 */
destructive: boolean, 
/**
 * It reaches beyond the machine.
 */
openWorld: boolean, 
/**
 * The file that it is about.
 */
path?: string, };

/**
 * The changes of a scope.
 */
export type ChangeList = { 
/**
 * The files, by path.
 */
files: Array<ChangedFile>, 
/**
 * What is not covered, in sentences.
 */
notes: Array<string>, 
/**
 * The number of the newest turn; 0 before the first.
 */
turn: number, 
/**
 * Whether something in it can be taken back.
 */
undoable: boolean, };

/**
 * What a change would do.
 */
export type ChangePreview = { 
/**
 * The call as it would run, absent where it cannot.
 */
view: View | null, 
/**
 * Why it cannot.
 */
problem: string | null, };

/**
 * Which changes.
 */
export type ChangeScope = { "type": "call", 
/**
 * Which.
 */
call: CallId, } | { "type": "turn", 
/**
 * Its number in the session, from 1.
 */
turn: number, } | { "type": "since", 
/**
 * The turn's number.
 */
turn: number, } | { "type": "session" } | { "type": "git" };

/**
 * A change of settings.
 */
export type ChangeSettings = { 
/**
 * The project, for changes of project scope.
 */
project: string | null, 
/**
 * The session, for changes of session scope.
 */
session: SessionId | null, 
/**
 * The change.
 */
change: SettingsChange, };

/**
 * Whether a change is taken back.
 */
export type ChangeState = "made" | "undone" | "gone";

/**
 * One file that changed.
 */
export type ChangedFile = { 
/**
 * The path, relative to the project where it is inside.
 */
path: string, 
/**
 * What happened to it.
 */
change: FileChange, 
/**
 * What it is.
 */
kind: ChangedKind, 
/**
 * Lines added; absent where lines mean nothing, or were not counted.
 */
added?: number, 
/**
 * Lines removed.
 */
removed?: number, 
/**
 * A person looked at this very content and found it good.
 */
reviewed: boolean, };

/**
 * What a changed thing is.
 */
export type ChangedKind = "text" | "binary" | "image" | "link" | "folder" | "other";

/**
 * Which changes.
 */
export type ChangesQuery = { 
/**
 * Of which session.
 */
session: SessionId, 
/**
 * Of what in it.
 */
scope: ChangeScope, };

/**
 * A rule to check against a pending request.
 */
export type CheckRule = { 
/**
 * Of which session.
 */
session: SessionId, 
/**
 * Which request.
 */
request: RequestId, 
/**
 * The rule's text.
 */
rule: string, };

/**
 * One target of a call.
 */
export type Chip = { 
/**
 * What the text is.
 */
kind: ChipKind, 
/**
 * The text as shown; short.
 */
text: string, };

/**
 * What a chip's text is.
 */
export type ChipKind = "path" | "pattern" | "command";

/**
 * One choice of a question.
 */
export type Choice = { 
/**
 * Its name.
 */
label: string, 
/**
 * What it means.
 */
description: string, };

/**
 * What the classifier of auto mode said of a call.
 */
export type ClassifierRecord = { 
/**
 * Who classified: a model's name, or the local rule table.
 */
by: string, 
/**
 * What it said.
 */
verdict: ClassifierVerdict, 
/**
 * Why, in one sentence.
 */
reason: string, 
/**
 * How long it took, milliseconds.
 */
tookMs: number, };

/**
 * What a classifier may say.
 */
export type ClassifierVerdict = "allow" | "ask" | "block";

/**
 * A compaction as the transcript shows it.
 */
export type CompactionItem = { 
/**
 * Who wanted it.
 */
trigger: CompactionTrigger, 
/**
 * Why, in a few words.
 */
why: string, 
/**
 * About how many tokens the next request would have had.
 */
tokensBefore: number, 
/**
 * About how many it has now.
 */
tokensAfter: number, 
/**
 * What the model gets instead of what was left out. Markdown.
 */
summary: string, };

/**
 * When a conversation is compacted: a summary takes the place of its older part in what is sent.
 */
export type CompactionSettings = { 
/**
 * Whether it is compacted by itself before it outgrows the model; true when absent.
 */
automatic: boolean | null, 
/**
 * How full the model's context may get before that, in percent; 80 when absent, from 10 to
 * 100. There is always room left for an answer.
 */
thresholdPercent: number | null, };

/**
 * Who wanted a compaction. The words are those of a `PreCompact` hook's input.
 */
export type CompactionTrigger = "manual" | "auto";

/**
 * Who consented, or did not.
 */
export type ConsentRecord = { 
/**
 * `person`, or the name of the policy.
 */
by: string, 
/**
 * What was said.
 */
behavior: Behavior, 
/**
 * Words to the model.
 */
words?: string, 
/**
 * The rule that was remembered.
 */
remembered?: string, 
/**
 * True where the input was changed before it was approved.
 */
changed: boolean, 
/**
 * True where the call was a question, and this is the answer to it.
 */
answered: boolean, 
/**
 * When it was said, milliseconds since 1970; 0 in records of before this was kept.
 */
at: number, 
/**
 * How long the call waited for it, milliseconds.
 */
waitedMs: number, };

/**
 * The trace of one call through the pipeline. Stored with the transcript.
 */
export type DecisionRecord = { 
/**
 * The call.
 */
call: CallId, 
/**
 * The tool's name as resolved, or as the model wrote it where it was not.
 */
tool: string, 
/**
 * The mode at the moment of the decision.
 */
mode: Mode, 
/**
 * What each stage did, in order. A call sent back to stage 3 has those stages again.
 */
stages: Array<StageRecord>, 
/**
 * Every rule that matched, the winner included.
 */
rules: Array<RuleEntry>, 
/**
 * Every run of a hook for this call, in the order of the settings.
 */
hooks: Array<HookRun>, 
/**
 * The decision, absent where the call ended before one was made.
 */
decision?: DecisionSummary, 
/**
 * What the classifier of auto mode said, where it was asked.
 */
classifier?: ClassifierRecord, 
/**
 * What the person, or the policy of a run without one, said.
 */
consent?: ConsentRecord, 
/**
 * What the tool says of this very input, once it was understood.
 */
traits?: CallTraits, };

/**
 * What decided.
 */
export type DecisionSummary = { 
/**
 * Allow, ask or deny.
 */
behavior: Behavior, 
/**
 * One sentence.
 */
reason: string, 
/**
 * The rule that won.
 */
rule?: RuleEntry, };

/**
 * Whether calls fold.
 */
export type Density = "grouped" | "expanded";

/**
 * The change of one file, computed by the backend. The UI's hunks are these hunks.
 */
export type Diff = { 
/**
 * The file, relative to the project where inside.
 */
path: string, 
/**
 * What happens to the file.
 */
change: FileChange, 
/**
 * The places that change.
 */
hunks: Array<Hunk>, 
/**
 * Lines added in all, those of hunks not shown included.
 */
added: number, 
/**
 * Lines removed in all.
 */
removed: number, 
/**
 * How many hunks the block does not show. Never silently: the UI says it.
 */
hiddenHunks: number, 
/**
 * Facts that lines do not show: a changed line ending, a byte order mark, a mode.
 */
notes: Array<string>, };

/**
 * One line of a hunk.
 */
export type DiffLine = { 
/**
 * What happens to the line.
 */
kind: LineChange, 
/**
 * The text without its line ending.
 */
text: string, 
/**
 * Its number in the old text.
 */
oldLine?: number, 
/**
 * Its number in the new text.
 */
newLine?: number, 
/**
 * Words that differ from the line's counterpart, as pairs of UTF-16 offsets into `text`.
 */
emphasis: Array<[number, number]>, 
/**
 * True when the file ends here without a line ending.
 */
missingNewline: boolean, 
/**
 * How the line ends, where it is not with a line feed alone.
 */
ending?: LineEnding, };

/**
 * The texts that a diff compares.
 */
export type DiffSide = "old" | "new";

/**
 * How the person changed a call.
 */
export type DraftChange = { "type": "text", 
/**
 * The text.
 */
text: string, } | { "type": "hunks", 
/**
 * Their positions in the request's diff, from 0.
 */
rejected: Array<number>, } | { "type": "plan", 
/**
 * The plan as they left it; as it was presented where this is absent.
 */
text?: string, 
/**
 * The mode in which it goes on.
 */
mode: AfterPlan, } | { "type": "answers", 
/**
 * One answer for each, in their order.
 */
answers: Array<QuestionAnswer>, };

/**
 * What may be changed.
 */
export type DraftKind = "command" | "file" | "questions" | "plan";

/**
 * What of a waiting call may be changed before it is approved.
 */
export type DraftOffer = { 
/**
 * What it is.
 */
kind: DraftKind, 
/**
 * The hunks of the request's diff may be taken or left one by one.
 */
hunks: boolean, 
/**
 * The text may be edited.
 */
text: boolean, 
/**
 * The call is a question: it cannot be allowed as it is, only with an answer.
 */
answer: boolean, };

/**
 * Asks for the text of a waiting call.
 */
export type DraftQuery = { 
/**
 * Of which session.
 */
session: SessionId, 
/**
 * Which request.
 */
request: RequestId, 
/**
 * Places of the diff that are left out of it.
 */
rejected: Array<number>, };

/**
 * The text of a waiting call.
 */
export type DraftText = { 
/**
 * It.
 */
text: string, };

/**
 * A place for the person's own editor.
 */
export type EditPlace = { 
/**
 * The session, whose workspace the file is in.
 */
session: SessionId, 
/**
 * The file, absolute or from the project's folder.
 */
path: string, 
/**
 * Where in it.
 */
position: Position | null, };

/**
 * A new text for a queued message.
 */
export type EditQueued = { 
/**
 * Of which session.
 */
session: SessionId, 
/**
 * Which message.
 */
message: ItemId, 
/**
 * Its text from now on.
 */
text: string, };

/**
 * Nothing.
 */
export type Empty = Record<symbol, never>;

/**
 * What kind of failure it is. A code exists only where the UI acts on it.
 */
export type ErrorCode = "invalid_input" | "not_found" | "untrusted" | "unconfirmed" | "stale" | "unsupported" | "failed";

/**
 * One event.
 */
export type Event = { "type": "session", 
/**
 * Which.
 */
session: SessionId, 
/**
 * Grows by one with each change of this session.
 */
sequence: number, 
/**
 * How.
 */
change: SessionChange, } | { "type": "terminal_output", 
/**
 * Which.
 */
terminal: TerminalId, 
/**
 * Offset of the first byte in all that the terminal ever printed.
 */
offset: number, 
/**
 * Base64 of the bytes.
 */
data: string, } | { "type": "terminals_changed" } | { "type": "terminal_ended", 
/**
 * Which.
 */
terminal: TerminalId, 
/**
 * Its exit code, absent where a signal ended it.
 */
exitCode?: number, } | { "type": "settings_changed" } | { "type": "hooks_ran" } | { "type": "project_changed", 
/**
 * Its folder.
 */
path: string, } | { "type": "folder_requested", 
/**
 * The folder.
 */
path: string, } | { "type": "notice", 
/**
 * How it should be felt.
 */
tone: Tone, 
/**
 * The remark.
 */
text: string, 
/**
 * What to do next.
 */
hint?: string, };

/**
 * Events of about one frame, in order.
 */
export type EventBatch = { 
/**
 * The events.
 */
events: Array<Event>, };

/**
 * How calls are run.
 */
export type ExecutionSettings = { 
/**
 * Start calls while the model still speaks (true), or after it in batches (false).
 */
streaming: boolean | null, 
/**
 * Which failing Bash calls cancel later ones of the same message.
 */
bashErrorCascade: BashErrorCascade | null, 
/**
 * What happens to processes that outlive the command that started them.
 */
survivors: Survivors | null, 
/**
 * How commands are held to the project.
 */
sandbox: SandboxSettings | null, 
/**
 * How much a command may use. Only from the person's own and managed settings.
 */
limits: LimitSettings | null, 
/**
 * How many agents may stand below each other: 1 when absent, so that agents start none; at most
 * 5. Only from the person's own and managed settings.
 */
agentDepth: number | null, };

/**
 * What happens to a file.
 */
export type FileChange = "created" | "updated" | "deleted";

/**
 * A choice for one file.
 */
export type FileChoice = { 
/**
 * Which file.
 */
path: string, 
/**
 * What is done with it.
 */
choice: UndoChoice, };

/**
 * One file of a scope, old against new.
 */
export type FileComparison = { 
/**
 * Which, and how it changed.
 */
file: ChangedFile, 
/**
 * The lines that changed.
 */
diff: Diff, 
/**
 * What differs and cannot be seen in the lines: endings, byte order mark, trailing space, hidden
 * characters, permission bits, where a link points.
 */
invisible: Array<string>, 
/**
 * The old picture as base64 with its type, where it is one.
 */
oldImage?: ImageData, 
/**
 * The new one.
 */
newImage?: ImageData, 
/**
 * Whether the lines read the same: everything that differs is something that they do not show.
 */
onlyInvisible: boolean, 
/**
 * Whether single places can be taken back and accepted.
 */
byHunk: boolean, 
/**
 * The places of `diff` that a person accepted as they are, by their position.
 */
accepted: Array<number>, };

/**
 * One file of a list.
 */
export type FileEntry = { 
/**
 * The path.
 */
path: string, 
/**
 * A few words: a size, a count.
 */
detail?: string, };

/**
 * Lines of a file.
 */
export type FileLines = { 
/**
 * The file, absolute.
 */
path: string, 
/**
 * The file as shown: from the project's folder where it is in it.
 */
shown: string, 
/**
 * Number of the first line that came, from 1.
 */
first: number, 
/**
 * The lines, without their endings; very long ones cut.
 */
lines: Array<string>, 
/**
 * How many lines the file has.
 */
total: number, 
/**
 * Whether the person named an editor that it can be opened in.
 */
editor: boolean, };

/**
 * The matches in one file.
 */
export type FileMatches = { 
/**
 * The file, relative to the project where inside.
 */
path: string, 
/**
 * The lines.
 */
lines: Array<MatchLine>, };

/**
 * Which changed file.
 */
export type FileQuery = { 
/**
 * Of which session.
 */
session: SessionId, 
/**
 * Of what in it.
 */
scope: ChangeScope, 
/**
 * As the list names it.
 */
path: string, 
/**
 * True where lines that differ in white space only count as the same.
 */
ignoreSpace: boolean, };

/**
 * Which of some words name a file.
 */
export type FindFiles = { 
/**
 * The session, whose workspace they are looked for in.
 */
session: SessionId, 
/**
 * The folder that relative ones start at; where they are not there, the project is tried.
 */
folder: string, 
/**
 * The words. No more than [`FindFiles::MOST`] are looked at.
 */
names: Array<string>, };

/**
 * A text to look for, whatever its case.
 */
export type FindText = { 
/**
 * In which conversation.
 */
session: SessionId, 
/**
 * What.
 */
text: string, };

/**
 * An entry that has a text which was looked for.
 */
export type FoundEntry = { 
/**
 * Which.
 */
item: ItemId, 
/**
 * The line around its first place, shortened.
 */
excerpt: string, };

/**
 * The files, in the order of the words; nothing for one that names no file of the workspace.
 */
export type FoundFiles = { 
/**
 * Absolute, links as they were named.
 */
paths: Array<string | null>, };

/**
 * Where a text was found.
 */
export type FoundText = { 
/**
 * The entries that have it, in order.
 */
entries: Array<FoundEntry>, };

/**
 * What a call folds under.
 */
export type Group = { 
/**
 * Which verb the group's row uses.
 */
kind: GroupKind, 
/**
 * The targets that the group's row names.
 */
chips: Array<Chip>, };

/**
 * The verbs under which calls fold.
 */
export type GroupKind = "read" | "search" | "list";

/**
 * When a hook runs. The names are those of settings files and of a hook's input.
 */
export type HookEvent = "PreToolUse" | "PermissionRequest" | "PostToolUse" | "PostToolUseFailure" | "UserPromptSubmit" | "SessionStart" | "SessionEnd" | "Stop" | "SubagentStop" | "PreCompact" | "Notification";

/**
 * What a `PreToolUse` hook that failed does to the call.
 */
export type HookFailurePolicy = "continue" | "block";

/**
 * The hooks of a project.
 */
export type HookList = { 
/**
 * They, strongest source first, in the order of their files.
 */
hooks: Array<HookState>, 
/**
 * What is wrong in the files beside single hooks.
 */
problems: Array<string>, };

/**
 * How a run of a hook ended.
 */
export type HookOutcome = "passed" | "allowed" | "asked" | "blocked" | "failed" | "timed_out" | "not_started" | "cancelled";

/**
 * One run of one hook.
 */
export type HookRun = { 
/**
 * Which hook: [`HookState::id`].
 */
hook: string, 
/**
 * The hook in a few words: its command or address.
 */
label: string, 
/**
 * When it ran.
 */
event: HookEvent, 
/**
 * Whose settings it is in.
 */
source: RuleSource, 
/**
 * The call that it was told of.
 */
call?: CallId, 
/**
 * How it ended.
 */
outcome: HookOutcome, 
/**
 * Its reason, or what went wrong.
 */
message?: string, 
/**
 * True where it changed the input.
 */
changedInput: boolean, 
/**
 * Exit code, or HTTP status.
 */
code?: number, 
/**
 * The beginning of its standard output, or of the response.
 */
output: string, 
/**
 * The beginning of its standard error.
 */
errors: string, 
/**
 * When it began, milliseconds since 1970.
 */
at: number, 
/**
 * How long it took, milliseconds.
 */
durationMs: number, };

/**
 * A hook as the settings name it.
 */
export type HookState = { 
/**
 * Names it for as long as its settings do not change.
 */
id: string, 
/**
 * When it runs.
 */
event: HookEvent, 
/**
 * Which tools, or which kinds of the event; empty for all.
 */
matcher: string, 
/**
 * The rule that a call must fit.
 */
condition?: string, 
/**
 * `command` or `http`, or what the file says where that is not known.
 */
kind: string, 
/**
 * The command, or the address.
 */
text: string, 
/**
 * Whose settings it is in.
 */
source: RuleSource, 
/**
 * The file.
 */
file: string, 
/**
 * Where in the file.
 */
position: Position, 
/**
 * How long it may take, milliseconds.
 */
timeoutMs: number, 
/**
 * What its failure does to a call.
 */
onFailure: HookFailurePolicy, 
/**
 * It runs beside the session, which does not wait for it.
 */
background: boolean, 
/**
 * Why it does not run, where it does not: an untrusted folder, hooks switched off.
 */
heldBack?: string, 
/**
 * What is wrong with it: it cannot be started, and its failure policy applies.
 */
problem?: string, 
/**
 * Its last runs, newest first.
 */
runs: Array<HookRun>, };

/**
 * One contiguous place of change with its context.
 */
export type Hunk = { 
/**
 * First line in the old text, from 1 (0 where the old part is empty; both starts are 0
 * where it is not known which part of the file this is).
 */
oldStart: number, 
/**
 * Lines of the old text.
 */
oldLines: number, 
/**
 * First line in the new text, from 1 (0 where the new part is empty).
 */
newStart: number, 
/**
 * Lines of the new text.
 */
newLines: number, 
/**
 * The lines in unified order.
 */
lines: Array<DiffLine>, };

/**
 * A place of change, by its line numbers in the diff that was shown.
 */
export type HunkPlace = { 
/**
 * As [`crate::view::Hunk::old_start`].
 */
oldStart: number, 
/**
 * As there.
 */
oldLines: number, 
/**
 * As there.
 */
newStart: number, 
/**
 * As there.
 */
newLines: number, };

/**
 * A picture.
 */
export type ImageData = { 
/**
 * For example `image/png`.
 */
mediaType: string, 
/**
 * Base64 of the bytes.
 */
data: string, };

/**
 * What waits for an answer, in all open sessions.
 */
export type Inbox = { 
/**
 * The requests, oldest first.
 */
requests: Array<PermissionRequest>, 
/**
 * The sessions that they are of.
 */
sessions: Array<InboxSession>, };

/**
 * A session with requests.
 */
export type InboxSession = { 
/**
 * Which.
 */
session: SessionId, 
/**
 * What it is about.
 */
title: string, 
/**
 * Its project's folder.
 */
project: string, };

/**
 * One entry of the transcript.
 */
export type Item = { 
/**
 * Names it.
 */
id: ItemId, 
/**
 * What it is.
 */
body: ItemBody, };

/**
 * What an entry is.
 */
export type ItemBody = { "type": "user", 
/**
 * The text.
 */
text: string, 
/**
 * The number of the turn that it began, from 1.
 */
turn?: number, } | { "type": "assistant", 
/**
 * Markdown.
 */
text: string, 
/**
 * True while it still comes.
 */
streaming: boolean, } | { "type": "thinking", 
/**
 * The text.
 */
text: string, 
/**
 * True while it still comes.
 */
streaming: boolean, } | { "type": "call", 
/**
 * It.
 */
call: CallItem, } | { "type": "compacted", 
/**
 * It.
 */
compaction: CompactionItem, } | { "type": "notice", 
/**
 * How it should be felt.
 */
tone: Tone, 
/**
 * The remark.
 */
text: string, 
/**
 * What to do next.
 */
hint?: string, };

/**
 * One entry of the transcript as the UI shows it.
 */
export type ItemId = string;

/**
 * Where a key comes from.
 */
export type KeyOrigin = "none" | "environment" | "keyring" | "file";

/**
 * What is known of a provider's key.
 */
export type KeyState = { 
/**
 * The provider.
 */
provider: Provider, 
/**
 * Where the key comes from.
 */
origin: KeyOrigin, 
/**
 * In words: the variable, the keyring, the file.
 */
place: string, };

/**
 * A name and its value.
 */
export type KeyValue = { 
/**
 * The name.
 */
key: string, 
/**
 * The value.
 */
value: string, };

/**
 * How much a command may use.
 */
export type LimitSettings = { 
/**
 * Seconds after which a command is ended that names no timeout of its own; 120 when
 * absent, at most 600.
 */
timeoutSeconds: number | null, 
/**
 * Megabytes of memory that a command and all that it starts may use together; no limit
 * when absent.
 */
memoryMegabytes: number | null, 
/**
 * Megabytes of a command's output that are kept on disk; 64 when absent.
 */
outputMegabytes: number | null, };

/**
 * What happens to a line.
 */
export type LineChange = "context" | "added" | "removed";

/**
 * Words of the person about one line of a diff.
 */
export type LineComment = { 
/**
 * The file, as the diff names it.
 */
path: string, 
/**
 * Which text the number is of.
 */
side: DiffSide, 
/**
 * The line, from 1.
 */
line: number, 
/**
 * What is said.
 */
text: string, };

/**
 * A line ending other than a line feed alone.
 */
export type LineEnding = "crlf" | "cr";

/**
 * One line of a search result.
 */
export type MatchLine = { 
/**
 * Its number, from 1.
 */
line: number, 
/**
 * Its text, cut when long.
 */
text: string, 
/**
 * Where it matched, as pairs of UTF-16 offsets into `text`.
 */
ranges: Array<[number, number]>, 
/**
 * True for a line shown only as context.
 */
context: boolean, };

/**
 * What happens to a call that no rule decides.
 */
export type Mode = "default" | "plan" | "acceptEdits" | "bypassPermissions" | "auto" | "dontAsk";

/**
 * A terminal to open.
 */
export type OpenTerminal = { 
/**
 * Beside which session: it starts in that project's folder.
 */
session: SessionId, 
/**
 * Rows.
 */
rows: number, 
/**
 * Columns.
 */
columns: number, };

/**
 * A call of before.
 */
export type PastMatch = { 
/**
 * Its tool.
 */
tool: string, 
/**
 * What it was about: the command, the path.
 */
subject: string, 
/**
 * How it was decided then, absent where that is not known.
 */
decided: Behavior | null, };

/**
 * A question to the person about one call. Lives in the backend; the UI shows it.
 */
export type PermissionRequest = { 
/**
 * Which question.
 */
id: RequestId, 
/**
 * Must come back with the answer: an answer to anything but this very request is refused.
 */
nonce: string, 
/**
 * Whose conversation.
 */
session: SessionId, 
/**
 * The call that waits.
 */
call: CallId, 
/**
 * The tool's name.
 */
tool: string, 
/**
 * Its name as a person reads it.
 */
toolLabel: string, 
/**
 * What the call does, in one sentence of the tool about this input.
 */
description: string, 
/**
 * True where it reaches beyond the machine.
 */
openWorld: boolean, 
/**
 * The agent that asks, where it is not the main one.
 */
agent?: string, 
/**
 * The whole call as the tool presents it: command with its folder, path, diff.
 */
view: View, 
/**
 * The whole input as the model sent it.
 */
input: unknown, 
/**
 * Why it asks; the first is the main reason.
 */
reasons: Array<RequestReason>, 
/**
 * What would be lost, where something would; such a request needs a held key or button.
 */
destructive?: string, 
/**
 * What of it could not be taken back afterwards, in sentences.
 */
unrestorable?: Array<string>, 
/**
 * Rules that would cover this call and its like, narrowest first; empty where none may be remembered.
 */
suggestions: Array<RuleSuggestion>, 
/**
 * What of it may be changed before it is approved; absent where nothing may.
 */
draft?: DraftOffer, 
/**
 * True where the person changed the call, and what came of that is asked about now.
 */
revised: boolean, 
/**
 * When it was asked, milliseconds since 1970.
 */
askedAt: number, };

/**
 * The folder that was chosen.
 */
export type PickedFolder = { 
/**
 * Absent where the person chose none.
 */
path: string | null, };

/**
 * A place in a text file.
 */
export type Position = { 
/**
 * From 1.
 */
line: number, 
/**
 * From 1, in characters.
 */
column: number, };

/**
 * A change to look at.
 */
export type PreviewChange = { 
/**
 * Of which session.
 */
session: SessionId, 
/**
 * Which request.
 */
request: RequestId, 
/**
 * The change.
 */
change: DraftChange, };

/**
 * Names a process of a terminal.
 */
export type ProcessRef = { 
/**
 * Which terminal.
 */
terminal: TerminalId, 
/**
 * The process's number.
 */
pid: number, };

/**
 * A project.
 */
export type Project = { 
/**
 * The folder, resolved.
 */
path: string, 
/**
 * Its last part.
 */
name: string, 
/**
 * Whether it is trusted.
 */
trust: Trust, 
/**
 * What of the folder takes effect only when it is trusted: settings files, hooks, servers.
 */
heldBack: Array<string>, };

/**
 * Names a project.
 */
export type ProjectPath = { 
/**
 * The folder.
 */
path: string, };

/**
 * The wire protocols.
 */
export type Provider = "offline" | "anthropic" | "openai-chat";

/**
 * What a provider answered.
 */
export type ProviderCheck = { 
/**
 * True where it answered.
 */
ok: boolean, 
/**
 * What it said, or what is wrong and what to do.
 */
text: string, 
/**
 * Its models.
 */
models: Array<string>, };

/**
 * Names a provider.
 */
export type ProviderRef = { 
/**
 * The provider.
 */
provider: Provider, };

/**
 * A question to the person.
 */
export type Question = { 
/**
 * What it is about, in a word or two.
 */
header: string, 
/**
 * The question.
 */
question: string, 
/**
 * The choices.
 */
choices: Array<Choice>, 
/**
 * Several of them may be chosen.
 */
multiple: boolean, 
/**
 * What was answered; absent until then.
 */
answer?: QuestionAnswer, };

/**
 * The answer to one question.
 */
export type QuestionAnswer = { 
/**
 * The positions of what was chosen, from 0.
 */
chosen: Array<number>, 
/**
 * What was said instead of the choices, or beside them.
 */
other?: string, };

/**
 * Names a queued message.
 */
export type QueueRef = { 
/**
 * Of which session.
 */
session: SessionId, 
/**
 * Which message.
 */
message: ItemId, };

/**
 * What was taken out of the queue.
 */
export type QueueRemoved = { 
/**
 * Its text, absent where it was delivered already.
 */
text: string | null, };

/**
 * A message sent while a turn runs.
 */
export type QueuedMessage = { 
/**
 * Names it.
 */
id: ItemId, 
/**
 * Its text.
 */
text: string, 
/**
 * True where it is delivered at the next tool boundary of the turn that runs, with the
 * results of its calls; else it waits for the turn's end.
 */
steer: boolean, };

/**
 * A folder opened before.
 */
export type RecentProject = { 
/**
 * The folder.
 */
path: string, 
/**
 * Its last part.
 */
name: string, 
/**
 * When it was opened, milliseconds since 1970.
 */
openedAt: number, 
/**
 * False where the folder is gone.
 */
exists: boolean, };

/**
 * How a request ended. Exactly one of these.
 */
export type RequestEnd = "allowed" | "denied" | "cancelled" | "expired";

/**
 * One question to the person about one call.
 */
export type RequestId = string;

/**
 * One reason of a request.
 */
export type RequestReason = { 
/**
 * One sentence.
 */
text: string, 
/**
 * The word that it is about, as a pair of UTF-16 offsets into the command.
 */
span?: [number, number], };

/**
 * A terminal's size.
 */
export type ResizeTerminal = { 
/**
 * Which terminal.
 */
terminal: TerminalId, 
/**
 * Rows.
 */
rows: number, 
/**
 * Columns.
 */
columns: number, };

/**
 * Whether changes were looked at and found good.
 */
export type ReviewMark = { 
/**
 * Of which session.
 */
session: SessionId, 
/**
 * Of what in it.
 */
scope: ChangeScope, 
/**
 * As the list names it; absent for every file.
 */
path?: string, 
/**
 * Which places of the file; none for the whole of it.
 */
hunks: Array<HunkPlace>, 
/**
 * True where it was. The mark falls when the file changes again.
 */
reviewed: boolean, };

/**
 * How far back to go in a conversation.
 */
export type RewindSession = { 
/**
 * Which session.
 */
session: SessionId, 
/**
 * The turn whose message, and everything after it, goes out of the conversation.
 */
turn: number, };

/**
 * What was taken out of the conversation.
 */
export type Rewound = { 
/**
 * The message's text, to be said in other words.
 */
text: string, };

/**
 * What a rule would cover.
 */
export type RuleCheck = { 
/**
 * True where the rule is valid and covers the pending call.
 */
covers: boolean, 
/**
 * What it covers, or what is wrong with it.
 */
text: string, 
/**
 * The broadest that it would allow, in words; absent where it covers nothing here.
 */
broadest: string | null, 
/**
 * Calls of before that it would have let through without a question.
 */
past: Array<PastMatch>, 
/**
 * How many more of these there are.
 */
more: number, 
/**
 * How many calls of this project were looked at.
 */
lookedAt: number, };

/**
 * One rule as a settings file has it.
 */
export type RuleEntry = { 
/**
 * The text: `Bash(cargo test:*)`.
 */
rule: string, 
/**
 * Which list it is in.
 */
behavior: Behavior, 
/**
 * Whose it is.
 */
source: RuleSource, 
/**
 * The file, absent for rules that live in memory.
 */
file?: string, 
/**
 * Where in the file.
 */
position?: Position, 
/**
 * When it ceases to hold, milliseconds since 1970; of allow rules only.
 */
expiresAt?: number, 
/**
 * What is wrong with it. In a deny list an invalid rule denies its whole tool.
 */
problem?: string, };

/**
 * What may be odd about a rule.
 */
export type RuleOddity = "invalid" | "unreachable" | "repeated" | "matches_nothing" | "expired";

/**
 * Something that a person should know about a rule.
 */
export type RuleReport = { 
/**
 * The rule.
 */
rule: RuleEntry, 
/**
 * What kind of oddity.
 */
kind: RuleOddity, 
/**
 * One sentence.
 */
text: string, };

/**
 * Where an answer may be remembered.
 */
export type RuleScope = "session" | "project_local" | "project" | "user";

/**
 * Where a rule comes from, strongest first.
 */
export type RuleSource = "managed" | "command_line" | "project_local" | "project" | "user" | "session";

/**
 * A rule that the person may remember.
 */
export type RuleSuggestion = { 
/**
 * The rule exactly as it will be stored.
 */
rule: string, 
/**
 * What it covers, in words.
 */
covers: string, 
/**
 * How broad it is.
 */
breadth: Breadth, };

/**
 * Whether commands are held by a sandbox.
 */
export type SandboxMode = "off" | "auto" | "required";

/**
 * Whether commands in a sandbox reach the network.
 */
export type SandboxNetwork = "on" | "allow_listed" | "off";

/**
 * How commands are held to the project. A project's settings can only narrow it: the mode
 * `required`, the network `off` or `allow_listed`.
 */
export type SandboxSettings = { 
/**
 * Whether.
 */
mode: SandboxMode | null, 
/**
 * Whether commands reach the network; on when absent, since most builds fetch something.
 */
network: SandboxNetwork | null, 
/**
 * Hosts that commands reach where the network is `allow_listed`: `example.org`,
 * `*.example.org`. A name that leads to this machine or its own network needs that address
 * as an entry too. Only from the person's own and managed settings.
 */
allowedDomains: Array<string>, 
/**
 * Places that may be written besides the project, temporary folders and caches; absolute,
 * or below home with `~/`.
 */
writablePaths: Array<string>, };

/**
 * What holds commands now.
 */
export type SandboxState = { 
/**
 * `bubblewrap`, `landlock` or `seatbelt`; none where nothing does, or it is not known yet.
 */
backend: string | null, 
/**
 * One sentence on what that means, or why there is none.
 */
meaning: string, };

/**
 * How a session changed.
 */
export type SessionChange = { "type": "item_added", 
/**
 * The entry.
 */
item: Item, } | { "type": "text_appended", 
/**
 * Which entry.
 */
item: ItemId, 
/**
 * The text.
 */
text: string, } | { "type": "item_replaced", 
/**
 * The entry.
 */
item: Item, } | { "type": "items_removed", 
/**
 * Which.
 */
items: Array<ItemId>, } | { "type": "request_opened", 
/**
 * It.
 */
request: PermissionRequest, } | { "type": "request_closed", 
/**
 * Which.
 */
request: RequestId, 
/**
 * How.
 */
end: RequestEnd, } | { "type": "mode_changed", 
/**
 * The mode.
 */
mode: Mode, } | { "type": "turn_changed", 
/**
 * Its state.
 */
turn: Turn, } | { "type": "queue_changed", 
/**
 * They.
 */
queue: Array<QueuedMessage>, } | { "type": "undos_changed", 
/**
 * They.
 */
undos: Array<WaitingUndo>, } | { "type": "usage_changed", 
/**
 * In the session.
 */
usage: Usage, 
/**
 * In the turn that runs, or ran last.
 */
turnUsage: Usage, } | { "type": "title_changed", 
/**
 * The title.
 */
title: string, } | { "type": "changed_files", 
/**
 * Their paths, relative to the project where inside, as views show them.
 */
paths: Array<string>, };

/**
 * One conversation on one project folder.
 */
export type SessionId = string;

/**
 * The sessions of a project.
 */
export type SessionList = { 
/**
 * They, newest first.
 */
sessions: Array<SessionSummary>, };

/**
 * Names a session.
 */
export type SessionRef = { 
/**
 * Which.
 */
session: SessionId, };

/**
 * A session as the UI shows it.
 */
export type SessionSnapshot = { 
/**
 * Which.
 */
session: SessionId, 
/**
 * The project's folder.
 */
project: string, 
/**
 * What it is about.
 */
title: string, 
/**
 * The number of the last change that is in this snapshot.
 */
sequence: number, 
/**
 * The mode.
 */
mode: Mode, 
/**
 * The provider and the model, as shown.
 */
model: string, 
/**
 * The entries.
 */
items: Array<Item>, 
/**
 * The open requests, in order of asking.
 */
requests: Array<PermissionRequest>, 
/**
 * Messages that wait.
 */
queue: Array<QueuedMessage>, 
/**
 * Undos that wait for the turn's end.
 */
undos: Array<WaitingUndo>, 
/**
 * Whether the agent works.
 */
turn: Turn, 
/**
 * Tokens so far.
 */
usage: Usage, 
/**
 * Files that somebody else has changed since the agent read or wrote them.
 */
changedFiles: Array<string>, 
/**
 * Tokens of the turn that runs, or ran last while the app is open.
 */
turnUsage: Usage, };

/**
 * One stored session.
 */
export type SessionSummary = { 
/**
 * Which.
 */
session: SessionId, 
/**
 * What it is about.
 */
title: string, 
/**
 * When something last happened in it, milliseconds since 1970.
 */
updatedAt: number, 
/**
 * True where its file has damaged lines.
 */
damaged: boolean, };

/**
 * A mode for a session.
 */
export type SetMode = { 
/**
 * Which session.
 */
session: SessionId, 
/**
 * The mode.
 */
mode: Mode, 
/**
 * The person confirms that permissions may be bypassed. Needed once on a machine.
 */
confirmed?: boolean, };

/**
 * A provider's key.
 */
export type SetSecret = { 
/**
 * The provider.
 */
provider: Provider, 
/**
 * The key.
 */
key: string, };

/**
 * One change of settings.
 */
export type SettingsChange = { "type": "add_rule", 
/**
 * In which list.
 */
behavior: Behavior, 
/**
 * The rule.
 */
rule: string, 
/**
 * Where.
 */
scope: RuleScope, } | { "type": "remove_rule", 
/**
 * In which list.
 */
behavior: Behavior, 
/**
 * The rule.
 */
rule: string, 
/**
 * Where.
 */
scope: RuleScope, 
/**
 * In which file, where the source has several.
 */
file: string | null, } | { "type": "set_default_mode", 
/**
 * The mode.
 */
mode: Mode, 
/**
 * Where.
 */
scope: RuleScope, } | { "type": "set_model", 
/**
 * The provider.
 */
provider: Provider, 
/**
 * The model.
 */
name: string | null, 
/**
 * The server.
 */
baseUrl: string | null, } | { "type": "set_appearance", 
/**
 * They; absent ones stay.
 */
appearance: AppearanceSettings, } | { "type": "set_compaction", 
/**
 * It; absent ones stay.
 */
compaction: CompactionSettings, } | { "type": "set_execution", 
/**
 * It; absent ones stay.
 */
execution: ExecutionSettings, } | { "type": "accept_file", 
/**
 * The file.
 */
path: string, 
/**
 * The text that the person has seen, as `changed_in_sandbox` names it.
 */
text: string, } | { "type": "set_limits", 
/**
 * All of it; absent ones are the usual from now on.
 */
limits: LimitSettings, } | { "type": "set_allowed_domains", 
/**
 * All of them.
 */
domains: Array<string>, };

/**
 * One settings file.
 */
export type SettingsFileState = { 
/**
 * Whose it is.
 */
source: RuleSource, 
/**
 * Where it is.
 */
path: string, 
/**
 * Whether it exists.
 */
exists: boolean, 
/**
 * True where the folder is not trusted, so that the file takes no effect.
 */
heldBack: boolean, 
/**
 * Names the text that a command in a sandbox left there. It has no effect until the
 * person accepts it (`accept_file`); what the file said before has.
 */
changedInSandbox: string | null, 
/**
 * What is wrong with it, each with its position.
 */
problems: Array<SettingsProblem>, };

/**
 * Something wrong in a settings file.
 */
export type SettingsProblem = { 
/**
 * Where.
 */
position: Position | null, 
/**
 * What, and what follows from it.
 */
text: string, 
/**
 * True where the whole file is not used.
 */
fatal: boolean, };

/**
 * Which settings.
 */
export type SettingsQuery = { 
/**
 * The project, absent for those of the person only.
 */
project: string | null, 
/**
 * The session, whose remembered rules are listed too.
 */
session: SessionId | null, };

/**
 * All settings as they are in force.
 */
export type SettingsState = { 
/**
 * The files, strongest first.
 */
files: Array<SettingsFileState>, 
/**
 * The rules of all sources.
 */
rules: Array<RuleEntry>, 
/**
 * What is odd about some of them.
 */
reports: Array<RuleReport>, 
/**
 * The mode that a new session begins in.
 */
defaultMode: Mode, 
/**
 * Colours.
 */
theme: Theme, 
/**
 * Whether calls fold.
 */
density: Density, 
/**
 * The person's own editor, as a command line; nothing where none is named.
 */
editor: string | null, 
/**
 * When a conversation is compacted.
 */
compaction: CompactionSettings, 
/**
 * How calls are run.
 */
execution: ExecutionSettings, 
/**
 * The kinds of agents.
 */
agents: Array<AgentState>, 
/**
 * What holds commands now.
 */
sandbox: SandboxState, 
/**
 * The provider in force.
 */
provider: Provider, 
/**
 * The model in force.
 */
model: string | null, 
/**
 * The server in force, where it is not the provider's own.
 */
baseUrl: string | null, 
/**
 * What is known of each provider's key. Never the key.
 */
keys: Array<KeyState>, };

/**
 * How a stage ended.
 */
export type StageOutcome = "passed" | "skipped" | "ended";

/**
 * One stage's part.
 */
export type StageRecord = { 
/**
 * 1 to 14.
 */
number: number, 
/**
 * The stage's name.
 */
name: string, 
/**
 * How it ended.
 */
outcome: StageOutcome, 
/**
 * How long it took, microseconds.
 */
durationUs: number, 
/**
 * What is worth knowing.
 */
note?: string, };

/**
 * When a queued message is delivered.
 */
export type SteerQueued = { 
/**
 * Of which session.
 */
session: SessionId, 
/**
 * Which message.
 */
message: ItemId, 
/**
 * True for the next tool boundary, false for the turn's end.
 */
steer: boolean, };

/**
 * A call of another agent, in a line.
 */
export type SubCall = { 
/**
 * Which.
 */
call: CallId, 
/**
 * What it is about.
 */
title: string, 
/**
 * How far it is.
 */
status: CallStatus, 
/**
 * What it does while it runs.
 */
activity?: string, 
/**
 * What came of it, in a few words.
 */
summary?: string, };

/**
 * Something to say to the agent.
 */
export type SubmitMessage = { 
/**
 * To whom.
 */
session: SessionId, 
/**
 * What.
 */
text: string, 
/**
 * While a turn runs: deliver it at the next tool boundary and not after the turn.
 */
steer?: boolean, };

/**
 * What happens to processes that outlive the command that started them.
 */
export type Survivors = "keep" | "kill";

/**
 * One pseudo terminal, of a Bash call or of the person's own.
 */
export type TerminalId = string;

/**
 * The terminals of a session.
 */
export type TerminalList = { 
/**
 * They, newest last.
 */
terminals: Array<TerminalSummary>, };

/**
 * One process.
 */
export type TerminalProcess = { 
/**
 * Its number.
 */
pid: number, 
/**
 * Who started it.
 */
parent: number, 
/**
 * Its command line.
 */
command: string, 
/**
 * Processor time used so far, milliseconds.
 */
cpuMs: number, 
/**
 * Memory in use, bytes.
 */
memoryBytes: number, 
/**
 * Ports that it listens on.
 */
ports: Array<number>, };

/**
 * What runs in a terminal.
 */
export type TerminalProcesses = { 
/**
 * They, oldest first.
 */
processes: Array<TerminalProcess>, };

/**
 * Names a terminal.
 */
export type TerminalRef = { 
/**
 * Which.
 */
terminal: TerminalId, };

/**
 * How far a terminal's output was shown.
 */
export type TerminalShown = { 
/**
 * Which terminal.
 */
terminal: TerminalId, 
/**
 * Offset of the end of what was shown.
 */
offset: number, };

/**
 * A terminal with what it shows.
 */
export type TerminalState = { 
/**
 * It.
 */
summary: TerminalSummary, 
/**
 * Base64 of its scrollback, bounded.
 */
scrollback: string, 
/**
 * Offset of the scrollback's end in all that the terminal ever printed.
 */
end: number, 
/**
 * Rows.
 */
rows: number, 
/**
 * Columns.
 */
columns: number, };

/**
 * One terminal.
 */
export type TerminalSummary = { 
/**
 * Which.
 */
terminal: TerminalId, 
/**
 * What runs in it.
 */
title: string, 
/**
 * The call that it belongs to, absent for the person's own.
 */
call: CallId | null, 
/**
 * Where it runs.
 */
cwd: string, 
/**
 * Whether its process runs.
 */
running: boolean, 
/**
 * Whether the call waits for it, so that it can be moved to the background.
 */
movable: boolean, 
/**
 * The background task that it is.
 */
task: string | null, 
/**
 * When it began, milliseconds since 1970.
 */
startedAt: number, 
/**
 * How long it ran, milliseconds; absent while it runs.
 */
elapsedMs: number | null, 
/**
 * How it ended: the code, or 128 and the signal.
 */
exitCode: number | null, 
/**
 * What the code says, where it says something: `no match`.
 */
meaning: string | null, 
/**
 * What the sandbox kept a background task from, in sentences.
 */
keptBack: string | null, 
/**
 * Processes that outlived the command and still run.
 */
survivors: Array<string>, };

/**
 * Colours.
 */
export type Theme = "system" | "light" | "dark";

/**
 * One thing to do.
 */
export type TodoItem = { 
/**
 * What.
 */
text: string, 
/**
 * How far it is.
 */
status: TodoStatus, };

/**
 * How far a thing to do is.
 */
export type TodoStatus = "pending" | "in_progress" | "completed";

/**
 * How a thing should be felt.
 */
export type Tone = "neutral" | "success" | "warning" | "danger" | "info";

/**
 * Whether a folder is trusted.
 */
export type Trust = "unknown" | "trusted" | "untrusted";

/**
 * Says whether a folder is trusted.
 */
export type TrustProject = { 
/**
 * The folder.
 */
path: string, 
/**
 * True for trusted.
 */
trusted: boolean, };

/**
 * Whether the agent works.
 */
export type Turn = { "type": "idle" } | { "type": "running", 
/**
 * Since when, milliseconds since 1970.
 */
since: number, 
/**
 * What it does now, in a few words.
 */
activity: string, };

/**
 * What is done with a file that was changed since.
 */
export type UndoChoice = "keep" | "overwrite" | "mark";

/**
 * What would happen to a file.
 */
export type UndoEffect = "restore" | "recreate" | "remove" | "merge" | "conflict" | "nothing" | "impossible";

/**
 * One file, or places of it.
 */
export type UndoFile = { 
/**
 * As the list of changes names it.
 */
path: string, 
/**
 * The places; none for the whole file.
 */
hunks: Array<HunkPlace>, };

/**
 * An undo that is to be done when the turn ends.
 */
export type UndoLater = { 
/**
 * Of which session.
 */
session: SessionId, 
/**
 * What to take back.
 */
target: UndoTarget, 
/**
 * In a few words.
 */
title: string, 
/**
 * For files that were changed since; those without a choice stay as they are.
 */
choices: Array<FileChoice>, };

/**
 * A file that was left as it is.
 */
export type UndoLeft = { 
/**
 * Which.
 */
path: string, 
/**
 * Why.
 */
reason: string, };

/**
 * What taking something back would do. Nothing is done yet.
 */
export type UndoPreview = { 
/**
 * Names this very preview: it holds only while no file changes.
 */
fingerprint: string, 
/**
 * Each file.
 */
files: Array<UndoPreviewFile>, 
/**
 * What is not covered, in sentences.
 */
notes: Array<string>, };

/**
 * What would become of one file.
 */
export type UndoPreviewFile = { 
/**
 * Which.
 */
path: string, 
/**
 * What would happen.
 */
effect: UndoEffect, 
/**
 * Why, where it is not plain.
 */
reason?: string, 
/**
 * What would change, from what stands there now; where it is a conflict, what would be lost by
 * going back.
 */
diff?: Diff, 
/**
 * What can be chosen for a conflict beside leaving the file.
 */
choices: Array<UndoChoice>, };

/**
 * Which changes to preview an undo of.
 */
export type UndoQuery = { 
/**
 * Of which session.
 */
session: SessionId, 
/**
 * What to take back.
 */
target: UndoTarget, };

/**
 * An undo that is not to be done after all.
 */
export type UndoRef = { 
/**
 * Of which session.
 */
session: SessionId, 
/**
 * Which.
 */
undo: ItemId, };

/**
 * An undo that was previewed.
 */
export type UndoRequest = { 
/**
 * Of which session.
 */
session: SessionId, 
/**
 * What to take back.
 */
target: UndoTarget, 
/**
 * As the preview named itself.
 */
fingerprint: string, 
/**
 * For files that were changed since; those without a choice stay as they are.
 */
choices: Array<FileChoice>, };

/**
 * What was taken back.
 */
export type UndoResult = { 
/**
 * Files that are what they were.
 */
restored: number, 
/**
 * Files that were left, each with the reason.
 */
left: Array<UndoLeft>, };

/**
 * What to take back.
 */
export type UndoTarget = { 
/**
 * Of which changes.
 */
scope: ChangeScope, 
/**
 * Which files of them; absent for all.
 */
files: Array<UndoFile> | null, 
/**
 * True where an earlier undo of them is taken back.
 */
redo: boolean, };

/**
 * Tokens of one answer.
 */
export type Usage = { 
/**
 * Read by the model, cached ones not included.
 */
inputTokens: number, 
/**
 * Written by the model.
 */
outputTokens: number, 
/**
 * Read from the prompt cache.
 */
cacheReadTokens: number, 
/**
 * Written to the prompt cache.
 */
cacheWriteTokens: number, };

/**
 * The presentation of one call at one moment.
 */
export type View = { 
/**
 * What is done, to which thing: `Read src/main.rs`.
 */
title: string, 
/**
 * What is going on, shown while running: `Reading src/main.rs`.
 */
activity?: string, 
/**
 * What came of it, in a few words: `120 lines`.
 */
summary?: string, 
/**
 * A short mark beside the title: `background`.
 */
tag?: string, 
/**
 * The colour of the row.
 */
tone: Tone, 
/**
 * Present where the call may fold into a group with its neighbours.
 */
group?: Group, 
/**
 * What shows when the row is open.
 */
blocks: Array<Block>, 
/**
 * True where the result shows less than there was.
 */
truncated?: boolean, 
/**
 * True where the call shows what it wraps in its own place: its blocks are always open.
 */
transparent?: boolean, };

/**
 * Some lines of a file.
 */
export type ViewFile = { 
/**
 * The session, whose workspace the file is in.
 */
session: SessionId, 
/**
 * The file, absolute or from the project's folder.
 */
path: string, 
/**
 * The first line wanted, from 1.
 */
first: number, 
/**
 * How many. No more than [`ViewFile::MOST`] come.
 */
count: number, };

/**
 * An undo that waits for the end of the turn.
 */
export type WaitingUndo = { 
/**
 * Names it.
 */
id: ItemId, 
/**
 * In a few words.
 */
title: string, 
/**
 * What is taken back.
 */
target: UndoTarget, 
/**
 * Its files; cut where there are many.
 */
files: Array<string>, 
/**
 * How many more there are.
 */
more: number, };

/**
 * Other rules, another mode.
 */
export type WhatIf = { 
/**
 * From which session on.
 */
session: SessionId, 
/**
 * The mode; the present one when absent.
 */
mode: Mode | null, 
/**
 * All rules; the present ones when absent.
 */
rules: Array<WhatIfRule> | null, 
/**
 * Look at the calls of all sessions of the project and not of this one only.
 */
wholeProject: boolean, };

/**
 * What would have been decided otherwise.
 */
export type WhatIfAnswer = { 
/**
 * How many calls were looked at.
 */
lookedAt: number, 
/**
 * Calls that would have been decided otherwise, newest first.
 */
changed: Array<WhatIfChange>, 
/**
 * How many more of these there are.
 */
more: number, 
/**
 * What is wrong with the rules that were tried.
 */
problems: Array<string>, };

/**
 * A call that would have been decided otherwise.
 */
export type WhatIfChange = { 
/**
 * Of which session.
 */
session: SessionId, 
/**
 * Which call.
 */
call: CallId, 
/**
 * Its tool.
 */
tool: string, 
/**
 * What it was about.
 */
subject: string, 
/**
 * How it was decided then, by the person where they were asked.
 */
decided: Behavior | null, 
/**
 * What the present rules and mode say.
 */
now: DecisionSummary, 
/**
 * What the tried ones say.
 */
tried: DecisionSummary, };

/**
 * A rule that is tried.
 */
export type WhatIfRule = { 
/**
 * In which list.
 */
behavior: Behavior, 
/**
 * The rule.
 */
rule: string, };

/**
 * A failure as the UI shows it: what happened, to which thing, and what to do next.
 */
export type WireError = { 
/**
 * What the UI may act on.
 */
code: ErrorCode, 
/**
 * One sentence: what happened, to which thing.
 */
message: string, 
/**
 * One sentence: what the person can do next.
 */
hint?: string, };

/**
 * Something to type.
 */
export type WriteTerminal = { 
/**
 * Which terminal.
 */
terminal: TerminalId, 
/**
 * The text.
 */
text: string, };

/** Every command with its input and its output. */
export interface Commands {
  /** What the app is and what it was started with. */
  "app.state": { input: Empty; output: AppState };
  /** Lets the person choose a folder with the desktop's dialog. */
  "project.pick": { input: Empty; output: PickedFolder };
  /** Opens a folder. */
  "project.open": { input: ProjectPath; output: Project };
  /** Says that a folder is trusted, or not any more. */
  "project.trust": { input: TrustProject; output: Project };
  /** Takes a folder off the list of recent ones. */
  "project.forget": { input: ProjectPath; output: Empty };
  /** The sessions of a project, newest first. */
  "session.list": { input: ProjectPath; output: SessionList };
  /** Begins a session. */
  "session.create": { input: ProjectPath; output: SessionSnapshot };
  /** Opens a stored session, or gives the present state of an open one. */
  "session.open": { input: SessionRef; output: SessionSnapshot };
  /** Deletes a stored session. The UI asks before. */
  "session.delete": { input: SessionRef; output: Empty };
  /** Says something to the agent; queued while a turn runs. */
  "turn.submit": { input: SubmitMessage; output: Empty };
  /** Stops the turn. */
  "turn.stop": { input: SessionRef; output: Empty };
  /** Takes a message out of the queue; gives its text back. */
  "queue.remove": { input: QueueRef; output: QueueRemoved };
  /** Changes the text of a queued message. */
  "queue.edit": { input: EditQueued; output: Empty };
  /** Delivers a queued message at the next tool boundary, or at the turn's end again; at */
  /** once where nothing runs. */
  "queue.steer": { input: SteerQueued; output: Empty };
  /** Answers a request. */
  "request.answer": { input: AnswerRequest; output: Empty };
  /** The text of a waiting call, for changing it. */
  "request.draft": { input: DraftQuery; output: DraftText };
  /** What would be applied with a change: shown before it is approved. */
  "request.preview_change": { input: PreviewChange; output: ChangePreview };
  /** Says what a rule would cover, before it is remembered. */
  "request.check_rule": { input: CheckRule; output: RuleCheck };
  /** Switches the mode; applies to the very next call. */
  "mode.set": { input: SetMode; output: Empty };
  /** The decision record of a call. */
  "call.record": { input: CallRef; output: CallRecord };
  /** Looks for a text in a conversation, results of calls included. */
  "session.find": { input: FindText; output: FoundText };
  /** The files that a call, a turn or the session changed, or that differ from the last commit. */
  "changes.list": { input: ChangesQuery; output: ChangeList };
  /** One of those files, old against new. */
  "changes.file": { input: FileQuery; output: FileComparison };
  /** Says that a changed file was looked at and found good, or takes that back. */
  "changes.review": { input: ReviewMark; output: Empty };
  /** What taking changes back would do. Nothing is done. */
  "undo.preview": { input: UndoQuery; output: UndoPreview };
  /** Takes changes back as the preview said. */
  "undo.apply": { input: UndoRequest; output: UndoResult };
  /** Takes changes back when the turn ends; at once where none runs. */
  "undo.later": { input: UndoLater; output: Empty };
  /** Takes back nothing when the turn ends after all. */
  "undo.forget": { input: UndoRef; output: Empty };
  /** Goes back in the conversation to before a message; gives its text back. */
  "session.rewind": { input: RewindSession; output: Rewound };
  /** Calls of before that other rules or another mode would have decided otherwise. */
  "permissions.what_if": { input: WhatIf; output: WhatIfAnswer };
  /** Requests of all sessions that wait for an answer. */
  "inbox.list": { input: Empty; output: Inbox };
  /** All settings with their sources. */
  "settings.get": { input: SettingsQuery; output: SettingsState };
  /** Changes a setting. */
  "settings.change": { input: ChangeSettings; output: SettingsState };
  /** The hooks of a project with their last runs. */
  "hooks.list": { input: SettingsQuery; output: HookList };
  /** Stores a provider's key. */
  "secret.set": { input: SetSecret; output: SettingsState };
  /** Removes a provider's stored key. */
  "secret.clear": { input: ProviderRef; output: SettingsState };
  /** Tries the provider: lists its models, or says what is wrong. */
  "provider.check": { input: SettingsQuery; output: ProviderCheck };
  /** Opens a terminal of the person's own. */
  "terminal.open": { input: OpenTerminal; output: TerminalState };
  /** The terminals of a session, those of running calls included. */
  "terminal.list": { input: SessionRef; output: TerminalList };
  /** The scrollback of a terminal; its output follows as events. */
  "terminal.attach": { input: TerminalRef; output: TerminalState };
  /** Types into a terminal. */
  "terminal.write": { input: WriteTerminal; output: Empty };
  /** Tells a terminal its size. */
  "terminal.resize": { input: ResizeTerminal; output: Empty };
  /** Ends what runs in a terminal. */
  "terminal.close": { input: TerminalRef; output: Empty };
  /** Says how much of a terminal's output was shown, so that more is sent. */
  "terminal.shown": { input: TerminalShown; output: Empty };
  /** Lets a running command go on in the background; its call returns with the task's name. */
  "terminal.background": { input: TerminalRef; output: Empty };
  /** The processes that run in a terminal, with what they use. */
  "terminal.processes": { input: TerminalRef; output: TerminalProcesses };
  /** Ends one of them; what it started goes on. */
  "terminal.end_process": { input: ProcessRef; output: Empty };
  /** Which of some words name a file of the workspace. */
  "place.find": { input: FindFiles; output: FoundFiles };
  /** Some lines of a file of the workspace. */
  "place.view": { input: ViewFile; output: FileLines };
  /** Opens a place in the person's own editor. */
  "place.edit": { input: EditPlace; output: Empty };
}

//! The vocabulary of an analysis: what callers read.

use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::Serialize;

/// Where a command would run. Purely lexical: nothing here needs to exist.
#[derive(Clone, Copy, Debug)]
pub struct ShellContext<'a> {
    /// Absolute working directory of the shell.
    pub cwd: &'a Path,
    /// Absolute root of the workspace.
    pub workspace: &'a Path,
    /// Further absolute roots that count as inside the workspace.
    pub additional_directories: &'a [PathBuf],
    /// Absolute home directory: what `~` and `$HOME` stand for.
    pub home: &'a Path,
}

/// What a command would do.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Analysis {
    /// Writes nowhere, controls no process, uses no network and starts no
    /// unknown program. Anything doubtful is false.
    pub read_only: bool,
    /// Some word that is used as a path lies outside the workspace, or cannot be known.
    pub outside_workspace: bool,
    /// Set when files, uncommitted work, history or refs would be lost, or a
    /// machine, cluster or database damaged.
    pub destructive: Option<Destruction>,
    /// Set when the whole command is one plain in-place `sed` substitution of one file.
    pub sed_edit: Option<SedEdit>,
    /// Every simple command, nested ones included, in order of their text.
    /// Empty when the command is not understood.
    pub parts: Vec<CommandPart>,
    /// Commands that may run besides the parts: what one parser alone believes
    /// to be there when the command is not understood, texts that are given to
    /// a shell (`sh -c`, `eval`) and commands in arguments (`find -exec`). Only
    /// deny and ask rules may look here, so that odd syntax never dodges them;
    /// allow rules never do.
    pub suspected_parts: Vec<CommandPart>,
    /// Every word that is used as a path.
    pub paths: Vec<PathUse>,
    /// Words that may name a file although nobody can say so: a name that git takes for a
    /// revision or a file, `HEAD:file`, `-d @file`, texts in a program. Only deny and ask
    /// rules and safety checks look here; they say nothing about the workspace.
    pub mentions: Vec<PathUse>,
    /// Why it is not read-only, reaches outside or destroys.
    pub reasons: Vec<Reason>,
    /// Both parsers agree and every node is of a known kind.
    pub understood: bool,
    /// A critical path that would be removed, moved away or opened up: the root,
    /// a top-level directory, home, the working directory or its parents, the
    /// workspace, or a glob directly under a variable.
    pub critical: Option<Critical>,
    /// Some part talks to the network.
    pub network: bool,
    /// Some part asks for more rights (sudo, doas, pkexec, su).
    pub privilege: bool,
}

impl Analysis {
    pub(crate) fn empty() -> Self {
        Self {
            read_only: false,
            outside_workspace: false,
            destructive: None,
            sed_edit: None,
            parts: Vec::new(),
            suspected_parts: Vec::new(),
            paths: Vec::new(),
            mentions: Vec::new(),
            reasons: Vec::new(),
            understood: false,
            critical: None,
            network: false,
            privilege: false,
        }
    }
}

/// What would be lost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Destruction {
    /// One sentence for a person.
    pub sentence: String,
    /// Bytes of the command that say so.
    pub span: Range<usize>,
}

/// What no rule may let through.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Critical {
    /// One phrase that begins with a verb: "removes `/`, the root of the file system".
    pub phrase: String,
    /// Bytes of the command that say so.
    pub span: Range<usize>,
}

/// One `sed -i` with one plain `s` command on one literal file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SedEdit {
    /// The operand after quote removal, as sed would see it.
    pub file: String,
    /// The whole script after quote removal.
    pub script: String,
    /// The address before the `s`, empty when there is none.
    pub address: String,
    /// The regular expression as sed sees it.
    pub regex: String,
    /// The replacement as sed sees it.
    pub replacement: String,
    /// The flags after the last delimiter, for example `g`.
    pub flags: String,
    /// `-E` or `-r` was given: extended syntax.
    pub extended: bool,
    /// Suffix of the backup file that `-i` asks for, empty when there is none.
    pub backup_suffix: String,
}

/// One simple command.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CommandPart {
    /// Command word and arguments.
    pub words: Vec<Word>,
    /// Leading `NAME=value` words.
    pub assignments: Vec<Assignment>,
    /// Redirects of files, with those of a group around the command.
    pub redirects: Vec<Redirect>,
    /// This part alone is read-only, its redirects included.
    pub read_only: bool,
    /// Bytes of the command.
    pub span: Range<usize>,
    /// It stands inside a substitution, subshell, group, loop, condition or wrapper.
    pub nested: bool,
    /// It holds something that no allow rule may cover.
    #[serde(skip)]
    pub(crate) opaque: bool,
}

/// One word of a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Word {
    /// The literal text after quote removal, or `None` when only the shell can know it.
    pub text: Option<String>,
    /// The word as written.
    pub raw: String,
    /// Bytes of the command.
    pub span: Range<usize>,
}

/// A `NAME=value` before a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Assignment {
    /// Name, with a subscript if there is one.
    pub name: String,
    /// The value as written.
    pub raw_value: String,
    /// The value after quote removal, or `None` when only the shell can know it.
    pub literal: Option<String>,
}

/// How a redirect opens its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum RedirectOperator {
    /// `<`
    Read,
    /// `>`
    Write,
    /// `>>`
    Append,
    /// `<>`
    ReadAndWrite,
    /// `>|`
    Clobber,
    /// `&>` and `>&file`
    OutputAndError,
    /// `&>>`
    AppendOutputAndError,
}

/// A redirect to or from a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Redirect {
    /// How the target is opened.
    pub operator: RedirectOperator,
    /// The target.
    pub target: Word,
    /// The target is written (`/dev/null` and its like are not).
    pub writes: bool,
    /// The target is read.
    pub reads: bool,
}

/// What is done with a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Access {
    /// Its content or metadata is read.
    Read,
    /// It is created, changed or replaced.
    Write,
    /// It is removed.
    Remove,
    /// The shell goes there.
    ChangeDirectory,
}

/// How much of a file a command gets to see.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Sight {
    /// What is in it.
    #[default]
    Content,
    /// Its name, and the names in it where it is a folder: `ls`, `find`, `tree`.
    Names,
    /// That it is there, its kind, size and times: `test -f`, `stat`, `du`.
    Existence,
}

/// A word that is used as a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PathUse {
    /// The path as the command would see it, or as written when that cannot be known.
    pub word: String,
    /// Bytes of the command.
    pub span: Range<usize>,
    /// Lexically resolved absolute path (of the fixed part before a glob, when
    /// there is one); `None` when it cannot be known.
    pub resolved: Option<PathBuf>,
    /// What is done with it.
    pub access: Access,
    /// It lies outside the workspace or cannot be known.
    pub outside: bool,
    /// Set when the same is done with files below it.
    pub below: Option<Below>,
    /// Index into [`Analysis::parts`].
    pub part: usize,
    /// The word for who can look at the disk; `None` when its folder cannot be known.
    #[serde(skip)]
    pub named: Option<Named>,
    /// How much of it is seen, where it is read.
    #[serde(skip)]
    pub sight: Sight,
}

/// A word that is used as a path, before anything of it is resolved. Text alone takes `..` for the
/// folder above the name before it; where that name is a link, the system goes elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Named {
    /// Absolute, with each `..` as written: the part before a glob, when there is one.
    pub fixed: PathBuf,
    /// The names from the first with a glob character on. A quoted glob character is not told
    /// from another: the pattern may say more names than the shell finds.
    pub pattern: Option<String>,
}

/// Which files below a folder a command reaches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Below {
    /// Names with a leading dot too.
    pub hidden: bool,
    /// Patterns of which a file's name must fit one; empty when any name does.
    pub names: Vec<String>,
    /// Whether there is a folder at all is not known: `cp a b` writes `b/a` where `b` is one.
    pub perhaps: bool,
    /// A program is given each of them by its name (`find | xargs`, `find -exec`): a link among
    /// them is followed, where one that is met on a walk is not.
    #[serde(skip)]
    pub one_by_one: bool,
    /// What lies right in the folder, and not in folders of it (`ls | xargs cat`).
    #[serde(skip)]
    pub shallow: bool,
}

impl Below {
    /// The pattern of names of which no more is known than that not every file has one.
    pub const SOME: &str = "*";

    /// Every file.
    pub(crate) fn everything() -> Self {
        Self {
            hidden: true,
            names: Vec::new(),
            perhaps: false,
            one_by_one: false,
            shallow: false,
        }
    }
}

/// Kind of a [`Reason`], stable for callers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ReasonCode {
    /// Too long, too deeply nested or too many words.
    Limit,
    /// A control, invisible or direction-changing character.
    DeceptiveCharacter,
    /// The parsers fail or disagree, or some construct is not on the allow list.
    NotUnderstood,
    /// A program that is not in the tables.
    UnknownProgram,
    /// The command word is computed when it runs.
    ComputedCommand,
    /// A flag or operand with which a known program is not read-only.
    NotReadOnlyArgument,
    /// An expansion that may evaluate or assign.
    Expansion,
    /// A leading assignment that may change what runs.
    Assignment,
    /// A redirect that writes a file.
    WritesFile,
    /// It runs in the background.
    Background,
    /// A path outside the workspace.
    OutsideWorkspace,
    /// A path that cannot be known.
    UnknownPath,
    /// Something would be lost.
    Destructive,
    /// It asks for more rights.
    Privilege,
    /// It talks to the network.
    Network,
}

/// One reason, with the bytes of the command that it is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Reason {
    /// Bytes of the command.
    pub span: Range<usize>,
    /// Kind.
    pub code: ReasonCode,
    /// One sentence for a person.
    pub message: String,
}

/// What an exit code means for a command where it is not simply a failure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExitMeaning {
    /// It answers the question that the command asked; it is not a failure.
    pub benign: bool,
    /// One phrase, for example `no match`.
    pub meaning: String,
}

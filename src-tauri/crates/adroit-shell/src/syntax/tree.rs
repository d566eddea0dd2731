//! Our own syntax tree: what the rest of the crate reads. It has only the
//! constructs that are on the allow list of node kinds.

use std::ops::Range;

use crate::types::RedirectOperator;

/// Commands one after the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct List(pub Vec<Item>);

/// A substitution, and where it stands.
pub(crate) type Placed = (List, Range<usize>);

impl List {
    /// `ls | wc -l`, `wc -l < a`, `date +%s`: what it prints is one number, or nothing.
    pub(crate) fn prints_number(&self) -> bool {
        self.number().is_some()
    }

    /// As [`Self::prints_number`], and it prints one in any case: nothing can be missing.
    pub(crate) fn surely_prints_number(&self) -> bool {
        self.number() == Some(true)
    }

    /// Whether the number is sure to come; `None` where something else may.
    fn number(&self) -> Option<bool> {
        let [item] = self.0.as_slice() else {
            return None;
        };
        let [before @ .., Command::Simple(last)] = item.first.commands.as_slice() else {
            return None;
        };
        let reads = |redirect: &Redirection| {
            matches!(
                redirect,
                Redirection::File {
                    operator: RedirectOperator::Read,
                    ..
                }
            )
        };
        let words: Vec<&str> = last.words.iter().map(|word| word.raw.as_str()).collect();
        let reads_file = last.redirects.iter().any(reads);
        let sure = match words.as_slice() {
            // Named files would be told with their names.
            ["wc", "-l" | "-w" | "-c" | "-m"] if !before.is_empty() || reads_file => !reads_file,
            ["date", "+%s" | "+%s%N" | "+%Y"] => !reads_file,
            ["nproc"] | ["id", "-u" | "-g"] => false,
            _ => return None,
        };
        let alone = item.rest.is_empty()
            && !item.background
            && last.assignments.is_empty()
            && last.redirects.iter().all(reads);
        alone.then_some(sure)
    }
}

/// One and-or chain with its separator.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub first: Pipeline,
    pub rest: Vec<(Connector, Pipeline)>,
    pub background: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Connector {
    And,
    Or,
}

#[derive(Clone, Debug)]
pub(crate) struct Pipeline {
    pub negated: bool,
    pub commands: Vec<Command>,
}

#[derive(Clone, Debug)]
pub(crate) enum Command {
    Simple(Simple),
    Compound(Box<Compound>),
}

/// A command with structure of its own, and the redirects around it.
#[derive(Clone, Debug)]
pub(crate) struct Compound {
    pub kind: CompoundKind,
    pub redirects: Vec<Redirection>,
    pub span: Range<usize>,
}

#[derive(Clone, Debug)]
pub(crate) enum CompoundKind {
    Group(List),
    Subshell(List),
    /// `values` is `None` when the loop runs over the shell's own arguments.
    For {
        variable: String,
        values: Option<Vec<Word>>,
        body: List,
    },
    /// `while` and `until`.
    Loop {
        condition: List,
        until: bool,
        body: List,
    },
    If {
        condition: List,
        then: List,
        others: Vec<(Option<List>, List)>,
    },
    Case {
        value: Word,
        arms: Vec<(Vec<Word>, List)>,
    },
    /// `((...))` and `for ((...))`.
    Arithmetic {
        expressions: Vec<String>,
        body: Option<List>,
    },
    /// `[[ ... ]]`.
    Test(Vec<TestTerm>),
    Function(Box<Compound>),
    Coprocess(Command),
}

/// One predicate of `[[ ... ]]`.
#[derive(Clone, Debug)]
pub(crate) struct TestTerm {
    pub kind: TestKind,
    pub operands: Vec<Word>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TestKind {
    /// The operand is a path.
    File,
    /// The operand is text.
    Text,
    /// The operands are evaluated as arithmetic.
    Arithmetic,
    /// The operand names a variable, whose subscript is evaluated.
    Variable,
}

#[derive(Clone, Debug)]
pub(crate) struct Simple {
    pub assignments: Vec<Assign>,
    pub words: Vec<Word>,
    pub redirects: Vec<Redirection>,
    pub span: Range<usize>,
}

#[derive(Clone, Debug)]
pub(crate) struct Assign {
    pub name: String,
    pub append: bool,
    /// It has a subscript or is an array.
    pub compound: bool,
    pub value: Word,
    pub span: Range<usize>,
}

#[derive(Clone, Debug)]
pub(crate) enum Redirection {
    File {
        operator: RedirectOperator,
        /// It redirects standard output.
        stdout: bool,
        target: Word,
    },
    /// `2>&1`, `>&-`: no file.
    Duplicate { stdout: bool, target: Word },
    /// A here-document or here-string, as a word whose pieces are what expands.
    Text(Word),
}

#[derive(Clone, Debug)]
pub(crate) struct Word {
    pub raw: String,
    pub span: Range<usize>,
    pub pieces: Vec<Piece>,
}

#[derive(Clone, Debug)]
pub(crate) enum Piece {
    /// Text that stands for itself; `quoted` when no brace, glob or tilde meaning is left.
    Literal { text: String, quoted: bool },
    /// An unquoted `*`, `?` or `[`.
    Glob(char),
    /// An unquoted `{`, `,` or `}` that may belong to a brace expansion.
    Brace(char),
    /// `~`, `~name`, `~+` at a place where the shell expands it.
    Tilde(String),
    /// A plain `$name` or `${name}`.
    Variable { name: String, quoted: bool },
    /// A value that cannot be known but whose making has no effect.
    Unknown { quoted: bool },
    /// An expansion that may evaluate code or assign a variable.
    Evaluates {
        span: Range<usize>,
        quoted: bool,
        /// The text within `$((...))`, a number in the place of each substitution: what is known
        /// of its names decides.
        arithmetic: Option<String>,
        /// The substitutions in it, and where they stand.
        lists: Vec<Placed>,
    },
    /// `$(...)` or backquotes.
    Substitution {
        list: List,
        quoted: bool,
        span: Range<usize>,
    },
    /// `<(...)` or `>(...)`.
    Process { list: List },
}

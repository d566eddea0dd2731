//! The form of the tables: what a program takes and what it does, as data.
//!
//! A flag list is one string of flags separated by blanks. What follows the
//! name of a flag says what it takes:
//!
//! | mark | meaning |
//! |---|---|
//! | (none) | nothing |
//! | `=` | a value, attached or the next word |
//! | `?` | a value only when attached |
//!
//! and after that: `@` the value is a path that is read, `>` a path that is
//! written, `!` it takes the place of the first operand (`grep -e`), `2` a name
//! stands before the value, `%` the value must be a plain word, `^` links or lists of files are followed, wherever they lead.
//!
//! Operands are one letter each: `t` text, `p` a path that is read, `w` a path
//! that is written, `r` a path that is removed, `g` a revision, name or path
//! (a path when it looks like one), `G` the same, written. `*` repeats the
//! letter before it; letters after it are the last operands.

use crate::types::Sight;

/// What a program is besides its flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Only the listed flags and operands are read-only.
    Listed,
    /// Every flag it has only reads; the list names those that take a value.
    Free,
    /// It writes, runs programs or uses the network: the row only says which words are paths.
    Acts,
}

/// How options are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// `-abc`, `--long`, `--long=value`; options may follow operands.
    Gnu,
    /// `-long` and `--long`, as of find, go and java.
    Long,
}

/// A check beyond flags and operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Check {
    None,
    Sed,
    Awk,
    /// Operands must begin with `+`.
    Plus,
    /// `test` and `[`.
    Test,
    /// `git branch`, `git tag`, ... : operands only with a listing flag.
    ListingOperands(&'static str),
    /// The first operand must be one of these words.
    FirstOperand(&'static str),
    /// There must be one of these flags.
    NeedsFlag(&'static str),
    /// `jq`: the filter.
    Jq,
    /// `yq`: the expression reads no other file and runs nothing.
    Yq,
    /// `tar`: the archive is a local file.
    Tar,
    /// The first operand must be one of these words, and there must be one.
    Verb(&'static str),
    /// `read`: operands are variable names.
    Names,
    /// `less +F`: a command after `+` only moves or searches.
    Pager,
    /// `export LANG=C`: each sets a variable that changes only how programs print.
    SafeAssignments,
    /// `tee /dev/stderr`: operands hold nothing.
    Devices,
    /// `declare -p`: names, told and not set.
    Declarations,
    /// `printf`: no `-v`.
    Printf,
    /// `set`, `shopt`: shell options only.
    ShellOptions,
    /// `alias ll`, `sysctl kernel.ostype`: with a value it would be set.
    WithoutEquals,
    /// `dd`: nothing that holds something is written.
    Copied,
}

/// One program, or one subcommand of one (`git log`).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    /// Names separated by `|`.
    pub names: &'static str,
    pub operands: &'static str,
    pub flags: &'static str,
    pub kind: Kind,
    pub style: Style,
    pub check: Check,
    /// `-30` is a flag.
    pub digits: bool,
    pub network: bool,
    /// How it goes on below a folder that it is given.
    pub depth: Depth,
    /// Flags whose values are patterns that file names below must fit.
    pub names_flags: &'static str,
    /// `@file` among the operands is replaced by options that the file holds.
    pub response_files: bool,
    /// How much of its operands it tells.
    pub sight: Sight,
}

/// How a program goes on below a folder: what it reads there is content that a
/// rule may protect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// It does not, or tells names alone.
    Named,
    /// With one of these flags, into hidden folders too; `-d=recurse` with that value.
    Flags(&'static str),
    /// Always; into hidden folders with one of these flags.
    Visible(&'static str),
}

impl Depth {
    /// The flags with which it goes on below.
    pub(crate) fn flags(self) -> &'static str {
        match self {
            Self::Named => "",
            Self::Flags(flags) | Self::Visible(flags) => flags,
        }
    }
}

impl Row {
    pub(crate) const fn new(
        names: &'static str,
        operands: &'static str,
        flags: &'static str,
        kind: Kind,
    ) -> Self {
        Self {
            names,
            operands,
            flags,
            kind,
            style: Style::Gnu,
            check: Check::None,
            digits: false,
            network: false,
            depth: Depth::Named,
            names_flags: "",
            response_files: false,
            sight: Sight::Content,
        }
    }

    pub(crate) const fn check(mut self, check: Check) -> Self {
        self.check = check;
        self
    }

    pub(crate) const fn long(mut self) -> Self {
        self.style = Style::Long;
        self
    }

    pub(crate) const fn digits(mut self) -> Self {
        self.digits = true;
        self
    }

    pub(crate) const fn depth(mut self, depth: Depth) -> Self {
        self.depth = depth;
        self
    }

    pub(crate) const fn names(mut self, flags: &'static str) -> Self {
        self.names_flags = flags;
        self
    }

    pub(crate) const fn response_files(mut self) -> Self {
        self.response_files = true;
        self
    }

    pub(crate) const fn tells(mut self, sight: Sight) -> Self {
        self.sight = sight;
        self
    }

    pub(crate) const fn network(mut self) -> Self {
        self.network = true;
        self
    }
}

/// Every flag only reads; `values` are the flags that take a value.
pub(crate) const fn free(names: &'static str, operands: &'static str, values: &'static str) -> Row {
    Row::new(names, operands, values, Kind::Free).digits()
}

/// Read-only with these flags and operands alone.
pub(crate) const fn listed(
    names: &'static str,
    operands: &'static str,
    flags: &'static str,
) -> Row {
    Row::new(names, operands, flags, Kind::Listed)
}

/// Not read-only; says which words are paths.
pub(crate) const fn acts(names: &'static str, operands: &'static str, values: &'static str) -> Row {
    Row::new(names, operands, values, Kind::Acts).digits()
}

/// What follows the name of a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Flag {
    pub takes: Takes,
    pub path: Option<FlagPath>,
    /// It takes the place of the first operand.
    pub replaces_operand: bool,
    /// It takes a name before its value.
    pub named: bool,
    /// With it links or lists of files are followed, wherever they lead.
    pub follows_links: bool,
    /// Its value must be a word of letters, digits and hyphens: in another it may name a file.
    pub plain_value: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    Nothing,
    Value,
    Attached,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FlagPath {
    Read,
    Write,
}

/// The flags of which `name`, not listed itself, may be an abbreviation: getopt_long takes
/// `--target-d` for `--target-directory`. Where several begin so the program may know
/// which is meant, or none: each counts.
pub(crate) fn abbreviated<'l>(
    list: &'l str,
    name: &'l str,
) -> impl Iterator<Item = (&'l str, Flag)> {
    list.split_ascii_whitespace()
        .filter(move |entry| name.len() > 2 && name.starts_with("--") && entry.starts_with(name))
        .filter_map(|entry| {
            let bare = entry.split(['=', '?', '!', '^']).next().unwrap_or(entry);
            flag(entry, bare).map(|flag| (bare, flag))
        })
}

/// Looks `name` (with its dashes) up in a flag list.
pub(crate) fn flag(list: &str, name: &str) -> Option<Flag> {
    list.split_ascii_whitespace().find_map(|entry| {
        let marks = entry.strip_prefix(name)?;
        let takes = match marks.as_bytes().first() {
            None => Takes::Nothing,
            Some(b'=') => Takes::Value,
            Some(b'?') => Takes::Attached,
            Some(b'!' | b'^') => Takes::Nothing,
            Some(_) => return None,
        };
        Some(Flag {
            takes,
            path: if marks.contains('@') {
                Some(FlagPath::Read)
            } else if marks.contains('>') {
                Some(FlagPath::Write)
            } else {
                None
            },
            replaces_operand: marks.contains('!'),
            named: marks.contains('2'),
            follows_links: marks.contains('^'),
            plain_value: marks.contains('%'),
        })
    })
}

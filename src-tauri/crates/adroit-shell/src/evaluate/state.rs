//! What the shell's state may be at one point of the command.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::arithmetic::is_integer;

/// What a variable holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Known(String),
    /// The names that a pattern matches, as fixed text and pattern.
    Glob(String),
    /// Some whole number that is not negative: what a counting loop counts.
    Number,
    /// Some whole number: what arithmetic over known numbers gives.
    Integer,
    /// The digits of a whole number that is not negative, or nothing.
    Digits,
    /// Names of objects of git, in hexadecimal digits, or nothing.
    Objects,
    /// The name of a file or folder that `mktemp` has made, or nothing.
    Temporary,
    Unknown,
}

/// Working directories and variables that are possible here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct State {
    /// False after `exit`: nothing runs from here.
    pub reachable: bool,
    /// Possible working directories; `None` when it cannot be known.
    pub directories: Option<Vec<PathBuf>>,
    /// `cd` goes where links lead.
    pub physical: bool,
    /// Where `cd -` leads.
    pub previous: Previous,
    pub variables: BTreeMap<String, Value>,
}

/// The directory before the last `cd`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Previous {
    /// There was none: a shell is started without `OLDPWD`, and `cd -` fails.
    None,
    Known(Vec<PathBuf>),
    Unknown,
}

impl Previous {
    pub(crate) fn of(directories: Option<Vec<PathBuf>>) -> Self {
        directories.map_or(Self::Unknown, Self::Known)
    }

    pub(crate) fn known(&self) -> Option<Vec<PathBuf>> {
        match self {
            Self::Known(places) => Some(places.clone()),
            Self::None | Self::Unknown => None,
        }
    }

    fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::None, one) | (one, Self::None) => one,
            (Self::Known(mut mine), Self::Known(others)) => {
                for place in others {
                    if !mine.contains(&place) {
                        mine.push(place);
                    }
                }
                if mine.len() <= MOST_DIRECTORIES {
                    Self::Known(mine)
                } else {
                    Self::Unknown
                }
            }
            _ => Self::Unknown,
        }
    }
}

/// More possible directories than this are not followed.
const MOST_DIRECTORIES: usize = 16;

impl State {
    pub(crate) fn new(cwd: &Path) -> Self {
        Self {
            reachable: true,
            directories: Some(vec![cwd.to_path_buf()]),
            physical: false,
            previous: Previous::None,
            variables: BTreeMap::new(),
        }
    }

    pub(crate) fn unreachable(mut self) -> Self {
        self.reachable = false;
        self
    }

    /// Either this or `other` is the case.
    pub(crate) fn or(self, other: Self) -> Self {
        if !other.reachable {
            return self;
        }
        if !self.reachable {
            return other;
        }
        if self == other {
            return self;
        }
        let directories = match (self.directories, other.directories) {
            (Some(mut mine), Some(others)) => {
                for directory in others {
                    if !mine.contains(&directory) {
                        mine.push(directory);
                    }
                }
                (mine.len() <= MOST_DIRECTORIES).then_some(mine)
            }
            _ => None,
        };
        let mut variables = self.variables;
        for (name, value) in &mut variables {
            match other.variables.get(name) {
                Some(own) if own == value => {}
                // Turns of a loop that counts.
                Some(own) if is_integer(own) && is_integer(value) => *value = Value::Integer,
                _ => *value = Value::Unknown,
            }
        }
        for name in other.variables.into_keys() {
            variables.entry(name).or_insert(Value::Unknown);
        }
        Self {
            reachable: true,
            directories,
            physical: self.physical || other.physical,
            previous: self.previous.or(other.previous),
            variables,
        }
    }

    pub(crate) fn assign(&mut self, name: &str, value: Value) {
        self.variables.insert(name.to_owned(), value);
    }
}

/// The states after a command that succeeded, and after one that failed.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    pub success: State,
    pub failure: State,
}

impl Outcome {
    pub(crate) fn same(state: State) -> Self {
        Self {
            success: state.clone(),
            failure: state,
        }
    }

    /// Whatever it returned.
    pub(crate) fn any(self) -> State {
        self.success.or(self.failure)
    }

    pub(crate) fn negated(self) -> Self {
        Self {
            success: self.failure,
            failure: self.success,
        }
    }
}

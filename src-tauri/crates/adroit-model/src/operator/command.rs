//! What a request asks for.

/// One thing to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Command {
    /// Read files, perhaps a range of lines.
    Read {
        /// The files.
        paths: Vec<String>,
        /// First line, from 1.
        first: Option<u64>,
        /// How many lines.
        count: Option<u64>,
    },
    /// List a folder.
    List {
        /// The folder; `.` is the project.
        folder: String,
    },
    /// Find files by their names.
    Glob {
        /// The pattern.
        pattern: String,
        /// Below this folder.
        folder: Option<String>,
    },
    /// Find text in files.
    Find {
        /// The text, literally.
        text: String,
        /// Where.
        scope: Scope,
    },
    /// Create a file, or replace its whole content.
    Create {
        /// The file.
        path: String,
        /// The content, exactly.
        content: String,
    },
    /// Replace text.
    Replace {
        /// What is there.
        old: String,
        /// What shall be there.
        new: String,
        /// Every occurrence was asked for.
        all: bool,
        /// Where.
        scope: Scope,
    },
    /// Run a command.
    Run {
        /// The command line.
        command: String,
        /// Outside of the sandbox.
        outside: bool,
    },
    /// Ask the person.
    Ask {
        /// The question.
        question: String,
        /// The choices.
        choices: Vec<String>,
        /// Several may be chosen.
        multiple: bool,
    },
    /// Present a plan, and carry it out once it is approved.
    Plan {
        /// Its steps, a line each: each is a request of its own.
        text: String,
    },
    /// Have an agent do something else that the operator understands; several at the same time.
    Delegate {
        /// Of which kind.
        kind: String,
        /// What each is told.
        tasks: Vec<String>,
    },
    /// Run the project's tests, whatever they are.
    Test,
    /// Show around.
    Tour,
    /// Say what it understands.
    Help,
    /// Anything else.
    Unknown {
        /// The words.
        words: String,
    },
}

/// Where something is looked for or replaced.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Scope {
    /// Only files that match this pattern.
    pub(super) glob: Option<String>,
    /// Only these files.
    pub(super) files: Vec<String>,
    /// Only below this folder.
    pub(super) folder: Option<String>,
}

impl Scope {
    /// The whole project.
    pub(super) fn is_everywhere(&self) -> bool {
        *self == Self::default()
    }

    /// In words, for a sentence: "in the whole project".
    pub(super) fn words(&self) -> String {
        let files: Vec<String> = self.files.iter().map(|file| format!("`{file}`")).collect();
        match (&files[..], &self.glob, &self.folder) {
            ([], None, None) => "in the whole project".into(),
            ([], Some(glob), None) => format!("in files like `{glob}`"),
            ([], None, Some(folder)) => format!("below `{folder}`"),
            ([], Some(glob), Some(folder)) => format!("in files like `{glob}` below `{folder}`"),
            (files, ..) => format!("in {}", files.join(", ")),
        }
    }
}

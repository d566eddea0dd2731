//! The person's own editor: its command line from the settings, and how it is started.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

use adroit_protocol::permission::Position;

/// The editor could not be started.
#[derive(Debug, thiserror::Error)]
pub enum EditorError {
    /// The settings name none.
    #[error("no editor is named in the settings")]
    Unnamed,
    /// The command line cannot be read.
    #[error("the editor's command line `{command}` cannot be read: {reason}")]
    Unreadable {
        /// The command line.
        command: String,
        /// What is wrong.
        reason: String,
    },
    /// The program did not start.
    #[error("the editor `{program}` did not start: {source}")]
    Start {
        /// The program.
        program: String,
        /// Why.
        source: std::io::Error,
    },
}

impl EditorError {
    /// What the person can do.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::Unnamed => "Name one under Settings, Appearance, such as `code --goto {file}:{line}:{column}`.",
            Self::Unreadable { .. } => "Correct it under Settings, Appearance.",
            Self::Start { .. } => "Check under Settings, Appearance that the program is installed and its name is right.",
        }
        .to_owned()
    }
}

/// A command line with `{file}`, `{line}` and `{column}` in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EditorCommand {
    program: String,
    arguments: Vec<String>,
}

impl EditorCommand {
    /// Splits a command line into words. No shell reads it: what a file is called is never run.
    ///
    /// # Errors
    /// A quote is open, or there is no word.
    pub(crate) fn parse(command: &str) -> Result<Self, EditorError> {
        let unreadable = |reason: &str| EditorError::Unreadable {
            command: command.to_owned(),
            reason: reason.to_owned(),
        };
        let mut words = shell_words::split(command)
            .map_err(|error| unreadable(&error.to_string()))?
            .into_iter();
        let program = words.next().ok_or_else(|| unreadable("it is empty"))?;
        let mut arguments: Vec<String> = words.collect();
        if !arguments.iter().any(|word| word.contains("{file}")) {
            arguments.push("{file}".to_owned());
        }
        Ok(Self { program, arguments })
    }

    /// The arguments for a place. A file's name is put in last, so that braces in it stay as they are.
    fn arguments(&self, file: &Path, position: Option<Position>) -> Vec<OsString> {
        let (line, column) = position.map_or((1, 1), |at| (at.line, at.column));
        self.arguments
            .iter()
            .map(|word| {
                let word = word
                    .replace("{line}", &line.to_string())
                    .replace("{column}", &column.to_string());
                let mut filled = OsString::new();
                for (index, part) in word.split("{file}").enumerate() {
                    if index > 0 {
                        filled.push(file);
                    }
                    filled.push(part);
                }
                filled
            })
            .collect()
    }

    /// Starts it. It is the person's own program: it is not supervised, and stays when the app ends.
    ///
    /// # Errors
    /// It cannot be started.
    pub(crate) fn start(
        &self,
        file: &Path,
        position: Option<Position>,
        folder: &Path,
        environment: Vec<(OsString, OsString)>,
    ) -> Result<(), EditorError> {
        let started = Command::new(&self.program)
            .args(self.arguments(file, position))
            .current_dir(folder)
            .env_clear()
            .envs(environment)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let mut child = started.map_err(|source| EditorError::Start {
            program: self.program.clone(),
            source,
        })?;
        // Waited for, so that no dead entry of it is left in the process table.
        std::thread::spawn(move || child.wait());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(command: &str, file: &str, position: Option<Position>) -> Vec<String> {
        EditorCommand::parse(command)
            .unwrap()
            .arguments(Path::new(file), position)
            .into_iter()
            .map(|word| word.into_string().unwrap())
            .collect()
    }

    #[test]
    fn a_place_is_put_into_the_command() {
        let at = Some(Position {
            line: 12,
            column: 3,
        });
        assert_eq!(
            arguments("code --goto {file}:{line}:{column}", "/p/a b.rs", at),
            ["--goto", "/p/a b.rs:12:3"]
        );
        assert_eq!(
            arguments("\"my editor\" +{line} {file}", "/p/a", None),
            ["+1", "/p/a"]
        );
        // A command that names no file gets it at its end.
        assert_eq!(arguments("subl -w", "/p/a", at), ["-w", "/p/a"]);
    }

    #[test]
    fn what_a_file_is_called_is_one_word_as_it_is() {
        assert_eq!(
            arguments("ed {file}", "/p/{line} $(rm x) {file}", None),
            ["/p/{line} $(rm x) {file}"]
        );
    }

    #[test]
    fn a_command_that_cannot_be_read_says_what_is_wrong() {
        for (command, reason) in [("", "empty"), ("  ", "empty"), ("code 'x", "quote")] {
            let error = EditorCommand::parse(command).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
    }

    #[test]
    fn a_program_that_is_missing_is_named() {
        let error = EditorCommand::parse("no-such-editor-here")
            .unwrap()
            .start(Path::new("/tmp/x"), None, Path::new("/"), Vec::new())
            .unwrap_err();
        assert!(error.to_string().contains("no-such-editor-here"), "{error}");
    }
}

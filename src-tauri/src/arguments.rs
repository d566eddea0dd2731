//! The command line of the desktop app.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The text of `adroit --help`.
const HELP: &str = "\
Adroit: work with an AI coding agent on a project folder.

Usage: adroit [OPTIONS] [FOLDER]

Arguments:
  [FOLDER]          The project folder to open; without it the picker is shown

Options:
      --data-dir DIR  Keep settings, sessions and window state in DIR instead of
                      the user's own folders, as an instance apart
  -h, --help          Print this text
  -V, --version       Print the version";

/// How the app was started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The project folder to open, absolute.
    pub folder: Option<PathBuf>,
    /// Where everything is kept, absolute, when it is not the user's own folders.
    pub data_dir: Option<PathBuf>,
}

/// What a command line asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Invocation {
    /// Open the window.
    Open(Options),
    /// Print this and end.
    Print(String),
}

/// Why a command line was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArgumentError {
    /// An option that does not exist.
    #[error("there is no option `{0}`")]
    Unknown(String),
    /// An option without its value.
    #[error("`{0}` needs a value after it")]
    MissingValue(&'static str),
    /// A second folder.
    #[error("only one folder can be opened, and `{0}` is the second one")]
    SecondFolder(String),
    /// The folder is not one.
    #[error("`{0}` is not a folder")]
    NotAFolder(String),
}

/// Reads a command line without the program's name.
///
/// Relative paths are taken from `directory`, which for a second launch is the
/// folder of *that* process and not of this one.
///
/// # Errors
///
/// For an unknown option, a missing value, or a folder that does not exist.
pub fn parse_arguments(
    arguments: impl IntoIterator<Item = OsString>,
    directory: &Path,
) -> Result<Invocation, ArgumentError> {
    let mut options = Options::default();
    let mut only_paths = false;
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        let text = argument.to_string_lossy();
        if only_paths || !text.starts_with('-') || text == "-" {
            set_folder(&mut options, &argument, directory)?;
        } else if text == "--" {
            only_paths = true;
        } else if text == "-h" || text == "--help" {
            return Ok(Invocation::Print(HELP.to_owned()));
        } else if text == "-V" || text == "--version" {
            return Ok(Invocation::Print(format!(
                "adroit {}",
                env!("CARGO_PKG_VERSION")
            )));
        } else if text == "--data-dir" {
            let value = arguments
                .next()
                .ok_or(ArgumentError::MissingValue("--data-dir"))?;
            options.data_dir = Some(directory.join(value));
        } else if let Some(value) = text.strip_prefix("--data-dir=") {
            if value.is_empty() {
                return Err(ArgumentError::MissingValue("--data-dir"));
            }
            options.data_dir = Some(directory.join(value));
        } else {
            return Err(ArgumentError::Unknown(text.into_owned()));
        }
    }
    Ok(Invocation::Open(options))
}

fn set_folder(
    options: &mut Options,
    argument: &OsString,
    directory: &Path,
) -> Result<(), ArgumentError> {
    let shown = || argument.to_string_lossy().into_owned();
    if options.folder.is_some() {
        return Err(ArgumentError::SecondFolder(shown()));
    }
    let folder = directory
        .join(argument)
        .canonicalize()
        .map_err(|_| ArgumentError::NotAFolder(shown()))?;
    if !folder.is_dir() {
        return Err(ArgumentError::NotAFolder(shown()));
    }
    options.folder = Some(folder);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(directory: &Path, arguments: &[&str]) -> Result<Invocation, ArgumentError> {
        parse_arguments(arguments.iter().map(OsString::from), directory)
    }

    fn root() -> &'static Path {
        Path::new(env!("CARGO_MANIFEST_DIR"))
    }

    #[test]
    fn nothing_opens_the_picker() {
        assert_eq!(parse(root(), &[]), Ok(Invocation::Open(Options::default())));
    }

    #[test]
    fn a_folder_is_taken_from_the_given_directory() {
        let expected = Options {
            folder: root().join("src-tauri").canonicalize().ok(),
            data_dir: None,
        };
        assert!(expected.folder.is_some());
        assert_eq!(
            parse(root(), &["src-tauri"]),
            Ok(Invocation::Open(expected.clone()))
        );
        assert_eq!(
            parse(root(), &["--", "src-tauri"]),
            Ok(Invocation::Open(expected))
        );
    }

    #[test]
    fn a_data_dir_may_be_written_both_ways_and_need_not_exist() {
        let expected = Options {
            folder: None,
            data_dir: Some(root().join("new")),
        };
        assert_eq!(
            parse(root(), &["--data-dir", "new"]),
            Ok(Invocation::Open(expected.clone()))
        );
        assert_eq!(
            parse(root(), &["--data-dir=new"]),
            Ok(Invocation::Open(expected))
        );
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        assert_eq!(
            parse(root(), &["--fast"]),
            Err(ArgumentError::Unknown("--fast".into()))
        );
        assert_eq!(
            parse(root(), &["--data-dir"]),
            Err(ArgumentError::MissingValue("--data-dir"))
        );
        assert_eq!(
            parse(root(), &["--data-dir="]),
            Err(ArgumentError::MissingValue("--data-dir"))
        );
        assert_eq!(
            parse(root(), &["src-tauri", "ui"]),
            Err(ArgumentError::SecondFolder("ui".into()))
        );
        for not_a_folder in ["no-such-folder", "Cargo.toml"] {
            assert_eq!(
                parse(root(), &[not_a_folder]),
                Err(ArgumentError::NotAFolder(not_a_folder.into()))
            );
        }
    }

    #[test]
    fn help_and_version_print() {
        assert!(matches!(parse(root(), &["-h"]), Ok(Invocation::Print(text)) if text == HELP));
        assert!(matches!(
            parse(root(), &["ui", "-V"]),
            Ok(Invocation::Print(_))
        ));
    }
}

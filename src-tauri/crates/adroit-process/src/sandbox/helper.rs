//! The mode in which our own executable confines itself and then becomes the
//! command. The app itself cannot: a thread of it would be confined for good, and
//! between fork and exec nothing may be allocated.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use super::policy::{SandboxNetwork, SandboxPolicy};

/// The first argument, which asks for the mode.
pub(crate) const MODE: &str = "--adroit-sandbox";
const WRITE: &str = "--write";
const NO_NETWORK: &str = "--no-network";
const END: &str = "--";

/// The exit code of a command that was not run: shells use it for a program that
/// cannot be executed.
const NOT_RUN: u8 = 126;

/// Everything that stands before the command's own program.
pub(super) fn arguments(policy: &SandboxPolicy) -> Vec<OsString> {
    let mut words = vec![OsString::from(MODE)];
    for place in policy.writable.iter().chain(&policy.granted) {
        words.push(WRITE.into());
        words.push(place.clone().into_os_string());
    }
    // It cannot tell one host from another.
    if policy.network != SandboxNetwork::On {
        words.push(NO_NETWORK.into());
    }
    words.push(END.into());
    words
}

/// What the arguments ask for.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Asked {
    pub(super) writable: Vec<PathBuf>,
    pub(super) no_network: bool,
    pub(super) program: PathBuf,
    pub(super) args: Vec<OsString>,
}

/// Reads them. Anything unknown is refused: a restriction that is not understood
/// must not be left out.
fn parse(mut words: impl Iterator<Item = OsString>) -> Option<Asked> {
    let mut asked = Asked::default();
    loop {
        let word = words.next()?;
        match word.to_str()? {
            WRITE => asked.writable.push(words.next()?.into()),
            NO_NETWORK => asked.no_network = true,
            END => break,
            _ => return None,
        }
    }
    asked.program = words.next()?.into();
    asked.args = words.collect();
    Some(asked)
}

/// Confines this process and runs the command in its place. Returns only where it
/// was not run.
pub(crate) fn run(words: impl Iterator<Item = OsString>) -> ExitCode {
    let reason = match parse(words) {
        Some(asked) => become_command(&asked),
        None => "its arguments were not understood".to_owned(),
    };
    eprintln!("adroit: the command was not run, because the sandbox failed: {reason}");
    ExitCode::from(NOT_RUN)
}

#[cfg(target_os = "linux")]
fn become_command(asked: &Asked) -> String {
    use std::os::unix::process::CommandExt as _;
    if let Err(reason) = super::landlock::confine(asked) {
        return reason;
    }
    let error = std::process::Command::new(&asked.program)
        .args(&asked.args)
        .exec();
    format!("{} cannot be started: {error}", asked.program.display())
}

#[cfg(not(target_os = "linux"))]
fn become_command(_asked: &Asked) -> String {
    "there is no landlock on this system".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_is_understood() {
        let policy = SandboxPolicy {
            writable: vec!["/p".into(), "/--".into()],
            granted: vec!["/etc/hosts".into()],
            network: SandboxNetwork::Off,
            ..SandboxPolicy::default()
        };
        let mut words = arguments(&policy);
        words.extend(["/bin/sh".into(), "-c".into(), "--write".into()]);
        assert_eq!(words[0], MODE);
        assert_eq!(
            parse(words.into_iter().skip(1)),
            Some(Asked {
                writable: vec!["/p".into(), "/--".into(), "/etc/hosts".into()],
                no_network: true,
                program: "/bin/sh".into(),
                args: vec!["-c".into(), "--write".into()],
            })
        );
    }

    #[test]
    fn an_unknown_or_missing_word_is_refused() {
        for words in [
            vec!["--read", "/p", "--", "/bin/sh"],
            vec!["--write"],
            vec!["--write", "/p"],
            vec!["--"],
            vec![],
        ] {
            let words = words.into_iter().map(OsString::from);
            assert_eq!(parse(words), None);
        }
    }
}

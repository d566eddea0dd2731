//! `run` and `web`: the app on a folder.

use crate::outcome::Outcome;
use crate::process::{self, cargo};
use crate::{interface, setup};
use std::path::PathBuf;
use std::process::Command;

/// Builds the app and opens its window.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let release = arguments.iter().any(|argument| argument == "--release");
    let folder = folder(arguments.iter().filter(|argument| *argument != "--release"))?;
    // Said before minutes of building, not after.
    display()?;
    setup::for_running()?;
    interface::build()?;
    process::run(&mut app_build(release))?;
    let profile = if release { "release" } else { "debug" };
    process::run(Command::new(crate::target_dir().join(profile).join("adroit")).arg(folder))
}

/// Builds the loopback host and serves the app to a browser.
pub(crate) fn web(arguments: &[String]) -> Outcome {
    let folder = folder(arguments.iter())?;
    setup::for_web()?;
    interface::build()?;
    process::run(cargo().args(["build", "--package", "adroit-devserver"]))?;
    let server = crate::target_dir().join("debug/adroit-devserver");
    process::run(
        Command::new(server)
            .arg("--ui")
            .arg(crate::root().join("ui/dist"))
            .arg(folder),
    )
}

/// The build of the app with its UI inside.
pub(crate) fn app_build(release: bool) -> Command {
    let mut command = cargo();
    command.args(["build", "--package", "adroit", "--bin", "adroit"]);
    // Without it the app looks for a development server.
    command.args(["--features", "custom-protocol"]);
    if release {
        command.arg("--release");
    }
    command
}

fn folder<'a>(mut arguments: impl Iterator<Item = &'a String>) -> Outcome<PathBuf> {
    let given = arguments.next().map_or(".", String::as_str);
    if let Some(option) = given.strip_prefix('-') {
        return Err(format!("there is no option `-{option}` here").into());
    }
    if let Some(second) = arguments.next() {
        return Err(format!("only one folder can be opened, and `{second}` is the second").into());
    }
    let path = PathBuf::from(given);
    match path.canonicalize() {
        Ok(folder) if folder.is_dir() => Ok(folder),
        _ => Err(format!("`{given}` is not a folder").into()),
    }
}

fn display() -> Outcome {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if !cfg!(target_os = "linux") || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY") {
        return Ok(());
    }
    Err(
        "there is no display to open a window on: neither DISPLAY nor WAYLAND_DISPLAY is set.\n\
         - On this machine: start it from a desktop session.\n\
         - Over SSH: connect with `ssh -X`.\n\
         - On a server: `apt-get install xvfb xauth`, then `xvfb-run -a cargo xtask run FOLDER`.\n\
         - Without any window: `cargo xtask web FOLDER` serves the same app to a browser."
            .into(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(arguments: &[&str]) -> Outcome<PathBuf> {
        let arguments: Vec<String> = arguments.iter().map(|&argument| argument.into()).collect();
        folder(arguments.iter())
    }

    #[test]
    fn one_folder_or_here() {
        let here = PathBuf::from(".").canonicalize().unwrap();
        assert_eq!(check(&[]).unwrap(), here);
        assert_eq!(check(&["src"]).unwrap(), here.join("src"));
        for refused in [
            &["no-such-folder"][..],
            &["Cargo.toml"],
            &["--fast"],
            &["src", "src"],
        ] {
            assert!(check(refused).is_err(), "{refused:?}");
        }
    }
}

//! What the machine must have, and how it gets it.

use crate::outcome::Outcome;
use crate::process::{self, exists, npm, output};
use std::io::IsTerminal;
use std::path::Path;
use std::process::Command;

/// The oldest Node that the UI's tools run on.
const OLDEST_NODE: u32 = 20;

/// Debian packages that building and running the app needs.
const TO_RUN: &[&str] = &[
    "build-essential",
    "pkg-config",
    "libwebkit2gtk-4.1-dev",
    // A window without any font shows boxes.
    "fonts-dejavu-core",
];

/// Debian packages that the tests need beside those.
const TO_TEST: &[&str] = &[
    "chromium",
    // Programs that tests start.
    "bubblewrap",
    "curl",
    "dbus",
    "git",
    "procps",
    "python3",
    "vim-tiny",
    "zsh",
    // The drawing that the webview wants where there is no graphics card.
    "libegl1",
    "libgl1-mesa-dri",
    "webkit2gtk-driver",
    "xvfb",
];

/// Debian packages that the benchmarks compare with.
const TO_BENCH: &[&str] = &[
    "build-essential",
    "chromium",
    "git",
    "pkg-config",
    "ripgrep",
];

/// Gets everything that `run` needs.
pub(crate) fn for_running() -> Outcome {
    packages(TO_RUN)?;
    interface_packages()
}

/// Gets everything that the loopback host needs: no webview.
pub(crate) fn for_web() -> Outcome {
    packages(&["build-essential", "pkg-config"])?;
    interface_packages()
}

/// Gets everything that every test needs.
pub(crate) fn for_tests() -> Outcome {
    packages(&[TO_RUN, TO_TEST].concat())?;
    interface_packages()
}

/// Gets everything that the benchmarks need.
pub(crate) fn for_benchmarks() -> Outcome {
    packages(TO_BENCH)
}

/// Installs the Debian packages of a list that are missing.
fn packages(wanted: &[&str]) -> Outcome {
    if !cfg!(target_os = "linux") {
        return Ok(());
    }
    if !exists("dpkg-query") || !exists("apt-get") {
        println!(
            "This system has no apt, so nothing was installed. If the build fails, install what \
             these Debian packages hold: {}",
            wanted.join(" ")
        );
        return Ok(());
    }
    let listing =
        output(Command::new("dpkg-query").args(["-W", "-f", "${Package} ${db:Status-Status}\\n"]))
            .unwrap_or_default();
    let missing = missing(wanted, &listing);
    if missing.is_empty() {
        return Ok(());
    }
    println!("Missing system packages: {}", missing.join(" "));
    let install = [
        &[
            "apt-get",
            "install",
            "-y",
            "--no-install-recommends",
            "-o",
            "DPkg::Lock::Timeout=600",
        ],
        missing.as_slice(),
    ]
    .concat();
    let Some(mut prefix) = elevation() else {
        return Err(format!(
            "these packages must be installed and this user may not (not root, and no usable \
             sudo). Run this once, then try again:\n\n    sudo apt-get update && sudo {}\n",
            install.join(" ")
        )
        .into());
    };
    prefix.extend(["env", "DEBIAN_FRONTEND=noninteractive"]);
    // One unreachable mirror among several makes an update fail, and the
    // installation may well succeed.
    if let Err(problem) = process::run(&mut command(&prefix, &["apt-get", "update"])) {
        eprintln!("xtask: {problem}; going on with the package lists as they are");
    }
    process::run(&mut command(&prefix, &install)).map_err(|problem| {
        format!(
            "{problem}\nThe packages could not be installed. Is the network reachable, and does \
             /etc/apt name a Debian mirror? By hand: sudo {}",
            install.join(" ")
        )
        .into()
    })
}

/// The packages of a list that dpkg does not call installed.
fn missing<'a>(wanted: &[&'a str], listing: &str) -> Vec<&'a str> {
    let installed = |name: &&str| {
        listing.lines().any(|line| {
            line.split_once(' ')
                .is_some_and(|(package, status)| package == *name && status.trim() == "installed")
        })
    };
    wanted
        .iter()
        .filter(|name| !installed(name))
        .copied()
        .collect()
}

/// What to put before a command that needs root, or nothing where it cannot be had.
fn elevation() -> Option<Vec<&'static str>> {
    if output(Command::new("id").arg("-u")).is_some_and(|id| id.trim() == "0") {
        return Some(Vec::new());
    }
    if !exists("sudo") {
        return None;
    }
    if output(Command::new("sudo").args(["-n", "true"])).is_some() {
        return Some(vec!["sudo", "-n"]);
    }
    // Someone who can type a password may.
    std::io::stdin().is_terminal().then(|| vec!["sudo"])
}

fn command(prefix: &[&str], rest: &[&str]) -> Command {
    let mut words = prefix.iter().chain(rest);
    let mut command = Command::new(words.next().copied().unwrap_or("true"));
    command.args(words);
    command
}

/// Installs the UI's packages where its lock changed since they were.
pub(crate) fn interface_packages() -> Outcome {
    node()?;
    let interface = crate::root().join("ui");
    let wanted = read(&interface.join("package-lock.json"))?;
    let stamp = interface.join("node_modules/.adroit-lock");
    if std::fs::read(&stamp).is_ok_and(|present| present == wanted) {
        return Ok(());
    }
    process::run(npm().args(["ci", "--no-audit", "--no-fund"])).map_err(|problem| {
        format!("{problem}\nIs the npm registry reachable? `npm config get registry` names it.")
    })?;
    std::fs::write(&stamp, wanted)
        .map_err(|error| format!("{} could not be written: {error}", stamp.display()).into())
}

fn read(path: &Path) -> Outcome<Vec<u8>> {
    std::fs::read(path)
        .map_err(|error| format!("{} could not be read: {error}", path.display()).into())
}

/// Checks that Node is there and new enough.
fn node() -> Outcome {
    const HOW: &str = "Install Node 20 or newer: https://nodejs.org/en/download";
    let version = output(Command::new("node").arg("--version"))
        .ok_or_else(|| format!("Node is not installed. {HOW}"))?;
    if node_major(&version).is_none_or(|major| major < OLDEST_NODE) {
        return Err(format!("Node {} is too old. {HOW}", version.trim()).into());
    }
    if !exists("npm") {
        return Err(format!("Node is here but npm is not. {HOW}").into());
    }
    Ok(())
}

fn node_major(version: &str) -> Option<u32> {
    version
        .trim()
        .strip_prefix('v')?
        .split('.')
        .next()?
        .parse()
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_installed_counts_as_installed() {
        let listing = "git installed\nxvfb config-files\nchromium-common installed\n";
        assert_eq!(
            missing(&["git", "xvfb", "chromium"], listing),
            ["xvfb", "chromium"]
        );
        assert_eq!(missing(&["git"], ""), ["git"]);
    }

    #[test]
    fn a_version_of_node() {
        assert_eq!(node_major("v20.20.2\n"), Some(20));
        assert_eq!(node_major("v8.0.0"), Some(8));
        assert_eq!(node_major("what"), None);
    }

    #[test]
    fn a_command_with_and_without_elevation() {
        assert_eq!(
            process::shown(&command(&[], &["apt-get", "update"])),
            "apt-get update"
        );
        assert_eq!(
            process::shown(&command(&["sudo", "-n"], &["id"])),
            "sudo -n id"
        );
    }
}

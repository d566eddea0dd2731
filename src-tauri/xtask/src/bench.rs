//! `bench`: every benchmark of the workspace.

use std::process::Command;

use crate::outcome::Outcome;
use crate::process::{self, cargo};
use crate::{setup, tidy};

/// The section that looks at the page: frames of a review, in a release build of it.
const PAGE: &str = "review page frames";

/// Builds and runs the benchmarks of every member that has some, one after the
/// other: two at once would measure each other.
pub(crate) fn run(filters: &[String]) -> Outcome {
    setup::for_benchmarks()?;
    let members = tidy::metadata::members()?;
    let with_benchmarks: Vec<_> = members
        .iter()
        .filter(|member| !member.benches.is_empty())
        .collect();
    if with_benchmarks.is_empty() {
        return Err("no member of the workspace has a benchmark".into());
    }
    for member in with_benchmarks {
        for bench in &member.benches {
            let mut command = cargo();
            command.args(["bench", "--package", &member.name, "--bench", bench, "--"]);
            command.args(filters);
            process::run(&mut command)?;
        }
    }
    // The words choose among sections of each benchmark; of the page there is one.
    let wants_page = filters.is_empty() || filters.iter().any(|word| PAGE.contains(word.as_str()));
    if wants_page {
        setup::interface_packages()?;
        let mut frames = Command::new("node");
        frames
            .current_dir(crate::root().join("ui"))
            .arg("test/frames.mjs");
        process::run(&mut frames)?;
    }
    Ok(())
}

//! The UI's types, written from the protocol crate.

use crate::outcome::Outcome;
use crate::process::{cargo, shown};
use std::process::{Command, Stdio};

/// Where they are kept, in git.
const GENERATED: &str = "ui/src/generated/protocol.ts";

/// Writes the types, or with `--check` says whether they are what they should be.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let check = match arguments {
        [] => false,
        [flag] if flag == "--check" => true,
        _ => return Err("codegen takes nothing but `--check`".into()),
    };
    compare(&generate(&mut exporter())?, check)
}

/// `--check` with the exporter that a build of the whole workspace has made: a build of the
/// one package would resolve other features and build its dependencies again.
pub(crate) fn check_built() -> Outcome {
    let exporter = crate::target_dir().join("debug/examples/export");
    compare(&generate(&mut Command::new(exporter))?, true)
}

/// Writes the types where they are not what they should be, or with `check` says so.
fn compare(fresh: &str, check: bool) -> Outcome {
    let path = crate::root().join(GENERATED);
    let present = std::fs::read_to_string(&path).unwrap_or_default();
    if present == fresh {
        println!("{GENERATED} is up to date.");
        return Ok(());
    }
    if check {
        return Err(format!(
            "{GENERATED} is not what the protocol crate says:\n{}\nRun `cargo xtask codegen` and \
             commit the result.",
            first_difference(&present, fresh)
        )
        .into());
    }
    let written = path.parent().map_or(Ok(()), std::fs::create_dir_all);
    written
        .and_then(|()| std::fs::write(&path, fresh))
        .map_err(|error| format!("{GENERATED} could not be written: {error}"))?;
    println!("Wrote {GENERATED}.");
    Ok(())
}

/// The program that prints the types, built where it is not.
fn exporter() -> Command {
    let mut command = cargo();
    command.args([
        "run",
        "--quiet",
        "--package",
        "adroit-protocol",
        "--example",
        "export",
    ]);
    command
}

fn generate(command: &mut Command) -> Outcome<String> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("`{}` could not be started: {error}", shown(command)))?;
    if !output.status.success() {
        return Err(format!("`{}` failed ({})", shown(command), output.status).into());
    }
    String::from_utf8(output.stdout).map_err(|_| "the generated types are not UTF-8".into())
}

/// The first line that is not the same, as it is and as it should be.
fn first_difference(present: &str, fresh: &str) -> String {
    let mut number = 0;
    let (mut left, mut right) = (present.lines(), fresh.lines());
    loop {
        number += 1;
        match (left.next(), right.next()) {
            (None, None) => return "  (only the line endings differ)".into(),
            (is, should) if is == should => {}
            (is, should) => {
                let (is, should) = (is.unwrap_or("(end)"), should.unwrap_or("(end)"));
                return format!(
                    "  line {number} is:        {is}\n  line {number} should be: {should}"
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::first_difference;

    #[test]
    fn the_first_difference_is_shown() {
        let shown = first_difference("a\nb\n", "a\nc\n");
        assert_eq!(shown, "  line 2 is:        b\n  line 2 should be: c");
        assert!(first_difference("a\n", "a\nb\n").contains("line 2 is:        (end)"));
        assert!(first_difference("a\r\n", "a\n").contains("line endings"));
    }
}

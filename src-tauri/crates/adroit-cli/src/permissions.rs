//! `permissions check`: decisions about calls that nobody makes.

use std::io::{BufRead as _, Write as _};

use adroit_permissions::{CheckContext, check_line};

use crate::arguments::CheckArguments;

pub(crate) fn check(arguments: &CheckArguments) -> anyhow::Result<bool> {
    let context = CheckContext {
        workspace: arguments.workspace.clone(),
        home: arguments.home.clone(),
        mode: arguments.mode,
    };
    let mut output = std::io::stdout().lock();
    for line in std::io::stdin().lock().split(b'\n') {
        // A line that is not UTF-8 is answered as one that is no query; the others go on.
        let line = String::from_utf8_lossy(&line?).into_owned();
        if line.trim().is_empty() {
            continue;
        }
        // One answer a line, at once: a caller may wait for it before it asks the next.
        writeln!(output, "{}", check_line(&line, &context))?;
        output.flush()?;
    }
    Ok(true)
}

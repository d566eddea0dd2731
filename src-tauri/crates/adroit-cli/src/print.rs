//! What goes to the terminal. A reader that went away (`… | head -1`) ends no run: what it
//! began is brought to its end and recorded, and there is nobody to tell.

use std::io::Write as _;

/// One JSON line in one write, so that lines of several threads never mix.
pub(crate) fn line(value: &impl serde::Serialize) {
    let mut line = match serde_json::to_vec(value) {
        Ok(line) => line,
        Err(error) => {
            format!("{{\"type\":\"error\",\"message\":{:?}}}", error.to_string()).into_bytes()
        }
    };
    line.push(b'\n');
    let _ = std::io::stdout().lock().write_all(&line);
}

/// A text for the person on the output.
pub(crate) fn text(text: &str) {
    let _ = writeln!(std::io::stdout().lock(), "{text}");
}

/// A text for the person on the error output.
pub(crate) fn remark(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// What is wrong with the settings, before anything is done by them.
pub(crate) fn settings_problems(headless: &adroit_host::headless::Headless) {
    for problem in headless.settings_problems() {
        remark(&format!("adroit-cli: {problem}"));
    }
}

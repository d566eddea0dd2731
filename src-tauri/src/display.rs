//! Whether there is a screen to open a window on.

/// What to tell someone who has no display, or nothing when there is one.
///
/// GTK would abort with a message that helps nobody.
#[must_use]
pub fn display_problem() -> Option<&'static str> {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    problem(
        cfg!(target_os = "linux"),
        is_set("DISPLAY"),
        is_set("WAYLAND_DISPLAY"),
    )
}

fn problem(linux: bool, x11: bool, wayland: bool) -> Option<&'static str> {
    (linux && !x11 && !wayland).then_some(
        "there is no display to open a window on: neither DISPLAY nor WAYLAND_DISPLAY is set.\n\
         - On this machine: start it from a desktop session.\n\
         - Over SSH: connect with `ssh -X`.\n\
         - On a server: `apt-get install xvfb`, then `xvfb-run -a adroit FOLDER`.\n\
         - Without any window: `cargo xtask web FOLDER` serves the same app to a browser.",
    )
}

#[cfg(test)]
mod tests {
    use super::problem;

    #[test]
    fn one_display_is_enough_and_only_linux_needs_one() {
        assert!(problem(true, false, false).is_some_and(|text| text.contains("xvfb-run")));
        assert_eq!(problem(true, true, false), None);
        assert_eq!(problem(true, false, true), None);
        assert_eq!(problem(false, false, false), None);
    }
}

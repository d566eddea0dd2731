//! Which variables may be set without changing what runs.

/// Assignments before a command that change nothing but how it prints.
/// Allow rules match past these.
pub(crate) fn is_safe_before_command(name: &str, value: Option<&str>) -> bool {
    let known = matches!(
        name,
        "LANG"
            | "LANGUAGE"
            | "TZ"
            | "NO_COLOR"
            | "FORCE_COLOR"
            | "CLICOLOR"
            | "CLICOLOR_FORCE"
            | "NODE_ENV"
            | "COLUMNS"
            | "LINES"
            | "TERM"
    ) || name
        .strip_prefix("LC_")
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_uppercase()));
    // A locale or zone may be named by a path, whose file is then read.
    known && value.is_some_and(|value| !value.starts_with(['/', ':', '.']) && !value.contains(".."))
}

/// As [`is_safe_before_command`], and those whose value makes them harmless.
pub(crate) fn is_harmless_before_command(name: &str, value: Option<&str>) -> bool {
    is_safe_before_command(name, value)
        || matches!(
            (name, value),
            (
                "PAGER" | "GIT_PAGER" | "MANPAGER" | "GH_PAGER" | "SYSTEMD_PAGER" | "BAT_PAGER",
                Some("cat" | "")
            ) | ("GIT_OPTIONAL_LOCKS" | "GIT_TERMINAL_PROMPT", Some("0"))
                | (
                    "CI" | "PYTHONUNBUFFERED" | "PYTHONDONTWRITEBYTECODE",
                    Some("1" | "true" | "0")
                )
                | ("RUST_BACKTRACE", Some("0" | "1" | "full"))
        )
}

/// Whether its value is a command that some program runs: `GIT_PAGER`, `EDITOR`, `RUSTC_WRAPPER`.
pub(crate) fn names_program(name: &str) -> bool {
    const ENDS: &[&str] = &[
        "PAGER",
        "EDITOR",
        "VISUAL",
        "BROWSER",
        "COMMAND",
        "ASKPASS",
        "WRAPPER",
        "LESSOPEN",
        "LESSCLOSE",
        "RUNNER",
        "SHELL",
        "_SSH",
        "_RSH",
        "_DIFF",
        "_MERGE",
        "_LINKER",
        "_PROGRAM",
    ];
    ENDS.iter().any(|end| name.ends_with(end))
}

/// A variable of the shell that no program reads: assigning it as a statement
/// of its own cannot change what a later command does, except where it is used.
pub(crate) fn is_local_name(name: &str) -> bool {
    let is_lower = name
        .bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
        && name.bytes().any(|byte| byte.is_ascii_lowercase());
    // Programs and the shell itself read these.
    let is_read = name.ends_with("_proxy")
        || name.starts_with("npm_")
        || name == "histchars"
        || name == "auto_resume";
    (is_lower && !is_read)
        || matches!(
            name,
            "FILE"
                | "FILES"
                | "DIR"
                | "DIRS"
                | "NAME"
                | "NAMES"
                | "COUNT"
                | "TOTAL"
                | "PATTERN"
                | "VERSION"
                | "BRANCH"
                | "BASE"
                | "ROOT"
                | "SRC"
                | "DEST"
                | "TARGET"
                | "RESULT"
                | "RESULTS"
                | "LINE"
                | "WORD"
                | "VAR"
                | "FOO"
                | "BAR"
                | "BAZ"
                | "OUTPUT"
                | "INPUT"
                | "TEXT"
                | "MSG"
                | "MESSAGE"
                | "LIST"
                | "ITEM"
                | "ITEMS"
                | "KEY"
                | "VALUE"
                | "VAL"
                | "NUM"
                | "ID"
                | "HASH"
                | "COMMIT"
                | "SHA"
                | "TAG"
                | "NOW"
                | "START"
                | "END"
                | "PORT"
                | "URL"
                | "PROJECT"
                | "PACKAGE"
                | "PKG"
                | "MODULE"
                | "LOGFILE"
                | "ERRORS"
                | "STATUS"
                | "CODE"
                | "EXIT_CODE"
                | "SIZE"
                | "MATCHES"
                | "FOUND"
                | "QUERY"
        )
        // One letter: neither the shell nor programs read any.
        || matches!(name.as_bytes(), [b'A'..=b'Z'])
}

//! What the targets begin from: the cases of the repository.

use crate::SEPARATOR;

const EVERYDAY: &str = include_str!("../../crates/adroit-shell/cases/everyday.txt");
const TOOLS: &str = include_str!("../../crates/adroit-shell/cases/tools.txt");
const WORKING: &str = include_str!("../../crates/adroit-shell/cases/working.txt");

/// Shapes that the lists of commands have none of.
const ODD: &[&str] = &[
    "cat <<'E'\n$(rm x)\nE",
    "cat <<A <<B\na\nA\nb\nB",
    "x=$'\\x72m'; $x y",
    "f() { f | f & }; f",
    "case x in a) ls;; *) rm y;; esac",
    "select x in a; do ls; done",
    "echo ${x:-$(rm y)} ${a[$(rm z)]} $((a[$(rm b)]))",
    "ls \\\n  -la # comment\n",
    "[[ -v 'a[$(rm x)]' && $a -eq b ]]",
    "echo \"$(echo \"$(echo \\\"x\\\")\")\"",
    "{ls,-la} {a..c} {1..3}",
    "ls |& cat &> x 2>&1 >| y",
];

/// Commands: one case each.
#[must_use]
pub fn commands() -> Vec<Vec<u8>> {
    lines(EVERYDAY)
        .chain(lines(TOOLS))
        .chain(lines(WORKING))
        .map(|line| line.split_once(' ').map_or(line, |(_, command)| command))
        .chain(ODD.iter().copied())
        .map(|command| command.as_bytes().to_vec())
        .collect()
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// A rule, a tool and what it is called with.
#[must_use]
pub fn rules() -> Vec<Vec<u8>> {
    const RULES: &[&str] = &[
        "Bash",
        "Bash(*)",
        "Bash(git push:*)",
        "Bash(git * main)",
        "Bash(rm *)",
        "Bash(npm run test)",
        "Read(.env)",
        "Read(./secrets/**)",
        "Read(//etc/*.conf)",
        "Read(~/.ssh/**)",
        "Edit(/src/**/*.rs)",
        "Edit(**)",
        "Edit([ab]?*.md)",
        "WebFetch(domain:*.example.org)",
        "mcp__jira__*",
        "Agent(review)",
        "Bash(",
        "Read()",
        "Edit(!a)",
        "Bash(a\\b)",
        "*",
    ];
    const CALLS: &[(u8, &str)] = &[
        (0, "git push origin main"),
        (0, "ls && rm -rf build"),
        (0, "cat .env secrets/a"),
        (0, "git $x"),
        (0, "sed -i s/a/b/ src/a.rs"),
        (1, "/w/project/.env"),
        (1, "/home/dev/.ssh/id"),
        (2, "/w/project/src/a/b.rs"),
        (2, "/w/project/.git/config"),
        (3, "https://docs.example.org/a"),
        (3, "https://example.org.evil.net:8080"),
    ];
    RULES
        .iter()
        .flat_map(|rule| {
            CALLS
                .iter()
                .map(|(tool, argument)| joined(&[rule.as_bytes(), &[*tool], argument.as_bytes()]))
        })
        .collect()
}

/// Settings files, whole ones and broken ones.
#[must_use]
pub fn settings() -> Vec<Vec<u8>> {
    [
        "{}",
        "",
        "[]",
        "{",
        "null",
        "\u{feff}{\"permissions\": {}}",
        "{\"permissions\": {\"allow\": [\"Bash(ls:*)\"], \"deny\": [\"Read(.env)\", 3], \"ask\": [\"Edit\"]}}",
        "{\"permissions\": {\"defaultMode\": \"acceptEdits\", \"additionalDirectories\": [\"../x\"]}}",
        "{\n  // a comment\n  \"permissions\": {\"deny\": [\"Bash(\"]},\n}",
        "{\"permissions\": {\"disableBypassPermissionsMode\": \"disable\"}}",
        "{\"hooks\": {\"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": \"x\"}]}]}}",
        "{\"hooks\": {\"PreToolUse\": 3}, \"model\": {}, \"execution\": {\"sandbox\": \"auto\"}}",
        "{\"appearance\": {\"theme\": \"dark\"}, \"telemetry\": {\"otlp\": {\"enabled\": true}}}",
        "{\"permissions\": {\"allow\": [\"a\"]}, \"permissions\": {\"allow\": [\"b\"]}}",
        "{\"permissions\": {\"allow\": [\"Bash(a\\u0000b)\"]}}",
    ]
    .iter()
    .map(|text| text.as_bytes().to_vec())
    .collect()
}

/// Inputs of tools.
#[must_use]
pub fn inputs() -> Vec<Vec<u8>> {
    [
        "{\"command\": \"ls\"}",
        "{\"command\": \"ls\", \"timeout\": \"5000\"}",
        "{\"command\": 3}",
        "{\"command\": \"ls\", \"file_path\": null, \"path\": null}",
        "{\"command\": \"ls\", \"ratio\": \"1e3\", \"replace_all\": \"true\"}",
        "{\"command\": \"ls\", \"mode\": \"all\", \"more\": 1}",
        "{\"command\": \"\", \"url\": \"ftp://h\"}",
        "{\"todos\": [{\"content\": \"a\", \"done\": \"false\"}]}",
        "{\"command\": \"ls\", \"todos\": [{\"content\": \"a\", \"inner\": {\"content\": 3}}]}",
        "{\"command\": \"ls\", \"timeout\": 1e400}",
        "{\"command\": \"ls\", \"timeout\": -1}",
        "[1, 2]",
        "\"ls\"",
        "null",
        "{\"command\": \"a\", \"command\": \"b\"}",
    ]
    .iter()
    .map(|text| text.as_bytes().to_vec())
    .collect()
}

/// What to replace, by what, and the bytes of a file.
#[must_use]
pub fn edits() -> Vec<Vec<u8>> {
    [
        ("two", "zwei", &b"one\ntwo\nthree\n"[..]),
        ("two\n", "", b"one\r\ntwo\r\nthree"),
        ("a", "b", b"a a a"),
        ("one\ntwo", "two\none", b"one\rtwo\rthree\r"),
        ("x", "y", b"\xef\xbb\xbfx\n"),
        ("x", "\u{20ac}", b"caf\xe9 x\n"),
        ("x", "yy", &[0xfe, 0xfe, 0, b'x', 0, b'\n']),
        ("\u{e9}", "e", "\u{e9}t\u{e9}\n".as_bytes()),
        ("aa", "a", b"aaaa"),
        ("", "x", b"x"),
        ("\t", "    ", b"\ta\n\tb\n\r\n"),
    ]
    .iter()
    .map(|(old, new, bytes)| joined(&[old.as_bytes(), new.as_bytes(), bytes]))
    .collect()
}

fn joined(parts: &[&[u8]]) -> Vec<u8> {
    parts.join(&SEPARATOR)
}

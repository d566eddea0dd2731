//! What the operator says of itself.

/// The list of commands. `language.md` is the long form.
pub(super) const HELP: &str = r#"I am the **offline operator**: I work without a key and without a network, and I do exactly what you say. This is what I understand:

| say | and I |
|---|---|
| `read FILE` | show a file (`read FILE lines 10-20`) |
| `list` or `list FOLDER` | list what is there |
| `find TEXT` or `find TEXT in *.rs` | search in the files |
| `find files *.md` | look for files by name |
| `create FILE with CONTENT` | write a file; a fenced block is content, too |
| `replace OLD with NEW in FILE` | change a file |
| `replace OLD with NEW in all files` | change every file that has it, one approval each |
| `run COMMAND` | run a command |
| `run the tests` | find out how, and do it |
| `ask me QUESTION? A, B or C` | ask you, and wait for your answer |
| `plan STEP then STEP` | show a plan in plan mode, and carry it out once you approve it |
| `use an explore agent to find TEXT` | have an agent do it (`use explore agents to "find A" and "list B"`) |
| `tour` | look around and tell what this project is |

Put quotes around a text that has spaces or words like *with* and *in*: `replace "a b" with 'c d' in notes.txt`. Several steps go in one request: `create a.txt with "hi" then run cat a.txt`.

For free conversation choose a model in the settings."#;

/// The answer to words that are no command.
pub(super) fn unknown(words: &str) -> String {
    let line = words.lines().next().unwrap_or_default();
    let short: String = line.chars().take(80).collect();
    format!(
        "I do not know how to do this: *{}*\n\n{HELP}",
        short.replace(['*', '`', '<', '>', '[', ']'], "")
    )
}

//! A last resort where neither parser has a tree: cuts the text at everything
//! that may end a command. Only deny and ask rules look at what it finds.

/// Texts of possible commands, words separated by single blanks.
pub(crate) fn crude_commands(text: &str) -> Vec<Vec<String>> {
    const MOST: usize = 4_000;
    let joined = text.replace("\\\n", "");
    joined
        .split([';', '|', '&', '\n', '\r', '(', ')', '{', '}', '`', '\0'])
        .map(|command| {
            command
                .split_whitespace()
                .map(|word| word.replace(['"', '\'', '\\'], ""))
                .skip_while(|word| is_keyword(word))
                .filter(|word| !word.is_empty())
                .collect::<Vec<_>>()
        })
        .filter(|words| !words.is_empty())
        .take(MOST)
        .collect()
}

fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "if" | "then" | "else" | "elif" | "while" | "until" | "do" | "!" | "time" | "$" | "coproc"
    )
}

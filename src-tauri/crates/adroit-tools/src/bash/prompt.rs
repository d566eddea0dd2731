//! What the model is told, for the tools that it has and the people who are there.

use adroit_tool::DescribeOptions;

const TEXT: &str = include_str!("prompt.md");
/// What other tools do better; where nothing is known of the others, it is said with that caveat.
const OTHERS: &str = "use Read, Glob, Grep, Edit and Write where you have them";
const NAMES: [&str; 5] = ["Read", "Glob", "Grep", "Edit", "Write"];
const MAYBE_NOBODY: &str = "Nobody may be there to answer questions.";
const NOBODY: &str = "Nobody is there to answer questions.";
const MOVED: &str =
    " The user may also move a running command to the background; the result says so.";

/// The names of tools that are not there would only be called in vain.
pub(super) fn prompt(options: &DescribeOptions) -> String {
    let mut text = TEXT.to_owned();
    if !options.interactive {
        text = text.replace(MAYBE_NOBODY, NOBODY).replace(MOVED, "");
    }
    if options.tools.is_empty() {
        return text;
    }
    let there: Vec<&str> = NAMES
        .into_iter()
        .filter(|name| options.tools.contains(*name))
        .collect();
    match there.as_slice() {
        [] => text
            .lines()
            .filter(|line| !line.contains(OTHERS))
            .map(|line| format!("{line}\n"))
            .collect(),
        [one] => text.replace(OTHERS, &format!("use {one}")),
        [first @ .., last] => {
            let list = format!("use {} and {last}", first.join(", "));
            text.replace(OTHERS, &list)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(interactive: bool, tools: &[&str]) -> String {
        prompt(&DescribeOptions {
            interactive,
            tools: tools.iter().map(|&name| name.to_owned()).collect(),
        })
    }

    #[test]
    fn every_sentence_that_depends_on_something_is_in_the_text() {
        for words in [OTHERS, MAYBE_NOBODY, MOVED] {
            assert_eq!(TEXT.matches(words).count(), 1, "{words}");
        }
    }

    #[test]
    fn only_tools_that_are_there_are_named() {
        assert!(told(true, &[]).contains("where you have them"));
        assert!(told(true, &["Bash", "Read", "Grep"]).contains("use Read and Grep: they"));
        assert!(told(true, &["Bash", "Write"]).contains("use Write: they"));
        assert!(!told(true, &["Bash"]).contains("searching and changing"));
        let all = told(true, &NAMES);
        assert!(all.contains("use Read, Glob, Grep, Edit and Write: they"));
    }

    #[test]
    fn without_a_person_nothing_is_promised_of_one() {
        let alone = told(false, &NAMES);
        assert!(alone.contains(NOBODY) && !alone.contains("The user may also"));
        assert!(told(true, &NAMES).contains("The user may also"));
    }
}

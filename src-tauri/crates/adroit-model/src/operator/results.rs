//! Reading and quoting what tools said.

/// The lines of a file from a result of Read, which numbers them (`12<tab>text`, or with an arrow).
pub(super) fn file_lines(result: &str) -> Vec<&str> {
    result
        .lines()
        .filter_map(numbered)
        .map(|(_, line)| line)
        .collect()
}

/// The number and the text of a numbered line.
fn numbered(line: &str) -> Option<(u64, &str)> {
    let line = line.trim_start_matches(' ');
    let digits = line
        .find(|character: char| !character.is_ascii_digit())
        .unwrap_or(line.len());
    let number = line[..digits].parse().ok()?;
    let rest = &line[digits..];
    let text = rest
        .strip_prefix('\t')
        .or_else(|| rest.strip_prefix('→'))
        .or_else(|| rest.is_empty().then_some(""))?;
    Some((number, text))
}

/// The paths of a result of Glob or Grep that lists one a line; remarks in brackets are none.
pub(super) fn paths(result: &str) -> Vec<String> {
    result
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !is_note(line))
        .map(|line| line.strip_prefix("./").unwrap_or(line).to_owned())
        .collect()
}

fn is_note(line: &str) -> bool {
    line.starts_with('[') && line.ends_with(']') || line.starts_with("(no ")
}

/// The remarks of a tool below its result, without their brackets.
pub(super) fn notes(result: &str) -> Vec<&str> {
    result
        .lines()
        .filter_map(|line| line.strip_prefix('[')?.strip_suffix(']'))
        .collect()
}

/// Whether there is nothing but remarks.
pub(super) fn is_empty(result: &str) -> bool {
    result
        .lines()
        .all(|line| line.trim().is_empty() || is_note(line))
}

/// The words of a failure as a quotation.
pub(super) fn quotation(text: &str) -> String {
    let lines: Vec<String> = text
        .trim()
        .lines()
        .take(12)
        .map(|line| format!("> {line}"))
        .collect();
    if lines.is_empty() {
        "> (no words)".into()
    } else {
        // Two blanks keep the break where it is rendered.
        lines.join("  \n")
    }
}

/// Text in a fenced block that its content cannot end, at most so many lines of it: the
/// first ones, or first and last ones when the end matters.
pub(super) fn fenced(language: &str, lines: &[&str], most: usize, keep_end: bool) -> String {
    let longest = lines
        .iter()
        .map(|line| backquotes(line))
        .max()
        .unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    let left_out = lines.len().saturating_sub(most);
    let (head, tail) = match (left_out, keep_end) {
        (0, _) => (lines, &lines[lines.len()..]),
        (_, false) => (&lines[..most], &lines[lines.len()..]),
        (_, true) => (&lines[..most / 2], &lines[lines.len() - most.div_ceil(2)..]),
    };
    let mut block = format!("{fence}{language}\n");
    for line in head {
        block.push_str(line);
        block.push('\n');
    }
    if left_out > 0 && keep_end {
        block.push_str(&format!("… {left_out} lines left out …\n"));
    }
    for line in tail {
        block.push_str(line);
        block.push('\n');
    }
    block.push_str(&fence);
    if left_out > 0 && !keep_end {
        block.push_str(&format!("\n\n… and {left_out} more lines."));
    }
    block
}

/// The longest run of back quotes in a line.
fn backquotes(line: &str) -> usize {
    line.split(|character| character != '`')
        .map(str::len)
        .max()
        .unwrap_or_default()
}

/// The language of a fenced block, by a file's name.
pub(super) fn language_of(path: &str) -> &str {
    let extension = path
        .rsplit('/')
        .next()
        .and_then(|name| name.rsplit_once('.'))
        .map_or("", |(_, extension)| extension);
    match extension {
        "rs" => "rust",
        "py" => "python",
        "js" | "mjs" | "cjs" => "javascript",
        "ts" => "typescript",
        "md" => "markdown",
        "yml" => "yaml",
        "sh" => "bash",
        extension
            if extension.len() <= 10
                && extension
                    .chars()
                    .all(|character| character.is_ascii_alphanumeric()) =>
        {
            extension
        }
        _ => "",
    }
}

/// "1 line", "2 lines".
pub(super) fn counted(count: usize, thing: &str) -> String {
    match count {
        1 => format!("1 {thing}"),
        _ => format!("{count} {thing}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_without_their_numbers() {
        assert_eq!(
            file_lines("     1\tone\n     2\t\n    10→  ten"),
            ["one", "", "  ten"]
        );
        assert_eq!(file_lines("     1\ta\n\n<note>cut</note>"), ["a"]);
    }

    #[test]
    fn paths_without_remarks() {
        let result = "./a b.rs\nsrc/c.rs\n[slug].tsx\n[1 more; the 3 that changed last are listed]";
        assert_eq!(paths(result), ["a b.rs", "src/c.rs", "[slug].tsx"]);
        assert_eq!(
            notes(result),
            ["1 more; the 3 that changed last are listed"]
        );
        assert!(
            is_empty("[no matches]\n[x is ignored]") && is_empty("") && is_empty("(no output)")
        );
        assert!(!is_empty("a.rs:1:x\n[1 more]"));
    }

    #[test]
    fn a_block_is_not_ended_by_its_content() {
        assert_eq!(
            fenced("md", &["```", "x"], 9, false),
            "````md\n```\nx\n````"
        );
        assert_eq!(
            fenced("", &["1", "2", "3", "4"], 2, true),
            "```\n1\n… 2 lines left out …\n4\n```"
        );
        assert_eq!(
            fenced("", &["1", "2", "3"], 2, false),
            "```\n1\n2\n```\n\n… and 1 more lines."
        );
    }
}

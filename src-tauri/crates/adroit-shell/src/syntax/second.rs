//! The second parser (tree-sitter-bash): an outline of what it sees, to be
//! compared with the first.

use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::{ControlFlow, Range};

use tree_sitter::{Node, ParseOptions, Parser, Tree};

/// Ranges of the words of one simple command, assignments first.
pub(super) type Words = Vec<Range<usize>>;

/// Where the commands, redirect targets and substitutions of a text are.
#[derive(Debug, Default)]
pub(super) struct Outline {
    /// In order of their first word. A test (`[`, `[[`, `((`) is one range.
    pub commands: Vec<Words>,
    pub targets: Vec<Range<usize>>,
    pub substitutions: Vec<Range<usize>>,
    /// Words and here-documents, of the first parser alone.
    pub covered: Vec<Range<usize>>,
    /// What keeps it from being trusted.
    pub problem: Option<String>,
}

impl Outline {
    /// Brings it into the order in which two outlines are compared.
    pub(super) fn sort(&mut self) {
        for words in &mut self.commands {
            words.sort_by_key(|word| word.start);
        }
        self.commands
            .sort_by_key(|words| words.first().map(|word| word.start));
        self.targets.sort_by_key(|target| target.start);
        self.substitutions.sort_by_key(|span| span.start);
    }

    /// The words as text.
    pub(super) fn texts(&self, text: &str) -> Vec<Vec<String>> {
        let slice = |range: &Range<usize>| text.get(range.clone()).unwrap_or_default().to_owned();
        self.commands
            .iter()
            .map(|words| words.iter().map(slice).collect())
            .collect()
    }
}

/// Steps (of about a hundred parser operations) that one parse may take.
const STEPS: usize = 20_000;

thread_local! {
    static PARSER: RefCell<Option<Parser>> = const { RefCell::new(None) };
}

fn parse(text: &str) -> Option<Tree> {
    PARSER.with_borrow_mut(|slot| {
        let mut parser = match slot.take() {
            Some(parser) => parser,
            None => {
                let mut parser = Parser::new();
                parser
                    .set_language(&tree_sitter_bash::LANGUAGE.into())
                    .ok()?;
                parser
            }
        };
        // Counting steps bounds the time without making the answer depend on a clock.
        let mut steps = 0_usize;
        let mut progress = |_: &tree_sitter::ParseState| {
            steps += 1;
            if steps > STEPS {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let options = ParseOptions::new().progress_callback(&mut progress);
        let mut masked = masked(text);
        // A text that ends without a newline sends the grammar into its recovery from
        // errors, which costs more than all the rest and then finds none.
        if !masked.ends_with(['\n', '\\']) {
            masked.to_mut().push('\n');
        }
        let bytes = masked.as_bytes();
        let tree = parser.parse_with_options(
            &mut |at, _| bytes.get(at..).unwrap_or_default(),
            None,
            Some(options),
        );
        if tree.is_some() {
            *slot = Some(parser);
        }
        tree
    })
}

/// `text` with each character beyond ASCII as plain bytes of a word, at the same
/// places. The grammar's scanner asks `isdigit` of whatever follows a `{`, which
/// reads past the C library's table for a large character and may end the process.
fn masked(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_ascii() {
            plain.push(character);
        } else {
            plain.extend(std::iter::repeat_n('%', character.len_utf8()));
        }
    }
    Cow::Owned(plain)
}

/// Reads `text` with the second parser.
pub(super) fn outline(text: &str) -> Outline {
    let mut outline = Outline::default();
    let Some(tree) = parse(text) else {
        outline.problem = Some("the second parser gives up".to_owned());
        return outline;
    };
    let root = tree.root_node();
    if root.has_error() {
        outline.problem = Some("the second parser finds a syntax error".to_owned());
    }
    // A cursor, not recursion: a long list is a deep tree.
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        visit(node, text, &mut outline);
        if cursor.goto_first_child() {
            continue;
        }
        loop {
            if cursor.goto_next_sibling() {
                break;
            }
            if !cursor.goto_parent() {
                outline.sort();
                return outline;
            }
        }
    }
}

fn visit(node: Node<'_>, text: &str, outline: &mut Outline) {
    if !node.is_named() {
        return;
    }
    match node.kind() {
        "command" | "declaration_command" | "unset_command" => {
            let words = command_words(node, text);
            if !words.is_empty() {
                outline.commands.push(words);
            }
        }
        "variable_assignment" => {
            let stands_alone = node.parent().is_none_or(|parent| {
                !matches!(
                    parent.kind(),
                    "command"
                        | "declaration_command"
                        | "parenthesized_expression"
                        | "c_style_for_statement"
                        | "variable_assignments"
                )
            });
            if stands_alone {
                outline.commands.push(vec![node.byte_range()]);
            }
        }
        "variable_assignments" => {
            let mut cursor = node.walk();
            let words = node
                .children(&mut cursor)
                .map(|child| child.byte_range())
                .collect();
            outline.commands.push(words);
        }
        "test_command" => outline.commands.push(vec![node.byte_range()]),
        "compound_statement" => {
            if text
                .get(node.byte_range())
                .is_some_and(|slice| slice.starts_with("(("))
            {
                outline.commands.push(vec![node.byte_range()]);
            }
        }
        "command_substitution" => {
            // Between two of them in a string, the blank belongs to the second.
            let mut range = node.byte_range();
            let slice = text.get(range.clone()).unwrap_or_default();
            range.start += slice.len() - slice.trim_start().len();
            outline.substitutions.push(range);
        }
        "file_redirect" => {
            lone_dash(node, text, outline);
            file_redirect(node, outline);
        }
        "herestring_redirect" => {
            if let Some(word) = last_named(node) {
                outline.targets.push(word.byte_range());
            }
        }
        "heredoc_redirect" => {
            lone_dash(node, text, outline);
            let mut cursor = node.walk();
            let words: Words = node
                .children_by_field_name("argument", &mut cursor)
                .map(|child| child.byte_range())
                .collect();
            give_to_body(node, words, outline);
        }
        kind if is_known(kind) => {}
        kind => {
            outline
                .problem
                .get_or_insert_with(|| format!("the construct {kind:?} is not on the allow list"));
        }
    }
}

/// Named nodes that need nothing of their own.
fn is_known(kind: &str) -> bool {
    matches!(
        kind,
        "program"
            | "list"
            | "pipeline"
            | "redirected_statement"
            | "negated_command"
            | "subshell"
            | "do_group"
            | "for_statement"
            | "while_statement"
            | "if_statement"
            | "elif_clause"
            | "else_clause"
            | "case_statement"
            | "case_item"
            | "function_definition"
            | "c_style_for_statement"
            | "command_name"
            | "comment"
            | "word"
            | "number"
            | "string"
            | "string_content"
            | "raw_string"
            | "ansi_c_string"
            | "concatenation"
            | "simple_expansion"
            | "expansion"
            | "variable_name"
            | "special_variable_name"
            | "process_substitution"
            | "arithmetic_expansion"
            | "brace_expression"
            | "binary_expression"
            | "unary_expression"
            | "postfix_expression"
            | "ternary_expression"
            | "parenthesized_expression"
            | "test_operator"
            | "regex"
            | "extglob_pattern"
            | "subscript"
            | "array"
            | "file_descriptor"
            | "heredoc_start"
            | "heredoc_body"
            | "heredoc_content"
            | "heredoc_end"
    )
}

fn command_words(node: Node<'_>, text: &str) -> Words {
    let mut cursor = node.walk();
    let mut words: Words = Vec::new();
    let mut subshell = false;
    for child in node.children(&mut cursor) {
        if matches!(
            child.kind(),
            "file_redirect" | "herestring_redirect" | "heredoc_redirect" | "comment"
        ) {
            continue;
        }
        words.push(child.byte_range());
        subshell = child.kind() == "subshell";
    }
    // It takes the reserved word `time` for a command.
    let is = |word: Option<&Range<usize>>, expected: &str| {
        word.and_then(|range| text.get(range.clone())) == Some(expected)
    };
    if is(words.first(), "time") {
        words.remove(0);
        if is(words.first(), "-p") {
            words.remove(0);
        }
        // `time (ls)`: what is in the subshell is seen by itself.
        if subshell && words.len() == 1 {
            words.clear();
        }
    }
    words
}

/// It lets a redirect have several targets: those after the first are
/// arguments of the command in truth.
fn file_redirect(node: Node<'_>, outline: &mut Outline) {
    let mut cursor = node.walk();
    let mut targets = node.children_by_field_name("destination", &mut cursor);
    if let Some(target) = targets.next() {
        outline.targets.push(target.byte_range());
    }
    let words: Words = targets.map(|target| target.byte_range()).collect();
    give_to_body(node, words, outline);
}

/// It drops a lone `-` before a here-document: `python3 - <<E`.
fn lone_dash(redirect: Node<'_>, text: &str, outline: &mut Outline) {
    let Some(before) = redirect.prev_sibling() else {
        return;
    };
    let gap = text
        .get(before.end_byte()..redirect.start_byte())
        .unwrap_or_default();
    if gap.trim() == "-" {
        let at = before.end_byte() + gap.len() - gap.trim_start().len();
        let dash = at..at + 1;
        give_to_body(redirect, std::iter::once(dash).collect(), outline);
    }
}

fn give_to_body(redirect: Node<'_>, words: Words, outline: &mut Outline) {
    if words.is_empty() {
        return;
    }
    let body = redirect
        .parent()
        .and_then(|parent| parent.child_by_field_name("body"))
        .map(|body| body.byte_range());
    // The last command within the body: `a | b > out c` has the whole pipeline as its body.
    let owner = outline.commands.iter_mut().rev().find(|command| {
        body.as_ref().is_some_and(|body| {
            command
                .first()
                .is_some_and(|word| body.start <= word.start && word.end <= body.end)
        })
    });
    match owner {
        Some(command) => command.extend(words),
        None => {
            outline
                .problem
                .get_or_insert_with(|| "a redirect with several targets".to_owned());
        }
    }
}

fn last_named(node: Node<'_>) -> Option<Node<'_>> {
    let count = u32::try_from(node.named_child_count()).ok()?;
    node.named_child(count.checked_sub(1)?)
}

#[cfg(test)]
mod tests {
    use super::outline;

    #[test]
    fn characters_beyond_ascii_are_plain_parts_of_words() {
        for text in [
            "cat é.txt",
            "echo \"größer\" 日本",
            "ls {😀",
            "x {\u{10fffd}..3}",
        ] {
            let words = outline(text).texts(text);
            if let [only] = words.as_slice() {
                assert_eq!(only.first().map(String::as_str), text.split(' ').next());
            }
        }
        let text = "cat é.txt";
        assert_eq!(outline(text).texts(text), [["cat", "é.txt"]]);
    }
}

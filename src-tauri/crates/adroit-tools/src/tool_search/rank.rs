//! How well a tool fits the words of a search.

use adroit_tool::DeferredTool;

/// A word that is a part of the name; of its beginning; of the hint; of the description.
const NAME: u32 = 12;
const NAME_BEGIN: u32 = 6;
const HINT: u32 = 4;
const DESCRIPTION: u32 = 1;

/// The words of a search.
pub(super) struct Words {
    /// Must be in the name.
    required: Vec<String>,
    /// May be anywhere.
    wanted: Vec<String>,
}

impl Words {
    pub(super) fn of(query: &str) -> Self {
        let mut words = Self {
            required: Vec::new(),
            wanted: Vec::new(),
        };
        for word in query.split_whitespace() {
            let (list, word) = match word.strip_prefix('+') {
                Some(word) => (&mut words.required, word),
                None => (&mut words.wanted, word),
            };
            let parts = parts(word);
            list.extend(parts);
        }
        words
    }

    pub(super) fn is_empty(&self) -> bool {
        self.required.is_empty() && self.wanted.is_empty()
    }

    /// How well a tool fits; `None` where it does not.
    pub(super) fn score(&self, tool: &DeferredTool) -> Option<u32> {
        let names: Vec<String> = std::iter::once(&tool.name)
            .chain(&tool.aliases)
            .flat_map(|name| parts(name))
            .collect();
        let is_named = |word: &String| names.iter().any(|part| part.starts_with(word.as_str()));
        if !self.required.iter().all(is_named) {
            return None;
        }
        let hint = parts(&tool.search_hint);
        let description = parts(&tool.description);
        let of_word = |word: &String| {
            if names.contains(word) {
                NAME
            } else if is_named(word) {
                NAME_BEGIN
            } else if hint.iter().any(|part| part.starts_with(word.as_str())) {
                HINT
            } else {
                DESCRIPTION * u32::from(description.contains(word))
            }
        };
        let score: u32 = self.required.iter().chain(&self.wanted).map(of_word).sum();
        (score > 0).then_some(score)
    }
}

/// The words of a name or a text, in small letters: `mcp__fs__readFile` is `mcp`, `fs`,
/// `read`, `file`.
fn parts(text: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut part = String::new();
    let mut before_was_small = false;
    for character in text.chars() {
        let begins_word = character.is_uppercase() && before_was_small;
        if (begins_word || !character.is_alphanumeric()) && !part.is_empty() {
            parts.push(std::mem::take(&mut part));
        }
        if character.is_alphanumeric() {
            part.extend(character.to_lowercase());
        }
        before_was_small = character.is_lowercase() || character.is_numeric();
    }
    if !part.is_empty() {
        parts.push(part);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::parts;

    #[test]
    fn names_are_taken_apart() {
        assert_eq!(parts("mcp__fs__readFile"), ["mcp", "fs", "read", "file"]);
        assert_eq!(parts("NotebookEdit"), ["notebook", "edit"]);
        assert_eq!(parts("HTTPServer v2"), ["httpserver", "v2"]);
        assert_eq!(parts("__"), [""; 0]);
    }
}

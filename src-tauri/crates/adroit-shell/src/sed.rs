//! Sed scripts: which only print, and which `sed -i` is one plain substitution.

use crate::evaluate::expand::Argument;
use crate::types::SedEdit;

/// Whether a script only prints: no `w`, `W`, `r`, `R`, `e`, no `e` or `w` flag.
/// Anything that this reader does not follow is not harmless.
///
/// Seds differ on a delimiter in brackets (`s/[/x/;#]/y/w out`): a script must
/// be harmless as those read it that honour brackets, and harmless or an error
/// as the others do. They differ on labels, too: in some a semicolon or a blank
/// ends one (`t a e touch x` runs a command), in others the line alone does
/// (`:a;a\` hides no next line from them).
pub(crate) fn only_prints(script: &str) -> bool {
    let mut first = Reader::new(script, true);
    let others = [(true, true), (false, false), (false, true)];
    first.commands(0).is_some()
        && others.into_iter().all(|(honours_brackets, long_labels)| {
            let mut reader = Reader::new(script, honours_brackets);
            reader.long_labels = long_labels;
            reader.commands(0).is_some() || reader.is_invalid
        })
}

/// A substitution and where it stands.
struct Substitution {
    address: String,
    regex: String,
    replacement: String,
    flags: String,
}

/// The edit that `sed` with `arguments` (without the program) stands for.
pub(crate) fn edit(arguments: &[Argument]) -> Option<SedEdit> {
    let mut in_place: Option<String> = None;
    let mut extended = false;
    let mut script: Option<String> = None;
    let mut operands: Vec<&str> = Vec::new();
    let mut rest = arguments.iter();
    let mut options_end = false;
    while let Some(argument) = rest.next() {
        let text = argument.literal()?;
        if options_end || !text.starts_with('-') || text == "-" {
            operands.push(text);
            continue;
        }
        match text {
            "--" => options_end = true,
            "--in-place" => in_place = Some(String::new()),
            "--regexp-extended" => extended = true,
            "-e" | "--expression" => {
                // Two scripts are not one command.
                if script.replace(rest.next()?.literal()?.to_owned()).is_some() {
                    return None;
                }
            }
            _ => {
                if let Some(suffix) = text.strip_prefix("--in-place=") {
                    in_place = Some(suffix.to_owned());
                } else if let Some(value) = text.strip_prefix("--expression=") {
                    if script.replace(value.to_owned()).is_some() {
                        return None;
                    }
                } else {
                    cluster(text, &mut in_place, &mut extended)?;
                }
            }
        }
    }
    let backup_suffix = in_place?;
    // With these it names another file than one beside the original.
    if backup_suffix.contains(['/', '*']) {
        return None;
    }
    if script.is_none() {
        script = Some((*operands.first()?).to_owned());
        operands.remove(0);
    }
    let script = script?;
    let [file] = operands.as_slice() else {
        return None;
    };
    if file.is_empty() || *file == "-" {
        return None;
    }
    let substitution = single_substitution(&script)?;
    Some(SedEdit {
        file: (*file).to_owned(),
        script,
        address: substitution.address,
        regex: substitution.regex,
        replacement: substitution.replacement,
        flags: substitution.flags,
        extended,
        backup_suffix,
    })
}

/// `-Ei`, `-i.bak`: what follows `i` is the suffix of a backup.
fn cluster(text: &str, in_place: &mut Option<String>, extended: &mut bool) -> Option<()> {
    for (at, character) in text.char_indices().skip(1) {
        match character {
            'E' | 'r' => *extended = true,
            'i' => {
                *in_place = Some(text[at + 1..].to_owned());
                return Some(());
            }
            // With `-n` the file keeps only what is printed: no plain substitution.
            _ => return None,
        }
    }
    Some(())
}

fn single_substitution(script: &str) -> Option<Substitution> {
    let mut reader = Reader::new(script.trim(), true);
    let from = reader.at;
    reader.addresses()?;
    let address = reader.text[from..reader.at].trim().to_owned();
    reader.blanks();
    if reader.next()? != 's' {
        return None;
    }
    let delimiter = reader.next()?;
    let regex = reader.regex(delimiter)?;
    let replacement = reader.until(delimiter)?;
    let flags = reader.rest().trim().to_owned();
    let plain = flags
        .chars()
        .all(|flag| matches!(flag, 'g' | 'p' | 'i' | 'I' | 'm' | 'M') || flag.is_ascii_digit());
    plain.then_some(Substitution {
        address,
        regex,
        replacement,
        flags,
    })
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// A delimiter in brackets is text.
    honours_brackets: bool,
    /// A label goes on to the end of its line.
    long_labels: bool,
    /// Sed would refuse the script before it runs any of it.
    is_invalid: bool,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, honours_brackets: bool) -> Self {
        Self {
            text,
            at: 0,
            honours_brackets,
            long_labels: false,
            is_invalid: false,
        }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let character = self.peek()?;
        self.at += character.len_utf8();
        Some(character)
    }

    fn blanks(&mut self) {
        while self
            .peek()
            .is_some_and(|character| character == ' ' || character == '\t')
        {
            self.next();
        }
    }

    fn separators(&mut self) {
        while self
            .peek()
            .is_some_and(|character| matches!(character, ' ' | '\t' | '\n' | ';'))
        {
            self.next();
        }
    }

    /// A regular expression up to `delimiter`.
    fn regex(&mut self, delimiter: char) -> Option<String> {
        self.delimited(delimiter, self.honours_brackets)
    }

    /// Text up to the next `delimiter` that is not escaped.
    fn until(&mut self, delimiter: char) -> Option<String> {
        self.delimited(delimiter, false)
    }

    fn delimited(&mut self, delimiter: char, brackets: bool) -> Option<String> {
        if delimiter == '\\' || delimiter == '\n' {
            return None;
        }
        let mut result = String::new();
        loop {
            let Some(character) = self.next() else {
                self.is_invalid = true;
                return None;
            };
            if character == delimiter {
                return Some(result);
            }
            result.push(character);
            if character == '\\' {
                result.push(self.next()?);
            } else if character == '[' && brackets {
                self.bracket(&mut result)?;
            }
        }
    }

    /// The rest of a bracket expression: `]` first in it is text.
    fn bracket(&mut self, result: &mut String) -> Option<()> {
        let mut first = true;
        loop {
            let Some(character) = self.next() else {
                self.is_invalid = true;
                return None;
            };
            result.push(character);
            match character {
                '^' if first => continue,
                ']' if !first => return Some(()),
                // Classes (`[:alpha:]`) end with a bracket of their own.
                '[' if matches!(self.peek(), Some(':' | '.' | '=')) => {
                    let kind = self.next()?;
                    result.push(kind);
                    loop {
                        let inner = self.next()?;
                        result.push(inner);
                        if inner == kind && self.peek() == Some(']') {
                            result.push(self.next()?);
                            break;
                        }
                    }
                }
                // Seds differ on whether it escapes here.
                '\\' => {
                    if matches!(self.peek(), Some(']')) {
                        return None;
                    }
                }
                _ => {}
            }
            first = false;
        }
    }

    fn address(&mut self) -> Option<bool> {
        match self.peek() {
            Some(character) if character.is_ascii_digit() => {
                while self.peek().is_some_and(|c| c.is_ascii_digit() || c == '~') {
                    self.next();
                }
                Some(true)
            }
            Some('$') => {
                self.next();
                Some(true)
            }
            Some('/') => {
                self.next();
                self.regex('/')?;
                while self.peek().is_some_and(|c| c == 'I' || c == 'M') {
                    self.next();
                }
                Some(true)
            }
            Some('\\') => {
                self.next();
                let delimiter = self.next()?;
                self.regex(delimiter)?;
                Some(true)
            }
            _ => Some(false),
        }
    }

    fn addresses(&mut self) -> Option<()> {
        self.blanks();
        if self.address()? {
            self.blanks();
            if self.peek() == Some(',') {
                self.next();
                self.blanks();
                if self.peek().is_some_and(|c| c == '+' || c == '~') {
                    self.next();
                }
                if !self.address()? {
                    return None;
                }
            }
            self.blanks();
            while self.peek() == Some('!') {
                self.next();
                self.blanks();
            }
        }
        Some(())
    }

    /// Commands up to the end or the `}` that closes the group.
    fn commands(&mut self, depth: usize) -> Option<()> {
        if depth > 20 {
            return None;
        }
        loop {
            self.separators();
            if self.peek().is_none() {
                // A group that is not closed is an error before anything runs.
                self.is_invalid |= depth > 0;
                return (depth == 0).then_some(());
            }
            if self.peek() == Some('}') {
                self.next();
                return (depth > 0).then_some(());
            }
            self.addresses()?;
            self.blanks();
            self.command(depth)?;
        }
    }

    fn command(&mut self, depth: usize) -> Option<()> {
        match self.next()? {
            '{' => return self.commands(depth + 1),
            '#' => {
                self.line();
                return Some(());
            }
            'p' | 'P' | 'd' | 'D' | 'n' | 'N' | 'g' | 'G' | 'h' | 'H' | 'x' | '=' | 'z' | 'F' => {}
            'l' | 'q' | 'Q' => {
                self.blanks();
                while self.peek().is_some_and(|c| c.is_ascii_digit()) {
                    self.next();
                }
            }
            'b' | 't' | 'T' | ':' => return self.label(),
            // Text to be printed, up to the end of its line; a backslash takes the next
            // character into it, the end of a line too.
            'a' | 'i' | 'c' => {
                // Without text the next `-e` may be the text, and a command in it none.
                self.blanks();
                self.peek()?;
                while let Some(character) = self.peek() {
                    if character == '\n' {
                        break;
                    }
                    self.next();
                    if character == '\\' {
                        self.next()?;
                    }
                }
                return Some(());
            }
            's' => {
                let delimiter = self.next()?;
                self.regex(delimiter)?;
                self.until(delimiter)?;
                while self.peek().is_some_and(|c| {
                    matches!(c, 'g' | 'p' | 'i' | 'I' | 'm' | 'M') || c.is_ascii_digit()
                }) {
                    self.next();
                }
            }
            'y' => {
                let delimiter = self.next()?;
                self.until(delimiter)?;
                self.until(delimiter)?;
            }
            'e' | 'r' | 'R' | 'v' | 'w' | 'W' | '}' => return None,
            _ => {
                self.is_invalid = true;
                return None;
            }
        }
        // Nothing but a separator may follow.
        self.blanks();
        match self.peek() {
            None | Some(';' | '\n' | '}' | '#') => Some(()),
            Some('e' | 'w') => None,
            Some(_) => {
                self.is_invalid = true;
                None
            }
        }
    }

    /// A label, and that nothing follows it which some sed runs.
    fn label(&mut self) -> Option<()> {
        if self.long_labels {
            self.line();
            return Some(());
        }
        self.blanks();
        while self
            .peek()
            .is_some_and(|c| !c.is_whitespace() && !matches!(c, ';' | '}'))
        {
            self.next();
        }
        self.blanks();
        matches!(self.peek(), None | Some(';' | '\n' | '}' | '#')).then_some(())
    }

    fn line(&mut self) {
        while self.peek().is_some_and(|character| character != '\n') {
            self.next();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printing_scripts() {
        for script in [
            "1,20p",
            "$p",
            "/re/p",
            "s/a/b/g",
            "s|a|b|",
            "/a/,/b/d",
            "10q",
            "1!G;h;$!d",
            "y/abc/xyz/",
            "/^$/d; s/x/y/2",
            "{p;p}",
            "2,+3p",
            "0~3p",
            "s/a\\/b/c/",
            "$!N",
            "/a/{s/b/c/;p}",
            "1d\n2d",
            "=",
            "s/w/e/",
            "s/[^/]*$//",
            "s/[/]/x/",
            "/[/]/p",
            "s/[]/]*//",
            "s/[[:space:]]*$//",
            "s/\\x1b\\[[0-9;]*m//g",
            "/w/p",
            "\\,x,p",
            "1i\\hello",
            "1i\\\nhello",
            ":a;N;$!ba;s/\\n/ /g",
            ":a\ns/x/y/;ta",
            "$a\\last\\\nline",
            "2c a\\tb",
            "a\\\nx",
            "/x/{:a;N;ba}",
            ":a\n/x$/{N;ba}",
            "t a ; p",
            "b",
            "$!{N;b a }; :a",
        ] {
            assert!(only_prints(script), "{script}");
        }
    }

    #[test]
    fn writing_scripts() {
        for script in [
            "2w copy.txt",
            "w out",
            "s/a/b/w out",
            "s/a/b/e",
            "1e touch x",
            "e",
            "r /etc/passwd",
            "R f",
            "s/a/b/gw out",
            "W f",
            "1,3{w out\n}",
            "s/a/b/;w out",
            "p;w x",
            "s/[/x/;#]/y/w out",
            "/x/w y",
            "s/a/b",
            "a\\\nx\nw out",
            "1i\\hello\nw out",
            ":a;w out",
            ":a w out",
            ":a}w out",
            ":a;s/x/y/e",
            ":a;t a e touch x",
            ":a;t a w x",
            ":a;b a e touch x",
            ":a;T a e touch x",
            ":a;ba\te touch x",
            ":a;a\\\nw out",
            ":a;a\\\nb a;a\\\nw out",
            "/x/{b a w x\n}",
            "a x\\\\\nw out",
            "i\\\nx\\\\\nw out",
        ] {
            assert!(!only_prints(script), "{script}");
        }
    }
}

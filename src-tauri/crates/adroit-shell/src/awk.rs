//! The subset of awk that only computes and prints.

/// Whether an awk program runs no command, opens no file for writing and
/// reads from nothing but its input. What this reader cannot follow is refused.
pub(crate) fn only_prints(program: &str) -> bool {
    Reader {
        bytes: program.as_bytes(),
        at: 0,
        parentheses: Vec::new(),
        printing: false,
        before: Before::Start,
    }
    .run()
    .is_some()
}

/// What stands before the present place: decides whether `/` divides.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Start,
    Operand,
    /// `)` after the condition of `if`, `while` or `for`.
    Condition,
    /// `++` or `--`.
    Step,
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    /// For each open parenthesis whether it holds a condition.
    parentheses: Vec<bool>,
    /// In a statement that began with `print`, where `>` opens a file.
    printing: bool,
    before: Before,
}

impl Reader<'_> {
    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    fn run(&mut self) -> Option<()> {
        let mut keyword_condition = false;
        while let Some(byte) = self.peek(0) {
            match byte {
                b'"' => {
                    self.string()?;
                    self.before = Before::Operand;
                }
                b'#' => {
                    while self.peek(0).is_some_and(|byte| byte != b'\n') {
                        self.at += 1;
                    }
                }
                b'/' => self.slash()?,
                b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                    let from = self.at;
                    while self
                        .peek(0)
                        .is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
                    {
                        self.at += 1;
                    }
                    let word = std::str::from_utf8(&self.bytes[from..self.at]).ok()?;
                    keyword_condition = self.word(word)?;
                    continue;
                }
                b'(' => {
                    self.parentheses.push(keyword_condition);
                    self.before = Before::Start;
                    self.at += 1;
                }
                b')' => {
                    let condition = self.parentheses.pop()?;
                    self.before = if condition {
                        Before::Condition
                    } else {
                        Before::Operand
                    };
                    self.at += 1;
                }
                b'|' => {
                    // A single bar is a pipe to or from a command.
                    if self.peek(1) != Some(b'|') {
                        return None;
                    }
                    self.at += 2;
                    self.before = Before::Start;
                }
                b'>' => {
                    if self.printing && self.parentheses.is_empty() {
                        self.harmless_target()?;
                        self.before = Before::Operand;
                        continue;
                    }
                    self.at += 1;
                    self.before = Before::Start;
                }
                // An indirect call or a directive.
                b'@' | b'\\' | b'`' => return None,
                b'+' | b'-' if self.peek(1) == Some(byte) => {
                    self.at += 2;
                    self.before = Before::Step;
                }
                b';' | b'{' | b'}' | b'\n' => {
                    // A line that ends in a comma goes on: only these surely end a statement.
                    if byte != b'\n' {
                        self.printing = false;
                    }
                    self.at += 1;
                    self.before = Before::Start;
                }
                b'0'..=b'9' | b']' | b'.' => {
                    self.at += 1;
                    self.before = Before::Operand;
                }
                b' ' | b'\t' => {
                    self.at += 1;
                    continue;
                }
                byte if byte.is_ascii() => {
                    self.at += 1;
                    self.before = Before::Start;
                }
                _ => return None,
            }
            keyword_condition = false;
        }
        self.parentheses.is_empty().then_some(())
    }

    /// Returns whether a condition in parentheses follows.
    fn word(&mut self, word: &str) -> Option<bool> {
        let keyword = matches!(
            word,
            "print"
                | "printf"
                | "return"
                | "in"
                | "else"
                | "do"
                | "case"
                | "if"
                | "while"
                | "for"
                | "BEGIN"
                | "END"
                | "delete"
                | "exit"
                | "switch"
                | "BEGINFILE"
                | "ENDFILE"
        );
        self.before = if keyword {
            Before::Start
        } else {
            Before::Operand
        };
        match word {
            // `SYMTAB["ARGC"]` and `FUNCTAB` reach all that is refused by name.
            "system" | "getline" | "ARGC" | "SYMTAB" | "FUNCTAB" => None,
            "ARGV" => self.first_files().then_some(false),
            "print" | "printf" => {
                self.printing = true;
                Some(false)
            }
            "if" | "while" | "for" | "switch" => Some(true),
            _ => Some(false),
        }
    }

    /// `ARGV` (just read) only as in `FILENAME == ARGV[1]`: what is put into it is read
    /// as a file, be it by `=`, by `sub`, by `split` or by a function that gets it.
    fn first_files(&mut self) -> bool {
        let before = self.bytes.get(..self.at - "ARGV".len()).unwrap_or_default();
        let compared = before
            .trim_ascii_end()
            .strip_suffix(b"==")
            .is_some_and(|left| left.trim_ascii_end().ends_with(b"FILENAME"));
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let Some(index) = rest.strip_prefix(b"[") else {
            return false;
        };
        let digits = index
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        let Some(after) = index.get(digits..).and_then(|rest| rest.strip_prefix(b"]")) else {
            return false;
        };
        let ends = matches!(
            after.trim_ascii_start().first(),
            None | Some(b'{' | b')' | b'}' | b';' | b'&' | b'|' | b'?')
        );
        compared && digits > 0 && ends
    }

    /// `> "/dev/stderr"` at the end of a statement: nothing may be joined to the name.
    fn harmless_target(&mut self) -> Option<()> {
        while self.peek(0) == Some(b'>') {
            self.at += 1;
        }
        self.blanks();
        let rest = self.bytes.get(self.at..)?;
        let name = [
            &b"\"/dev/stderr\""[..],
            b"\"/dev/stdout\"",
            b"\"/dev/null\"",
        ]
        .into_iter()
        .find(|name| rest.starts_with(name))?;
        self.at += name.len();
        self.blanks();
        matches!(self.peek(0), None | Some(b';' | b'}' | b'\n')).then_some(())
    }

    fn blanks(&mut self) {
        while matches!(self.peek(0), Some(b' ' | b'\t')) {
            self.at += 1;
        }
    }

    fn string(&mut self) -> Option<()> {
        self.at += 1;
        loop {
            match self.peek(0)? {
                b'"' => {
                    self.at += 1;
                    return Some(());
                }
                b'\\' => self.at += 2,
                b'\n' => return None,
                _ => self.at += 1,
            }
        }
    }

    fn slash(&mut self) -> Option<()> {
        match self.before {
            Before::Operand => {
                self.at += 1;
                self.before = Before::Start;
                Some(())
            }
            // `x++ / 2` and `if (a) /b/`: both readings are possible.
            Before::Condition | Before::Step => None,
            Before::Start => {
                let rest = self.bytes.get(self.at + 1..)?;
                self.at += 1 + regex_length(rest)? + 1;
                self.before = Before::Operand;
                Some(())
            }
        }
    }
}

/// Where the regular expression that begins `text` ends: at its first `/` without a
/// backslash, where every awk ends it. Where one of them may see that `/` in brackets
/// and read on, the program cannot be followed.
fn regex_length(text: &[u8]) -> Option<usize> {
    let mut end = 0;
    loop {
        match text.get(end)? {
            b'\n' => return None,
            b'\\' => {
                if matches!(text.get(end + 1), None | Some(b'\n')) {
                    return None;
                }
                end += 2;
            }
            b'/' => break,
            _ => end += 1,
        }
    }
    let regex = text.get(..end)?;
    let agreed = [false, true].into_iter().all(|leading| {
        [false, true].into_iter().all(|classes| {
            [false, true].into_iter().all(|escapes| {
                let reading = Brackets {
                    leading,
                    classes,
                    escapes,
                };
                !reading.open_at_end(regex)
            })
        })
    });
    (agreed && !counted_open_at_end(regex)).then_some(end)
}

/// One way to read brackets in a regular expression. POSIX says the first two of all;
/// not every awk does so, and they differ on the third.
struct Brackets {
    /// A `]` that stands first is text.
    leading: bool,
    /// `[:alpha:]`, `[.x.]` and `[=x=]` have brackets of their own.
    classes: bool,
    /// A backslash takes the next character into the brackets.
    escapes: bool,
}

impl Brackets {
    fn open_at_end(&self, regex: &[u8]) -> bool {
        let mut at = 0;
        while let Some(byte) = regex.get(at) {
            at += match byte {
                b'\\' => 2,
                b'[' => match self.closed(&regex[at + 1..]) {
                    Some(length) => 1 + length,
                    None => return true,
                },
                _ => 1,
            };
        }
        false
    }

    /// The length of a bracket expression after its `[`, up to and with its `]`.
    fn closed(&self, text: &[u8]) -> Option<usize> {
        let mut at = usize::from(text.first() == Some(&b'^'));
        if self.leading && text.get(at) == Some(&b']') {
            at += 1;
        }
        loop {
            match (text.get(at)?, text.get(at + 1)) {
                (b']', _) => return Some(at + 1),
                (b'\\', Some(_)) if self.escapes => at += 2,
                (b'[', Some(kind @ (b':' | b'.' | b'='))) if self.classes => {
                    let from = at + 2;
                    let length = text
                        .get(from..)?
                        .windows(2)
                        .position(|pair| pair == [*kind, b']'])?;
                    at = from + length + 2;
                }
                _ => at += 1,
            }
        }
    }
}

/// Older gawk counts: `[:` opens one more, and each `]` closes one.
fn counted_open_at_end(regex: &[u8]) -> bool {
    let mut open = 0_usize;
    let mut at = 0;
    while let Some(byte) = regex.get(at) {
        match byte {
            b'\\' => at += 1,
            b'[' if open == 0 || regex.get(at + 1) == Some(&b':') => open += 1,
            b']' => open = open.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    open > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printing_programs() {
        for program in [
            "{print $1}",
            "length($0) > 120 {print FILENAME}",
            "NR==1, NR==5",
            "/foo|bar/ {n++} END {print n}",
            "{s += $3 / 2} END {printf \"%d\\n\", s}",
            "$1 > 3",
            "BEGIN {FS=\",\"} {print $2}",
            "{if ($3 > 10) print $1; else print $2}",
            "!seen[$0]++",
            "{print (a > b)}",
            "/system/ {print}",
            "{print $1 \" | \" $2}",
            "{print $1 \" > \" $2}",
            "$0 ~ /a>b/ {print}",
            "a || b",
            "NF > 2 { print; next }",
            "{gsub(/\"/, \"\"); print}",
            "{print /x/ ? 1 : 2}",
            "# note\n{print}",
            "/[0-9]+/ && NR > 3",
            "{print > \"/dev/stderr\"}",
            "{print $1 >> \"/dev/stderr\"; n++}",
            "NR > 2 {print $2 > \"/dev/stdout\"\nprint}",
            "{print; fflush()}",
            "/^[[:space:]]*$/ {n++}",
            "/[[:alpha:]_][[:alnum:]_]*/ {print}",
            "/\\[[^\\]]*\\]/ {print}",
            "/a\\/b/ {print}",
            "/x]/ {print \"]\"}",
            "FILENAME == ARGV[1] {a[$1]; next} $1 in a",
            "FILENAME==ARGV[1]{n++}",
        ] {
            assert!(only_prints(program), "{program}");
        }
    }

    #[test]
    fn acting_programs() {
        for program in [
            "{system(\"touch \" $1)}",
            "BEGIN{system(\"id\")}",
            "{print > \"out\"}",
            "{print $1 >> \"out\"}",
            "{print | \"sh\"}",
            "{\"date\" | getline x}",
            "{while ((getline line < \"f\") > 0) print line}",
            "{printf \"%s\", $1 > \"out\"}",
            "{print /\"/ > \"o\"; print /\"/}",
            "x++ / 2; print > \"f\"; j / k",
            "@load \"x\"",
            "{print(1)(2) > \"f\"}",
            "BEGIN { \"id\" |& getline }",
            "{system (\"id\")}",
            "if (x) /\"/; print > \"f\"; /\"/",
            "{f = \"system\"; @f(\"id\")}",
            "{print > $2}",
            "{print 1,\n2 > \"f\"}",
            "{print > \"/dev/stderr\" x}",
            "{print > \"/dev/stderr\"\"x\"}",
            "{print > \"/dev/stderr.txt\"}",
            "{print > (\"/dev/stderr\") x}",
            "{print > \"/dev/stderr\" > \"x\"}",
            "/[[:alpha:]/\"]/{system(\"touch x\")}/[[:alpha:]/\"]/",
            "/[]/\"]/{print > \"x\"}/[]/\"]/",
            "/[^]/\"]/{print > \"x\"}/[^]/\"]/",
            "/[[.].]/\"]/{print > \"x\"}/[[.].]/\"]/",
            "/[[=]=]/\"]/{print > \"x\"}/[[=]=]/\"]/",
            "/[\\]/\"]/{print > \"x\"}/[\\]/\"]/",
            "/[a[:b]/\"]/{print > \"x\"}/[a[:b]/\"]/",
            "/a[]/\"]/{print > \"x\"}/a[]/\"]/",
            "/a\\\nb/",
            "BEGIN{ARGV[1]=\".env\";ARGC=2}1",
            "BEGIN{sub(/.*/, \".env\", ARGV[1])}1",
            "BEGIN{split(\"x .env\", ARGV)}1",
            "BEGIN{for (ARGV[1] in a) n++}1",
            "function f(a) {a[1]=\".env\"} BEGIN{f(ARGV)}1",
            "BEGIN{FILENAME==ARGV[1]=\".env\"}1",
            "BEGIN{FILENAME==ARGV[1]++}1",
            "BEGIN{SYMTAB[\"ARGC\"]=3}1",
        ] {
            assert!(!only_prints(program), "{program}");
        }
    }
}

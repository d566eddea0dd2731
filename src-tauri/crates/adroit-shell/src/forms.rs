//! The texts of a command that permission rules are matched against.

use crate::evaluate::expand::{Argument, Shape};
use crate::tables::globals::{self, Globals};
use crate::types::{CommandPart, Word};
use crate::variables::is_safe_before_command;
use crate::wrappers::{self, Wrapping};

/// Wrappers within wrappers that are followed.
const MOST_LAYERS: usize = 16;
/// Words of one command that are looked at for wrappers and options.
const MOST_WORDS: std::ops::RangeTo<usize> = ..4_096;
/// Bytes of all forms of one command, about.
const MOST_BYTES: usize = 512 * 1024;

impl CommandPart {
    /// Stands for any text in a form of [`CommandPart::deny_forms`]: a word, or the end of
    /// one, that only the shell can know. No command that is analysed holds this character.
    pub const OPEN: char = '\u{1}';

    /// Texts that an allow rule may be matched against, after stripping
    /// `timeout`, `time`, `nice`, `nohup`, `stdbuf`, `command`, `builtin`, bare
    /// `xargs` and known-safe assignments only. Empty when the part holds
    /// something that no allow rule may cover: a computed command word, an
    /// expansion that evaluates, or an assignment that may change what runs
    /// (`LD_PRELOAD=x cargo test` must not pass as `cargo test`).
    pub fn allow_forms(&self) -> Vec<String> {
        let unsafe_assignment = self.assignments.iter().any(|assignment| {
            !is_safe_before_command(&assignment.name, assignment.literal.as_deref())
        });
        if self.opaque || unsafe_assignment || self.words.is_empty() {
            return Vec::new();
        }
        let arguments = arguments(&self.words);
        let mut forms = Vec::new();
        if !self.assignments.is_empty() {
            add(
                &mut forms,
                format!("{} {}", self.assignment_text(), join_raw(&self.words)),
            );
        }
        let mut start = 0;
        for _ in 0..MOST_LAYERS {
            let Some(name) = arguments.get(start).and_then(Argument::literal) else {
                // What runs in the end is computed.
                return Vec::new();
            };
            add(&mut forms, join_plain(&self.words[start..]));
            add(&mut forms, join_raw(&self.words[start..]));
            let Some(peeled) = wrappers::peel(name, &arguments[start..]) else {
                break;
            };
            if peeled
                .doubtful
                .is_some_and(|at| arguments[start + at].literal().is_none())
            {
                // It may name the command that runs.
                return Vec::new();
            }
            let strips = match peeled.wrapper.wrapping {
                Wrapping::Plain | Wrapping::Nohup => peeled.doubtful.is_none(),
                Wrapping::Xargs => !peeled.has_options,
                _ => false,
            };
            let inner = start + peeled.inner;
            if !strips || inner >= arguments.len() || is_query(&arguments[start..]) {
                break;
            }
            start = inner;
        }
        forms
    }

    /// Texts that deny and ask rules are matched against: also with any
    /// assignment, `env`, `sudo`, `watch`, `ionice`, `setsid` and the like
    /// stripped, the base name of a command path, and each step between; and
    /// without the options that stand before a subcommand, so that neither
    /// `git -C . push` nor `kubectl -n prod delete` passes a rule about `git
    /// push` or `kubectl delete`.
    pub fn deny_forms(&self) -> Vec<String> {
        let arguments = arguments(self.words.get(MOST_WORDS).unwrap_or(&self.words));
        let mut forms = Forms::default();
        if !self.assignments.is_empty() {
            forms.add(format!(
                "{} {}",
                self.assignment_text(),
                join_raw(&self.words)
            ));
        }
        let mut pending = vec![0];
        let mut seen = Vec::new();
        while let Some(start) = pending.pop() {
            if start >= arguments.len()
                || seen.contains(&start)
                || seen.len() > 2 * wrappers::MOST_WRAPPERS
                || forms.is_full()
            {
                continue;
            }
            seen.push(start);
            let rest = &self.words[start..];
            forms.add(join_text(rest));
            forms.add(join_raw(rest));
            let Some(word) = arguments[start].literal() else {
                continue;
            };
            let name = wrappers::base_name(word);
            if name != word {
                forms.add(joined(name, &rest[1..]));
            }
            without_options(name, &rest[1..], &mut forms);
            if is_query(&arguments[start..]) {
                continue;
            }
            let Some(peeled) = wrappers::peel(name, &arguments[start..]) else {
                continue;
            };
            pending.push(start + peeled.inner);
            // Where its options are not known, the command may begin at any word.
            if peeled.doubtful.is_some() {
                pending.extend(start + 1..(start + 64).min(arguments.len()));
            }
        }
        forms.texts
    }

    /// True for `watch`, `setsid`, `ionice`, `flock` and `find` with `-exec` or
    /// `-delete` and their kin: no prefix rule approves these (an exact one
    /// may), because the prefix says nothing of what they run.
    pub fn refuses_prefix_rules(&self) -> bool {
        let arguments = arguments(&self.words);
        let mut start = 0;
        for _ in 0..MOST_LAYERS {
            let Some(word) = arguments.get(start).and_then(Argument::literal) else {
                return false;
            };
            let name = wrappers::base_name(word);
            if matches!(name, "find" | "gfind") {
                return arguments[start + 1..].iter().any(|argument| {
                    matches!(
                        argument.literal(),
                        Some(
                            "-exec"
                                | "-execdir"
                                | "-ok"
                                | "-okdir"
                                | "-delete"
                                | "-fprint"
                                | "-fprint0"
                                | "-fprintf"
                                | "-fls"
                        )
                    )
                });
            }
            let Some(peeled) = wrappers::peel(name, &arguments[start..]) else {
                return false;
            };
            if peeled.wrapper.wrapping == Wrapping::Refuses {
                return true;
            }
            start += peeled.inner;
        }
        false
    }

    fn assignment_text(&self) -> String {
        let texts: Vec<String> = self
            .assignments
            .iter()
            .map(|assignment| format!("{}={}", assignment.name, assignment.raw_value))
            .collect();
        texts.join(" ")
    }
}

fn arguments(words: &[Word]) -> Vec<Argument> {
    words
        .iter()
        .map(|word| Argument {
            raw: word.raw.clone(),
            span: word.span.clone(),
            shape: match &word.text {
                Some(text) => Shape::Literal(text.clone()),
                None => Shape::Unknown {
                    prefix: String::new(),
                    splits: true,
                    tail: None,
                },
            },
        })
        .collect()
}

/// `command -v name` asks where a program is.
fn is_query(arguments: &[Argument]) -> bool {
    let text = |at: usize| arguments.get(at).and_then(Argument::literal);
    text(0) == Some("command")
        && text(1).is_some_and(|option| option.starts_with('-') && option.contains(['v', 'V']))
}

/// Texts, each once, and not more of them than can be matched in time.
#[derive(Default)]
struct Forms {
    texts: Vec<String>,
    bytes: usize,
}

impl Forms {
    fn add(&mut self, form: String) {
        if !form.is_empty() && !self.texts.contains(&form) {
            self.bytes += form.len();
            self.texts.push(form);
        }
    }

    fn is_full(&self) -> bool {
        self.bytes > MOST_BYTES
    }
}

/// `name` with its `words`, and without the options before its subcommand. An option that
/// is not known may take the word after it or may not: both are forms.
fn without_options(name: &str, words: &[Word], forms: &mut Forms) {
    const MOST_FORMS: usize = 16;
    if matches!(name, "python" | "python3" | "python2" | "py")
        && let [flag, module, rest @ ..] = words
        && flag.text.as_deref() == Some("-m")
    {
        // `python3 -m pip install x` is `pip install x`.
        forms.add(joined(module.text.as_deref().unwrap_or(&module.raw), rest));
        return;
    }
    let Some(globals) = globals::of(name) else {
        return;
    };
    let mut made = 0;
    for after in after_options(globals, words, name) {
        if forms.is_full() {
            return;
        }
        let rest = &words[after..];
        if after > 0 {
            forms.add(joined(name, rest));
        }
        let Some((group, behind)) = rest.split_first() else {
            continue;
        };
        let Some(group) = group.text.as_deref().filter(|word| globals.is_group(word)) else {
            continue;
        };
        for skipped in after_options(globals, behind, name) {
            made += 1;
            if skipped > 0 && skipped < behind.len() && made <= MOST_FORMS {
                forms.add(joined(&format!("{name} {group}"), &behind[skipped..]));
            }
        }
    }
}

/// How many words may be options that stand before a subcommand.
fn after_options(globals: &Globals, words: &[Word], name: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut pending = vec![0_usize];
    let mut seen = vec![false; words.len() + 2];
    while let Some(at) = pending.pop() {
        match seen.get_mut(at) {
            Some(seen) if !*seen => *seen = true,
            _ => continue,
        }
        let text = words.get(at).and_then(|word| word.text.as_deref());
        let is_option = text.is_some_and(|text| {
            text.starts_with('-') && text.len() > 1
                // `cargo +nightly publish`, `make A=1 deploy`
                || text.starts_with('+') && name == "cargo"
                || matches!(name, "make" | "gmake") && wrappers::is_assignment(text)
        });
        let Some(text) = text.filter(|_| is_option) else {
            found.push(at);
            continue;
        };
        match globals.option(text) {
            Some(known) => pending.push(at + known.words),
            None if text.contains('=') || !text.starts_with('-') => pending.push(at + 1),
            None => pending.extend([at + 2, at + 1]),
        }
    }
    found.retain(|at| *at < words.len());
    found
}

fn joined(name: &str, words: &[Word]) -> String {
    let tail = join_text(words);
    if tail.is_empty() {
        name.to_owned()
    } else {
        format!("{name} {tail}")
    }
}

fn add(forms: &mut Vec<String>, form: String) {
    if !form.is_empty() && !forms.contains(&form) {
        forms.push(form);
    }
}

fn join_raw(words: &[Word]) -> String {
    let texts: Vec<&str> = words.iter().map(|word| word.raw.as_str()).collect();
    texts.join(" ")
}

fn join_text(words: &[Word]) -> String {
    let texts: Vec<&str> = words
        .iter()
        .map(|word| word.text.as_deref().unwrap_or(&word.raw))
        .collect();
    texts.join(" ")
}

/// Quotes removed where the word stays one word: an allow rule for
/// `npm run test` must not match `npm 'run test'`.
fn join_plain(words: &[Word]) -> String {
    let texts: Vec<&str> = words
        .iter()
        .map(|word| match &word.text {
            Some(text) if !text.is_empty() && !text.contains(char::is_whitespace) => text,
            _ => word.raw.as_str(),
        })
        .collect();
    texts.join(" ")
}

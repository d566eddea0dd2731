//! The texts of a command that permission rules are matched against.

use crate::evaluate::expand::{Argument, Shape};
use crate::types::{CommandPart, Word};
use crate::variables::is_safe_before_command;
use crate::wrappers::{self, Wrapping};

/// Wrappers within wrappers that are followed.
const MOST_LAYERS: usize = 16;

impl CommandPart {
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
    /// stripped, the base name of a command path, and each step between.
    pub fn deny_forms(&self) -> Vec<String> {
        let arguments = arguments(&self.words);
        let mut forms = Vec::new();
        if !self.assignments.is_empty() {
            add(
                &mut forms,
                format!("{} {}", self.assignment_text(), join_raw(&self.words)),
            );
        }
        let mut pending = vec![0];
        let mut seen = Vec::new();
        while let Some(start) = pending.pop() {
            if start >= arguments.len()
                || seen.contains(&start)
                || seen.len() > 2 * wrappers::MOST_WRAPPERS
            {
                continue;
            }
            seen.push(start);
            let rest = &self.words[start..];
            add(&mut forms, join_text(rest));
            add(&mut forms, join_raw(rest));
            let Some(word) = arguments[start].literal() else {
                continue;
            };
            let name = wrappers::base_name(word);
            if name != word {
                let tail = join_text(&rest[1..]);
                add(
                    &mut forms,
                    if tail.is_empty() {
                        name.to_owned()
                    } else {
                        format!("{name} {tail}")
                    },
                );
            }
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
        forms
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

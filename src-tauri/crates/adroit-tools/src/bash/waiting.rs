//! What is said of a command that waits for somebody where nobody can type.

use adroit_process::Wanted;
use adroit_shell::Analysis;

use super::classify;

/// Said once with the first end of input.
pub(super) const GIVEN_END_OF_INPUT: &str = "The command waited for input on its terminal. Nobody \
     can type in this run, so it was given the end of input. Pass the answers as flags or on \
     standard input.";

/// How often a command gets the end of input before it is ended: some ask again
/// and again. For a program that draws on the whole screen, Ctrl-D is a key like
/// any other, and scrolls at best.
pub(super) fn ends_of_input(wanted: Wanted) -> u32 {
    match wanted {
        Wanted::Lines => 3,
        Wanted::Keys => 1,
        Wanted::Screen => 0,
    }
}

/// How a command was ended that goes on waiting: a stable word, a few words for
/// the row, and a sentence for the model.
pub(super) fn ended(wanted: Wanted, analysis: &Analysis) -> (&'static str, String, String) {
    let (code, summary, sentence) = match wanted {
        Wanted::Lines => (
            "waits_for_input",
            "waits for input",
            "Ended: the command goes on asking for input, and nobody can type in this run.",
        ),
        Wanted::Keys | Wanted::Screen => (
            "needs_a_person",
            "needs a person at its terminal",
            "Ended: the command is an interactive program that waits for keys, as full-screen \
             programs, editors and pagers do, and nobody can press them in this run.",
        ),
    };
    let mut sentence = sentence.to_owned();
    if let Some(instead) = analysis.parts.iter().find_map(|part| {
        let name = classify::name(part)?;
        instead(name)
    }) {
        sentence.push(' ');
        sentence.push_str(instead);
    }
    (code, summary.to_owned(), sentence)
}

/// What to do instead of a command that goes on until somebody ends it, where one of its
/// parts is of that kind.
pub(super) fn never_ends(analysis: &Analysis) -> Option<&'static str> {
    const FOLLOWERS: &[&str] = &["tail", "journalctl", "docker", "kubectl", "podman", "dmesg"];
    analysis.parts.iter().find_map(|part| {
        let name = classify::name(part)?;
        let follows = || {
            part.words.iter().skip(1).any(|word| {
                let text = word.text.as_deref().unwrap_or_default();
                matches!(text, "--follow" | "-f" | "-F" | "-w")
                    || text.starts_with("--follow=")
                    || text.starts_with('-')
                        && !text.starts_with("--")
                        && text.ends_with(['f', 'F'])
            })
        };
        if name == "watch" {
            return Some(
                "`watch` goes on until somebody ends it: run the watched command itself, once.",
            );
        }
        (FOLLOWERS.contains(&name) && follows()).then_some(
            "It follows its input until somebody ends it: leave the option to follow out, or start \
             it with run_in_background and read it with TaskOutput.",
        )
    })
}

/// What does the same without a person.
fn instead(program: &str) -> Option<&'static str> {
    Some(match program {
        "top" | "htop" | "btop" | "atop" => {
            "For one look use `top -b -n 1 | head -n 30`, or `ps aux --sort=-%cpu | head`."
        }
        "vim" | "vi" | "nvim" | "view" | "nano" | "pico" | "emacs" | "micro" | "hx" | "mcedit" => {
            "Read files with Read, and change them with Edit or Write."
        }
        "less" | "more" | "most" | "man" | "info" => "Print the text with `cat`, or read the file.",
        "watch" => "Run the watched command itself, once.",
        "tmux" | "screen" | "byobu" | "zellij" => {
            "For what is to go on, start the command with run_in_background."
        }
        "python" | "python3" | "ipython" | "node" | "irb" | "psql" | "mysql" | "sqlite3" => {
            "Pass what it is to run as an argument, or on standard input."
        }
        _ => return None,
    })
}

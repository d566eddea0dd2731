//! Which of the person's functions and aliases commands get.

use adroit_process::Definition;

/// Programs that print names and sizes alone, with their options that take no value
/// and change only how that looks.
const LISTING: &[&str] = &["ls", "dir", "vdir", "df", "du", "free", "tree"];

/// Whether a function or an alias of the person goes on to commands.
///
/// A command is judged by the names in it, so a name that the analysis knows must
/// mean what it says. Blocks `ls` that is judged as reading while the person's
/// function of that name removes files, `rg` that stands for `rg --pre ./x`, and
/// `cd` or `echo` that do more than the shell's own. An alias stays that is the same
/// command in colour; then `grep` is still grep, and every word is where it was.
pub fn keeps_definition(definition: &Definition<'_>) -> bool {
    if !adroit_shell::decides(definition.name()) {
        return true;
    }
    match definition {
        Definition::Function { .. } => false,
        Definition::Alias { name, value } => value
            .as_deref()
            .is_some_and(|value| is_same_command(name, value)),
    }
}

fn is_same_command(name: &str, value: &str) -> bool {
    // A blank at the end would make an alias of the next word too, which the
    // analysis takes for an operand.
    if value.ends_with(char::is_whitespace) {
        return false;
    }
    let mut words = value.split(' ').filter(|word| !word.is_empty());
    words.next() == Some(name) && words.all(|option| is_cosmetic(name, option))
}

/// Whether an option changes only how a program prints. None that may take the next
/// word for its value: what the analysis took for an operand would be that.
fn is_cosmetic(name: &str, option: &str) -> bool {
    let colour = option
        .strip_prefix("--color=")
        .or_else(|| option.strip_prefix("--colour="));
    if let Some(when) = colour {
        return matches!(when, "auto" | "always" | "never" | "tty");
    }
    if !LISTING.contains(&name) {
        return false;
    }
    matches!(
        option,
        "--human-readable" | "--group-directories-first" | "--classify"
    ) || option.strip_prefix('-').is_some_and(|letters| {
        !letters.is_empty() && letters.chars().all(|letter| "aAlhFGpC1".contains(letter))
    })
}

#[cfg(test)]
mod tests {
    use adroit_process::{EnvironmentSource, LoginEnvironment};

    use super::super::tests::Fixture;
    use super::*;

    fn keeps_alias(name: &str, value: &str) -> bool {
        keeps_definition(&Definition::Alias {
            name,
            value: Some(value.to_owned()),
        })
    }

    #[test]
    fn a_known_name_means_what_it_says() {
        for (name, value) in [
            ("ls", "rm -rf build"),
            ("ls", "ls; rm x"),
            ("ls", "ls $(rm x)"),
            ("ls", "ls ."),
            ("ls", "ls "),
            ("ls", "\\ls --color=auto"),
            ("ls", "eza"),
            ("ls", ""),
            ("ls", "--color=auto"),
            ("grep", "grep -r"),
            ("grep", "grep -f"),
            ("grep", "grep --color"),
            ("grep", "grep --color=auto --exclude-dir=.git"),
            ("rg", "rg --pre=./x"),
            ("sort", "sort -o"),
            ("git", "git -c core.pager=./x"),
            ("git", "hub"),
            ("cat", "bat"),
            ("rm", "rm -i"),
            ("cp", "cp -i"),
            ("sudo", "sudo "),
            ("cd", "z"),
            ("if", "rm"),
            ("[", "rm"),
            ("xargs", "xargs rm"),
            ("npm", "pnpm"),
        ] {
            assert!(!keeps_alias(name, value), "{name}={value}");
        }
        let unknown = Definition::Alias {
            name: "ls",
            value: None,
        };
        assert!(!keeps_definition(&unknown));
        for name in [
            "ls", "cd", "echo", "git", "rm", "test", "env", "docker", "cargo", "command",
        ] {
            assert!(!keeps_definition(&Definition::Function { name }), "{name}");
        }
    }

    #[test]
    fn colour_and_names_of_the_persons_own_stay() {
        for (name, value) in [
            ("ls", "ls --color=auto"),
            ("ls", "ls -lhF --color=auto --group-directories-first"),
            ("grep", "grep --color=auto"),
            ("egrep", "egrep --color=auto"),
            ("diff", "diff --color=auto"),
            ("df", "df -h"),
            ("ll", "ls -alF"),
            ("gs", "git status"),
            ("please", "sudo "),
        ] {
            assert!(keeps_alias(name, value), "{name}={value}");
        }
        assert!(keeps_definition(&Definition::Function { name: "greet" }));
    }

    /// The login shell of a person whose start-up files hold both kinds.
    #[tokio::test]
    async fn what_was_judged_as_reading_is_what_runs() {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(
            home.path().join(".bash_profile"),
            "ls() { touch ran; }\ncd() { touch ran; }\nfunction /bin/cat { touch ran; }\n\
             command_not_found_handle() { touch ran; }\n\
             alias cat='touch ran #'\nalias head='touch ran\nhead'\n\
             alias grep='grep --color=auto'\nalias ll='ls -a'\ngreet() { echo hello; }\n",
        )
        .unwrap();
        let fixture = Fixture::with(|supervisor| {
            let home = home.path().to_owned();
            LoginEnvironment::of_home(supervisor, EnvironmentSource::Auto, home)
                .with_definitions(keeps_definition)
        });
        std::fs::write(fixture.root.join("a"), "text\n").unwrap();
        for (command, printed) in [
            ("ls", "a"),
            ("cd . && cat a", "text"),
            ("/bin/cat a", "text"),
            ("head -n 1 a", "text"),
            ("rg_that_is_missing 2>/dev/null; ls", "a"),
            ("alias grep", "alias grep='grep --color=auto'"),
            ("ll -d a", "a"),
            ("greet", "hello"),
        ] {
            assert_eq!(fixture.text(command).await, printed, "{command}");
        }
    }
}

//! `new-tool NAME`: the folder, the line in the table and the tests of a new tool.
//!
//! The template is a tool of its own, `crates/adroit-tools/src/scaffold`, which is compiled
//! and held to the contract with every test run: what is copied works.

use std::fs;
use std::path::Path;

use crate::outcome::{Outcome, Problem};

/// Where tools are.
const TOOLS: &str = "src-tauri/crates/adroit-tools/src";
/// The folder that is copied, and the type in it.
const TEMPLATE: (&str, &str) = ("scaffold", "Scaffold");

/// Makes a tool.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let [name] = arguments else {
        return Err("new-tool takes one name, as in `cargo xtask new-tool WebFetch`".into());
    };
    let folder = make(&crate::root().join(TOOLS), name)?;
    println!(
        "Made {TOOLS}/{folder}/ and its line in the table.\n\
         Now: say what it is for in prompt.md, what it takes in mod.rs, what it does in call.rs, and how it\n\
         looks in presentation.rs. Then `cargo xtask test --fast {folder}`."
    );
    Ok(())
}

/// Copies the template below `tools` and enters it in `lib.rs`; gives the folder's name.
fn make(tools: &Path, name: &str) -> Outcome<String> {
    check_name(name)?;
    let folder = snake_case(name);
    let target = tools.join(&folder);
    if target.exists() {
        return Err(format!("{} is there already", target.display()).into());
    }
    let table = tools.join("lib.rs");
    let text = read(&table)?;
    // The table first: where it cannot be entered nothing is left lying about.
    let entered = enter(&text, name, &folder)?;
    fs::create_dir(&target).map_err(|error| cannot("made", &target, &error))?;
    let template = tools.join(TEMPLATE.0);
    let entries = fs::read_dir(&template).map_err(|error| cannot("read", &template, &error))?;
    for entry in entries {
        let entry = entry.map_err(|error| cannot("read", &template, &error))?;
        let copy = read(&entry.path())?
            .replace(TEMPLATE.1, name)
            .replace(TEMPLATE.0, &folder);
        let path = target.join(entry.file_name());
        fs::write(&path, copy).map_err(|error| cannot("written", &path, &error))?;
    }
    fs::write(&table, entered).map_err(|error| cannot("written", &table, &error))?;
    Ok(folder)
}

fn check_name(name: &str) -> Outcome {
    let plain = name
        .chars()
        .all(|character| character.is_ascii_alphanumeric());
    let begins_well = name.starts_with(|first: char| first.is_ascii_uppercase());
    if plain && begins_well && name != TEMPLATE.1 {
        return Ok(());
    }
    Err(format!(
        "`{name}` is no name for a tool: write it like `WebFetch`, letters and digits only"
    )
    .into())
}

fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    for character in name.chars() {
        if character.is_ascii_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.push(character.to_ascii_lowercase());
    }
    snake
}

/// `lib.rs` with the tool in it: its module, its exports, its name and its value.
fn enter(text: &str, name: &str, folder: &str) -> Outcome<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    insert(&mut lines, &format!("mod {folder};"), |line| {
        line.starts_with("mod ") && line.ends_with(';')
    })?;
    let exports = format!("pub use {folder}::{{{name}, {name}Input, {name}Output}};");
    insert(&mut lines, &exports, |line| line.starts_with("pub use "))?;
    insert(&mut lines, &format!("    \"{name}\","), |line| {
        line.starts_with("    \"") && line.ends_with("\",")
    })?;
    let value = format!("        erase({name}::new(services.clone())),");
    insert(&mut lines, &value, |line| {
        line.starts_with("        erase(")
    })?;
    let count = lines
        .iter()
        .filter(|line| line.starts_with("    \"") && line.ends_with("\","))
        .count();
    let declaration = lines
        .iter_mut()
        .find(|line| line.starts_with("pub const NAMES: [&str; "))
        .ok_or("lib.rs has no table `NAMES`")?;
    *declaration = format!("pub const NAMES: [&str; {count}] = [");
    Ok(lines.join("\n") + "\n")
}

/// Puts a line among its like, in order.
fn insert(lines: &mut Vec<String>, new: &str, is_like: impl Fn(&str) -> bool) -> Outcome {
    let like: Vec<usize> = (0..lines.len())
        .filter(|index| is_like(&lines[*index]))
        .collect();
    if like.iter().any(|index| lines[*index] == new) {
        return Err(format!("lib.rs has `{}` already", new.trim()).into());
    }
    let after = like.iter().rfind(|index| lines[**index].as_str() < new);
    let place = match (after, like.first()) {
        (Some(after), _) => after + 1,
        (None, Some(first)) => *first,
        (None, None) => return Err(format!("lib.rs has no place for `{}`", new.trim()).into()),
    };
    lines.insert(place, new.to_owned());
    Ok(())
}

fn read(path: &Path) -> Outcome<String> {
    fs::read_to_string(path).map_err(|error| cannot("read", path, &error))
}

fn cannot(what: &str, path: &Path, error: &std::io::Error) -> Problem {
    format!("{} could not be {what}: {error}", path.display()).into()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    /// The real crate's sources, copied.
    struct Copied(PathBuf);

    impl Copied {
        fn new(name: &str) -> Self {
            let folder = std::env::temp_dir().join(format!("adroit-{name}-{}", std::process::id()));
            let _ = fs::remove_dir_all(&folder);
            let source = crate::root().join(TOOLS);
            fs::create_dir_all(folder.join(TEMPLATE.0)).unwrap();
            for entry in fs::read_dir(source.join(TEMPLATE.0)).unwrap() {
                let entry = entry.unwrap();
                fs::copy(
                    entry.path(),
                    folder.join(TEMPLATE.0).join(entry.file_name()),
                )
                .unwrap();
            }
            fs::copy(source.join("lib.rs"), folder.join("lib.rs")).unwrap();
            Self(folder)
        }

        fn text(&self, path: &str) -> String {
            fs::read_to_string(self.0.join(path)).unwrap()
        }
    }

    impl Drop for Copied {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn lines_like(text: &str, is_like: impl Fn(&str) -> bool) -> Vec<String> {
        text.lines()
            .filter(|line| is_like(line))
            .map(str::to_owned)
            .collect()
    }

    #[test]
    fn a_tool_is_the_template_under_its_name_and_a_line_in_each_list() {
        let copied = Copied::new("new-tool");
        let before = copied.text("lib.rs");
        assert_eq!(make(&copied.0, "ReadMail").unwrap(), "read_mail");
        let module = copied.text("read_mail/mod.rs");
        assert!(module.contains("pub struct ReadMail {") && module.contains("\"ReadMail\""));
        for file in [
            "mod.rs",
            "call.rs",
            "presentation.rs",
            "prompt.md",
            "tests.rs",
        ] {
            assert!(
                !copied
                    .text(&format!("read_mail/{file}"))
                    .contains("caffold"),
                "{file}"
            );
        }
        let after = copied.text("lib.rs");
        let is_name = |line: &str| line.starts_with("    \"") && line.ends_with("\",");
        let names = lines_like(&after, is_name);
        let mut sorted = names.clone();
        sorted.sort();
        assert_eq!(names, sorted);
        assert_eq!(names.len(), lines_like(&before, is_name).len() + 1);
        assert!(after.contains(&format!("pub const NAMES: [&str; {}] = [", names.len())));
        for line in [
            "mod read_mail;",
            "pub use read_mail::{ReadMail, ReadMailInput, ReadMailOutput};",
            "        erase(ReadMail::new(services.clone())),",
        ] {
            assert_eq!(lines_like(&after, |other| other == line).len(), 1, "{line}");
        }
        // All that was there is still there.
        let kept = |line: &&str| !line.starts_with("pub const NAMES");
        for line in before.lines().filter(kept) {
            assert!(after.contains(line), "{line}");
        }
    }

    #[test]
    fn what_is_there_is_not_overwritten() {
        let copied = Copied::new("new-tool-twice");
        make(&copied.0, "ReadMail").unwrap();
        let before = copied.text("lib.rs");
        assert!(make(&copied.0, "ReadMail").is_err());
        assert_eq!(copied.text("lib.rs"), before);
    }

    #[test]
    fn names_are_written_like_those_of_tools() {
        for name in [
            "webFetch",
            "web_fetch",
            "Web-Fetch",
            "",
            "../x",
            "Scaffold",
            "1st",
        ] {
            assert!(check_name(name).is_err(), "{name}");
        }
        assert_eq!(snake_case("WebFetch2"), "web_fetch2");
    }
}

//! What a manifest tells of a project.

use serde_json::Value;

/// What was found in one manifest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Facts {
    file: String,
    kind: &'static str,
    /// The project's name.
    pub(super) name: Option<String>,
    /// Its description.
    pub(super) about: Option<String>,
    version: Option<String>,
    dependencies: Vec<String>,
    commands: Vec<String>,
}

impl Facts {
    /// As a paragraph and a list.
    pub(super) fn markdown(&self) -> String {
        let mut lines = vec![format!("### {} (`{}`)\n", self.kind, self.file)];
        let name = self.name.as_ref().map(|name| format!("**{name}**"));
        let version = self
            .version
            .as_ref()
            .map(|version| format!("version {version}"));
        let named: Vec<String> = name.into_iter().chain(version).collect();
        if !named.is_empty() {
            lines.push(format!("- {}", named.join(", ")));
        }
        if !self.dependencies.is_empty() {
            let shown: Vec<&str> = self
                .dependencies
                .iter()
                .take(8)
                .map(String::as_str)
                .collect();
            let more = if self.dependencies.len() > shown.len() {
                " …"
            } else {
                ""
            };
            lines.push(format!("- depends on {}{more}", shown.join(", ")));
        }
        if !self.commands.is_empty() {
            let shown: Vec<String> = self
                .commands
                .iter()
                .take(8)
                .map(|command| format!("`{command}`"))
                .collect();
            lines.push(format!("- {}", shown.join(", ")));
        }
        lines.join("\n")
    }
}

/// The facts of a file that is a manifest.
pub(super) fn facts(path: &str, text: &str) -> Option<Facts> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let mut facts = match name {
        "Cargo.toml" => cargo(text),
        "package.json" => npm(text)?,
        "pyproject.toml" => python(text),
        "go.mod" => go(text),
        "Makefile" => make(text),
        _ => return None,
    };
    facts.file = path.to_owned();
    Some(facts)
}

/// `key = "value"` of one section of a TOML file, and the keys of another.
fn toml_value(text: &str, sections: &[&str], key: &str) -> Option<String> {
    toml_lines(text, sections).find_map(|line| {
        let (name, value) = line.split_once('=')?;
        (name.trim() == key).then(|| value.trim().trim_matches(['"', '\'']).to_owned())
    })
}

fn toml_keys(text: &str, sections: &[&str]) -> Vec<String> {
    toml_lines(text, sections)
        .filter_map(|line| line.split_once('=').map(|(name, _)| name))
        .map(|name| name.trim().split('.').next().unwrap_or_default().to_owned())
        .filter(|name| {
            !name.is_empty() && !name.starts_with('#') && !name.contains(['{', '[', '"', ' '])
        })
        .collect()
}

fn toml_lines<'a>(text: &'a str, sections: &'a [&str]) -> impl Iterator<Item = &'a str> {
    let mut inside = false;
    text.lines().filter(move |line| {
        if let Some(section) = line
            .trim()
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
        {
            inside = sections.contains(&section);
            return false;
        }
        inside
    })
}

fn cargo(text: &str) -> Facts {
    let package = &["package", "workspace.package"];
    Facts {
        kind: "Rust",
        name: toml_value(text, package, "name"),
        about: toml_value(text, package, "description"),
        version: toml_value(text, package, "version"),
        dependencies: toml_keys(text, &["dependencies", "workspace.dependencies"]),
        commands: ["cargo build", "cargo test"].map(str::to_owned).into(),
        ..Facts::default()
    }
}

fn python(text: &str) -> Facts {
    let project = &["project", "tool.poetry"];
    Facts {
        kind: "Python",
        name: toml_value(text, project, "name"),
        about: toml_value(text, project, "description"),
        version: toml_value(text, project, "version"),
        dependencies: toml_keys(text, &["tool.poetry.dependencies"]),
        ..Facts::default()
    }
}

fn npm(text: &str) -> Option<Facts> {
    let manifest: Value = serde_json::from_str(text).ok()?;
    let word = |name: &str| manifest[name].as_str().map(str::to_owned);
    let keys = |name: &str| -> Vec<String> {
        manifest[name]
            .as_object()
            .map(|fields| fields.keys().cloned().collect())
            .unwrap_or_default()
    };
    Some(Facts {
        kind: "Node",
        name: word("name"),
        about: word("description"),
        version: word("version"),
        dependencies: keys("dependencies"),
        commands: keys("scripts")
            .iter()
            .map(|script| format!("npm run {script}"))
            .collect(),
        ..Facts::default()
    })
}

fn go(text: &str) -> Facts {
    Facts {
        kind: "Go",
        name: text
            .lines()
            .find_map(|line| line.strip_prefix("module "))
            .map(|name| name.trim().to_owned()),
        commands: ["go build ./...", "go test ./..."]
            .map(str::to_owned)
            .into(),
        ..Facts::default()
    }
}

fn make(text: &str) -> Facts {
    let target = |line: &str| {
        let (name, rest) = line.split_once(':')?;
        let plain = name
            .chars()
            .all(|character| character.is_ascii_alphanumeric() || "_-".contains(character));
        (plain && !name.is_empty() && !rest.starts_with('=')).then(|| format!("make {name}"))
    };
    Facts {
        kind: "Make",
        commands: text.lines().filter_map(target).collect(),
        ..Facts::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifests_tell() {
        let cargo = facts(
            "Cargo.toml",
            "[package]\nname = \"thing\"\nversion = \"1.2.0\"\ndescription = \"Does it\"\n[dependencies]\nserde.workspace = true\ntokio = { version = \"1\" }\n[dev-dependencies]\nx = \"1\"\n",
        );
        insta::assert_snapshot!(cargo.unwrap().markdown(), @r"
        ### Rust (`Cargo.toml`)

        - **thing**, version 1.2.0
        - depends on serde, tokio
        - `cargo build`, `cargo test`
        ");
        let npm = facts(
            "package.json",
            r#"{"name": "web", "scripts": {"dev": "x"}, "dependencies": {"react": "1"}}"#,
        );
        insta::assert_snapshot!(npm.unwrap().markdown(), @r"
        ### Node (`package.json`)

        - **web**
        - depends on react
        - `npm run dev`
        ");
        let make = facts("Makefile", "CC := gcc\nall: x\n\tcc\n.PHONY: all\ntest:\n").unwrap();
        assert_eq!(make.commands, ["make all", "make test"]);
        assert_eq!(facts("package.json", "{broken"), None);
        assert_eq!(facts("README.md", "# x"), None);
    }
}

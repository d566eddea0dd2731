//! The workspace as Cargo sees it.

use crate::outcome::Outcome;
use crate::process::{cargo, output};
use serde_json::Value;

/// One package of the workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Member {
    /// Its name.
    pub(crate) name: String,
    /// Its folder from the root, with slashes; empty for the root itself.
    pub(crate) folder: String,
    /// What it needs when it runs. What its tests need is not here.
    pub(crate) dependencies: Vec<String>,
    /// Everything that it needs, tests and build scripts included.
    pub(crate) all_dependencies: Vec<String>,
    /// Its benchmarks.
    pub(crate) benches: Vec<String>,
}

/// All packages of the workspace.
pub(crate) fn members() -> Outcome<Vec<Member>> {
    let text = output(cargo().args(["metadata", "--format-version", "1", "--no-deps"]))
        .ok_or("`cargo metadata` failed: is every Cargo.toml well-formed?")?;
    parse(&text)
}

fn parse(text: &str) -> Outcome<Vec<Member>> {
    let metadata: Value = serde_json::from_str(text)
        .map_err(|error| format!("`cargo metadata` printed something unexpected: {error}"))?;
    let root = format!("{}/", string(&metadata, "workspace_root"));
    Ok(array(&metadata, "packages")
        .map(|package| member(package, &root))
        .collect())
}

fn member(package: &Value, root: &str) -> Member {
    let named = |keep: fn(&Value) -> bool| {
        let mut names: Vec<String> = array(package, "dependencies")
            .filter(|dependency| keep(dependency))
            .map(|dependency| string(dependency, "name").to_owned())
            .collect();
        names.sort();
        names.dedup();
        names
    };
    let manifest = string(package, "manifest_path");
    let manifest = manifest.strip_prefix(root).unwrap_or(manifest);
    Member {
        name: string(package, "name").to_owned(),
        folder: manifest
            .trim_end_matches("Cargo.toml")
            .trim_end_matches('/')
            .to_owned(),
        // Cargo calls the ordinary kind null.
        dependencies: named(|dependency| dependency.get("kind").is_none_or(Value::is_null)),
        all_dependencies: named(|_| true),
        benches: array(package, "targets")
            .filter(|target| array(target, "kind").any(|kind| kind == "bench"))
            .map(|target| string(target, "name").to_owned())
            .collect(),
    }
}

fn string<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn array<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    value
        .get(key)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_read() {
        let text = r#"{"workspace_root": "/r", "packages": [{
            "name": "a", "manifest_path": "/r/crates/a/Cargo.toml",
            "dependencies": [
                {"name": "b", "kind": null}, {"name": "c", "kind": "dev"}, {"name": "b", "kind": null}
            ],
            "targets": [{"name": "a", "kind": ["lib"]}, {"name": "speed", "kind": ["bench"]}]
        }]}"#;
        assert_eq!(
            parse(text).unwrap(),
            [Member {
                name: "a".into(),
                folder: "crates/a".into(),
                dependencies: vec!["b".into()],
                all_dependencies: vec!["b".into(), "c".into()],
                benches: vec!["speed".into()],
            }]
        );
        assert!(parse("nonsense").is_err());
    }
}

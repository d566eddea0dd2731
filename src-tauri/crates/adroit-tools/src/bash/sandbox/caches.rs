//! Folders outside of a project in which everyday tools keep what they download and
//! build. Without them `cargo build`, `npm ci` and `go build` would fail in a sandbox.
//!
//! Only data is listed, not what is run from there by name: `~/.cargo/registry` and not
//! `~/.cargo/bin`, `~/.gradle/caches` and not `~/.gradle/init.d`. `~/.cache` is listed
//! whole, though some tools keep programs in it (browsers for tests, hooks of pre-commit):
//! too many need it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// A folder below home, or below the folder that a variable names in place of `home`.
struct Cache {
    /// The tool's program: where it is installed, the folder is made when it is missing.
    program: &'static str,
    /// Says where the first folder of `place` lies instead.
    variable: Option<&'static str>,
    /// Below home.
    home: &'static str,
    /// Below that.
    places: &'static [&'static str],
}

const CACHES: &[Cache] = &[
    cache("cargo", Some("CARGO_HOME"), ".cargo", &["registry", "git"]),
    cache("npm", Some("npm_config_cache"), ".npm", &[""]),
    cache("go", Some("GOMODCACHE"), "go/pkg/mod", &[""]),
    cache("go", Some("GOPATH"), "go", &["pkg"]),
    cache("go", Some("GOCACHE"), ".cache/go-build", &[""]),
    cache("yarn", None, ".yarn/berry", &["cache", "index", "metadata"]),
    cache("pnpm", None, ".local/share/pnpm", &["store"]),
    cache("bun", None, ".bun/install", &["cache"]),
    cache(
        "gradle",
        Some("GRADLE_USER_HOME"),
        ".gradle",
        &[
            "caches",
            "daemon",
            "native",
            "notifications",
            "workers",
            "wrapper/dists",
            ".tmp",
        ],
    ),
    cache("mvn", None, ".m2", &["repository"]),
    cache("dotnet", None, ".nuget", &["packages"]),
    cache("sbt", None, ".ivy2", &["cache"]),
    cache("cabal", None, ".cabal", &["packages", "store"]),
    cache("mix", None, ".hex", &["packages"]),
    cache("dart", None, ".pub-cache", &["hosted", "git"]),
    cache("conan", None, ".conan2", &["p"]),
    cache("ccache", Some("CCACHE_DIR"), ".ccache", &[""]),
    cache("kubectl", None, ".kube", &["cache"]),
    cache("terraform", None, ".terraform.d", &["plugin-cache"]),
];

/// Files beside a cache that its tool locks: existing ones may be written.
const FILES: &[(Option<&str>, &str, &[&str])] = &[(
    Some("CARGO_HOME"),
    ".cargo",
    &[".package-cache", ".package-cache-mutate", ".global-cache"],
)];

const fn cache(
    program: &'static str,
    variable: Option<&'static str>,
    home: &'static str,
    places: &'static [&'static str],
) -> Cache {
    Cache {
        program,
        variable,
        home,
        places,
    }
}

/// The caches of this person, made where their tool is installed and never ran. `variable`
/// tells the environment of commands.
pub(super) fn of<'a>(home: &Path, variable: impl Fn(&str) -> Option<&'a OsStr>) -> Vec<PathBuf> {
    let path = variable("PATH");
    let at = |name: Option<&str>, usual: &str| {
        name.and_then(&variable)
            .map(PathBuf::from)
            .filter(|place| place.is_absolute())
            .unwrap_or_else(|| home.join(usual))
    };
    let shared = at(Some("XDG_CACHE_HOME"), ".cache");
    // Everybody's; nothing is to be read from it that is not there yet.
    let mut found = vec![shared];
    if home.is_dir() {
        make(&found[0]);
    }
    for cache in CACHES {
        let base = at(cache.variable, cache.home);
        let wanted = home.is_dir() && is_installed(cache.program, path);
        for place in cache.places {
            let place = if place.is_empty() {
                base.clone()
            } else {
                base.join(place)
            };
            if wanted {
                make(&place);
            }
            found.push(place);
        }
    }
    for (name, usual, files) in FILES {
        let base = at(*name, usual);
        found.extend(files.iter().map(|file| base.join(file)));
    }
    found.retain(|place| place.exists());
    found
}

/// A folder that cannot be made is one that the tool could not make either.
fn make(place: &Path) {
    if !place.exists() {
        let _ = std::fs::create_dir_all(place);
    }
}

fn is_installed(program: &str, path: Option<&OsStr>) -> bool {
    path.is_some_and(|path| {
        std::env::split_paths(path).any(|folder| folder.join(program).is_file())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_made_for_tools_that_are_there_and_only_for_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let home = folder.path().join("home");
        let programs = folder.path().join("bin");
        std::fs::create_dir_all(&programs).expect("a folder");
        std::fs::create_dir_all(&home).expect("a folder");
        std::fs::write(programs.join("npm"), "").expect("a file");
        let elsewhere = folder.path().join("elsewhere");
        let found = of(&home, |name| match name {
            "PATH" => Some(programs.as_os_str()),
            "CARGO_HOME" => Some(elsewhere.as_os_str()),
            _ => None,
        });
        assert_eq!(found, [home.join(".cache"), home.join(".npm")]);
        std::fs::create_dir_all(elsewhere.join("registry")).expect("a folder");
        std::fs::write(elsewhere.join(".package-cache"), "").expect("a file");
        std::fs::create_dir_all(elsewhere.join("bin")).expect("a folder");
        let found = of(&home, |name| {
            (name == "CARGO_HOME").then_some(elsewhere.as_os_str())
        });
        assert!(found.contains(&elsewhere.join("registry")));
        assert!(found.contains(&elsewhere.join(".package-cache")));
        assert!(!found.contains(&elsewhere.join("bin")));
    }
}

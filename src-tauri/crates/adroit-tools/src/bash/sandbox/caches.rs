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
    /// Says where the first folder of `place` lies instead.
    variable: Option<&'static str>,
    /// Below home.
    home: &'static str,
    /// Below that.
    places: &'static [&'static str],
}

const CACHES: &[Cache] = &[
    cache(Some("CARGO_HOME"), ".cargo", &["registry", "git"]),
    cache(Some("npm_config_cache"), ".npm", &[""]),
    cache(Some("GOMODCACHE"), "go/pkg/mod", &[""]),
    cache(Some("GOPATH"), "go", &["pkg"]),
    cache(Some("GOCACHE"), ".cache/go-build", &[""]),
    cache(None, ".yarn/berry", &["cache", "index", "metadata"]),
    cache(None, ".local/share/pnpm", &["store"]),
    cache(None, ".bun/install", &["cache"]),
    cache(
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
    cache(None, ".m2", &["repository"]),
    cache(None, ".nuget", &["packages"]),
    cache(None, ".ivy2", &["cache"]),
    cache(None, ".cabal", &["packages", "store"]),
    cache(None, ".hex", &["packages"]),
    cache(None, ".pub-cache", &["hosted", "git"]),
    cache(None, ".conan2", &["p"]),
    cache(Some("CCACHE_DIR"), ".ccache", &[""]),
    cache(None, ".kube", &["cache"]),
    cache(None, ".terraform.d", &["plugin-cache"]),
];

/// Files beside a cache that its tool locks: existing ones may be written.
const FILES: &[(Option<&str>, &str, &[&str])] = &[(
    Some("CARGO_HOME"),
    ".cargo",
    &[".package-cache", ".package-cache-mutate", ".global-cache"],
)];

const fn cache(
    variable: Option<&'static str>,
    home: &'static str,
    places: &'static [&'static str],
) -> Cache {
    Cache {
        variable,
        home,
        places,
    }
}

/// Makes the caches that a tool of this command makes where they are missing, as it would do
/// itself if it could: on a new machine its first `npm ci` or `cargo build` would fail.
///
/// Below home, and nowhere that a variable names: such a place is a person's own matter.
pub(super) fn make(home: &Path, programs: &[String]) {
    const MADE: &[(&[&str], &[&str])] = &[
        (&["npm", "npx"], &[".npm"]),
        (&["cargo"], &[".cargo/registry", ".cargo/git"]),
        (&["go"], &["go/pkg/mod", ".cache/go-build"]),
        (&["pnpm"], &[".local/share/pnpm/store"]),
        (&["yarn"], &[".yarn/berry/cache", ".cache/yarn"]),
        (&["bun", "bunx"], &[".bun/install/cache"]),
        (&["mvn"], &[".m2/repository"]),
        (&["dotnet"], &[".nuget/packages"]),
        (&["pip", "pip3", "uv", "poetry"], &[".cache"]),
    ];
    let named = |tools: &[&str]| {
        programs
            .iter()
            .any(|program| tools.contains(&program.as_str()))
    };
    for place in MADE
        .iter()
        .filter(|(tools, _)| named(tools))
        .flat_map(|(_, places)| *places)
        .map(|place| home.join(place))
    {
        // What is made through a link would lie elsewhere: a command may have put it there.
        let through_link = place
            .ancestors()
            .take_while(|above| *above != home)
            .any(Path::is_symlink);
        if !through_link {
            // Where it cannot be made the tool itself could not, and tells of it.
            let _ = std::fs::create_dir_all(&place);
        }
    }
}

/// The caches of this person that exist. `variable` tells the environment of commands.
///
/// None is made here (see [`make`]): a person's home is not for this program to fill. And none counts
/// that is reached through a link: a command that may write `~/.cache` could put a link to
/// home there, and the next command would have all of it.
pub(super) fn of<'a>(home: &Path, variable: impl Fn(&str) -> Option<&'a OsStr>) -> Vec<PathBuf> {
    // Home itself may be reached through links: no command can change those.
    let Ok(home) = home.canonicalize() else {
        return Vec::new();
    };
    let at = |name: Option<&str>, usual: &str| {
        name.and_then(&variable)
            .map(PathBuf::from)
            .filter(|place| place.is_absolute())
            .unwrap_or_else(|| home.join(usual))
    };
    let mut found = vec![at(Some("XDG_CACHE_HOME"), ".cache")];
    for cache in CACHES {
        let base = at(cache.variable, cache.home);
        // Joining nothing would add a slash.
        let place = |place: &&str| {
            if place.is_empty() {
                base.clone()
            } else {
                base.join(place)
            }
        };
        found.extend(cache.places.iter().map(place));
    }
    for (name, usual, files) in FILES {
        let base = at(*name, usual);
        found.extend(files.iter().map(|file| base.join(file)));
    }
    found.retain(|place| {
        place.canonicalize().is_ok_and(|real| real == *place) && !home.starts_with(place)
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn home() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("a path");
        std::fs::create_dir(root.join("home")).expect("a folder");
        (folder, root)
    }

    #[test]
    fn what_exists_counts_and_nothing_is_made() {
        let (_folder, root) = home();
        let home = root.join("home");
        let path = std::env::var_os("PATH");
        let found = of(&home, |name| (name == "PATH").then_some(path.as_deref()?));
        assert_eq!(found, Vec::<PathBuf>::new());
        assert_eq!(std::fs::read_dir(&home).expect("home").count(), 0);

        let elsewhere = root.join("elsewhere");
        for name in ["registry", "bin"] {
            std::fs::create_dir_all(elsewhere.join(name)).expect("a folder");
        }
        std::fs::write(elsewhere.join(".package-cache"), "").expect("a file");
        std::fs::create_dir(home.join(".npm")).expect("a folder");
        let found = of(&home, |name| {
            (name == "CARGO_HOME").then_some(elsewhere.as_os_str())
        });
        assert_eq!(
            found,
            [
                elsewhere.join("registry"),
                home.join(".npm"),
                elsewhere.join(".package-cache")
            ]
        );
    }

    #[test]
    fn a_tool_that_is_named_gets_its_caches_and_no_other_does() {
        let (_folder, root) = home();
        let home = root.join("home");
        make(&home, &["sh".to_owned(), "make".to_owned()]);
        assert_eq!(std::fs::read_dir(&home).expect("home").count(), 0);
        make(&home, &["npm".to_owned(), "cargo".to_owned()]);
        assert_eq!(
            of(&home, |_| None),
            [
                home.join(".cargo/registry"),
                home.join(".cargo/git"),
                home.join(".npm")
            ]
        );
        // A link in its place is not followed.
        std::os::unix::fs::symlink(&root, home.join("go")).expect("a link");
        make(&home, &["go".to_owned()]);
        assert!(!root.join("pkg").exists());
    }

    #[test]
    fn a_link_home_and_what_is_above_are_no_caches() {
        let (_folder, root) = home();
        let home = root.join("home");
        std::fs::create_dir(home.join(".cache")).expect("a folder");
        std::os::unix::fs::symlink(&home, home.join(".cache/go-build")).expect("a link");
        std::os::unix::fs::symlink(&root, home.join(".m2")).expect("a link");
        std::fs::create_dir(root.join("repository")).expect("a folder");
        assert_eq!(of(&home, |_| None), [home.join(".cache")]);
        for place in [&home, &root] {
            let found = of(&home, |name| {
                (name == "GOCACHE" || name == "npm_config_cache").then_some(place.as_os_str())
            });
            assert_eq!(found, [home.join(".cache")]);
        }
    }
}

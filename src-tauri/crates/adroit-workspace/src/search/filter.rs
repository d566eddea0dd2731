//! Which files a content search looks at.

use std::path::Path;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use ignore::types::{Types, TypesBuilder};
use thiserror::Error;

use crate::near::distance;

/// Why a filter cannot be used.
#[derive(Debug, Error)]
pub enum FilterError {
    /// Not a glob.
    #[error("invalid glob {glob:?}: {reason}")]
    Glob {
        /// As given.
        glob: String,
        /// The parser's words.
        reason: String,
    },
    /// Not a known file type.
    #[error(
        "unknown file type {name:?}{}: use one of ripgrep's type names (for example rust, py, js, ts, go, java, cpp, md, json), or a glob instead",
        near_types(near)
    )]
    Type {
        /// As given.
        name: String,
        /// Known names like it.
        near: Vec<String>,
    },
    /// A glob that begins in nobody's home.
    #[error(
        "the pattern {glob:?} begins with ~, but the home folder is not known: write the absolute path"
    )]
    NoHome {
        /// As given.
        glob: String,
    },
}

fn near_types(near: &[String]) -> String {
    if near.is_empty() {
        String::new()
    } else {
        format!(" (did you mean {}?)", near.join(", "))
    }
}

/// Compiles one glob. `*` and `?` do not match `/`, `**` does, braces are alternatives.
pub(super) fn compile(glob: &str, source: &str) -> Result<globset::Glob, FilterError> {
    GlobBuilder::new(glob)
        .literal_separator(true)
        .empty_alternates(true)
        .build()
        .map_err(|error| FilterError::Glob {
            glob: source.to_owned(),
            reason: error.kind().to_string(),
        })
}

/// Adds a glob to a set. One with brackets stands for the name that it spells, too: `app/[id]/page.tsx` is
/// how some frameworks call their files, and a class of `i` and `d` is hardly what is meant.
fn add(set: &mut GlobSetBuilder, glob: &str, source: &str) -> Result<(), FilterError> {
    set.add(compile(glob, source)?);
    if glob.contains('[') && !glob.contains("[[]") {
        set.add(compile(&glob.replace('[', "[[]"), source)?);
    }
    Ok(())
}

/// What names one glob stands for.
#[derive(Clone, Debug)]
pub(super) enum Names {
    /// All of them: nothing is asked.
    All,
    /// A set knows patterns such as `**/*.rs` by the name's end, without an expression.
    Of(GlobSet),
}

impl Names {
    pub(super) fn new(glob: &str, source: &str) -> Result<Self, FilterError> {
        if matches!(glob, "**" | "**/*") {
            return Ok(Self::All);
        }
        let mut set = GlobSetBuilder::new();
        add(&mut set, glob, source)?;
        let built = set.build().map_err(|error| FilterError::Glob {
            glob: source.to_owned(),
            reason: error.kind().to_string(),
        });
        built.map(Self::Of)
    }

    pub(super) fn is_match(&self, relative: &Path) -> bool {
        match self {
            Self::All => true,
            Self::Of(set) => set.is_match(relative),
        }
    }
}

/// Globs that a path, relative to the searched folder, has to match or not to match.
#[derive(Clone, Debug, Default)]
pub(super) struct NameFilter {
    include: Option<GlobSet>,
    exclude: Option<GlobSet>,
}

impl NameFilter {
    /// Reads a list of globs, separated by white space or by commas outside braces; `!` excludes. A glob
    /// without `/` matches names at any depth.
    pub(super) fn new(globs: &str) -> Result<Self, FilterError> {
        let mut include = (GlobSetBuilder::new(), 0);
        let mut exclude = (GlobSetBuilder::new(), 0);
        for glob in split(globs) {
            let (set, plain) = match glob.strip_prefix('!') {
                Some(rest) => (&mut exclude, rest),
                None => (&mut include, glob.as_str()),
            };
            let plain = plain.strip_prefix("./").unwrap_or(plain);
            let anchored = match plain.strip_prefix('/') {
                Some(rest) => rest.to_owned(),
                None if plain.trim_end_matches('/').contains('/') => plain.to_owned(),
                None => format!("**/{plain}"),
            };
            // A folder stands for everything in it.
            if let Some(folder) = anchored.strip_suffix('/') {
                add(&mut set.0, &format!("{folder}/**"), &glob)?;
            } else {
                add(&mut set.0, &anchored, &glob)?;
                add(&mut set.0, &format!("{anchored}/**"), &glob)?;
            }
            set.1 += 1;
        }
        let build =
            |(builder, count): (GlobSetBuilder, usize)| -> Result<Option<GlobSet>, FilterError> {
                if count == 0 {
                    return Ok(None);
                }
                builder
                    .build()
                    .map(Some)
                    .map_err(|error| FilterError::Glob {
                        glob: globs.to_owned(),
                        reason: error.to_string(),
                    })
            };
        Ok(Self {
            include: build(include)?,
            exclude: build(exclude)?,
        })
    }

    pub(super) fn admits(&self, relative: &Path) -> bool {
        self.include
            .as_ref()
            .is_none_or(|set| set.is_match(relative))
            && self
                .exclude
                .as_ref()
                .is_none_or(|set| !set.is_match(relative))
    }
}

fn split(globs: &str) -> Vec<String> {
    let (mut parts, mut part, mut depth) = (Vec::new(), String::new(), 0_u32);
    for character in globs.chars() {
        match character {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' | ' ' | '\t' | '\n' if depth == 0 => {
                parts.push(std::mem::take(&mut part));
                continue;
            }
            _ => {}
        }
        part.push(character);
    }
    parts.push(part);
    parts.retain(|part| !part.is_empty() && part != "!");
    parts
}

/// The files of one of ripgrep's types.
pub(super) fn file_type(name: &str) -> Result<Types, FilterError> {
    let mut builder = TypesBuilder::new();
    builder.add_defaults();
    let definitions = builder.definitions();
    if !definitions
        .iter()
        .any(|definition| definition.name() == name)
    {
        let wanted = name.trim_start_matches('.').to_lowercase();
        let by_extension = format!("*.{wanted}");
        let mut near: Vec<(usize, String)> = definitions
            .iter()
            .filter_map(|definition| {
                let known = definition.name();
                let score = if definition.globs().contains(&by_extension) {
                    0
                } else if known.len() > 1
                    && (known.starts_with(&wanted) || wanted.starts_with(known))
                {
                    1
                } else {
                    let changes = distance(known, &wanted);
                    if changes * 3 > wanted.len().max(3) {
                        return None;
                    }
                    1 + changes
                };
                Some((score, known.to_owned()))
            })
            .collect();
        near.sort();
        let near = near.into_iter().take(5).map(|(_, name)| name).collect();
        return Err(FilterError::Type {
            name: name.to_owned(),
            near,
        });
    }
    builder.select(name);
    builder.build().map_err(|error| FilterError::Glob {
        glob: name.to_owned(),
        reason: error.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_of_a_list() {
        let filter = NameFilter::new("*.{ts,tsx}, src/**/*.rs !*.min.ts").unwrap();
        let admits = |path: &str| filter.admits(Path::new(path));
        assert!(admits("a.ts") && admits("deep/a.tsx") && admits("src/x/a.rs"));
        assert!(!admits("a.min.ts") && !admits("other/a.rs") && !admits("a.js"));
        let folder = NameFilter::new("!vendor/").unwrap();
        assert!(!folder.admits(Path::new("vendor/a.c")) && folder.admits(Path::new("a.c")));
        insta::assert_snapshot!(NameFilter::new("a{b").unwrap_err(), @r#"invalid glob "a{b": unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)"#);
    }

    #[test]
    fn brackets_are_a_class_and_a_name() {
        let filter = NameFilter::new("app/[id]/*.tsx").unwrap();
        let admits = |path: &str| filter.admits(Path::new(path));
        assert!(admits("app/[id]/page.tsx") && admits("app/d/page.tsx"));
        assert!(!admits("app/x/page.tsx") && !admits("app/[id]/page.css"));
        let one = Names::new("**/x[0-9].txt", "x").unwrap();
        let matches = |names: &Names, path: &str| names.is_match(Path::new(path));
        assert!(matches(&one, "a/x1.txt") && matches(&one, "a/x[0-9].txt"));
        let escaped = Names::new("x[[]1].txt", "x").unwrap();
        assert!(matches(&escaped, "x[1].txt") && !matches(&escaped, "x1.txt"));
        assert!(matches(&Names::new("**/*", "x").unwrap(), "any/thing"));
    }

    #[test]
    fn unknown_types_have_near_names() {
        assert!(file_type("ts").is_ok());
        let near = |name| match file_type(name) {
            Err(FilterError::Type { near, .. }) => near,
            other => panic!("{other:?}"),
        };
        assert!(near("mts").contains(&"ts".to_owned()));
        assert!(near("pyton").contains(&"python".to_owned()));
        insta::assert_snapshot!(file_type("nosuchtype").unwrap_err(), @r#"unknown file type "nosuchtype": use one of ripgrep's type names (for example rust, py, js, ts, go, java, cpp, md, json), or a glob instead"#);
    }
}

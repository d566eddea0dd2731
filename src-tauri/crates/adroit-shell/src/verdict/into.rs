//! Where a copy ends up: `cp -r evil/.git .` writes `.git`, though no word says so.

use super::operands::literal;
use super::{Use, Verdict};
use crate::arguments::Parsed;
use crate::evaluate::expand::{Argument, Shape};
use crate::types::{Access, Below};

/// Adds each source's name below the destination, which may be a folder.
pub(super) fn copied_into(name: &str, parsed: &Parsed, verdict: &mut Verdict) {
    let has = |names: &[&str]| {
        parsed
            .options
            .iter()
            .any(|given| names.contains(&given.name.as_str()))
    };
    let into = parsed
        .options
        .iter()
        .filter(|given| matches!(given.name.as_str(), "-t" | "--target-directory"))
        .find_map(|given| given.value.clone());
    // `install -d a b` makes folders and copies nothing; `rsync -t` keeps times.
    let copier = matches!(name, "rsync" | "scp");
    if name == "install" && has(&["-d", "--directory"]) {
        return;
    }
    let (sources, folder, named) = match (into, parsed.operands.as_slice()) {
        (Some(folder), sources) if !copier => (sources, folder, true),
        (_, [only]) if matches!(name, "ln" | "link") => (
            std::slice::from_ref(only),
            Argument::synthetic(".", only.span.clone()),
            true,
        ),
        (_, [sources @ .., folder]) if !sources.is_empty() => (sources, folder.clone(), false),
        _ => return,
    };
    let remote = copier && is_remote(folder.prefix());
    if remote || (has(&["-T", "--no-target-directory"]) && !copier) {
        return;
    }
    let certain = named
        || sources.len() > 1
        || folder
            .literal()
            .is_some_and(|text| text.ends_with('/') || matches!(text, "." | ".."));
    let here = folder.literal().is_none_or(|text| {
        let text = text.trim_end_matches('/');
        matches!(text, "" | "." | "~") || text.ends_with("..")
    });
    for source in sources {
        // rsync copies what lies in `evil/`: into a folder of its own, a copy like any other.
        if copier && !here && source.prefix().ends_with('/') {
            continue;
        }
        let parents = has(&["--parents", "-R", "--relative"]) && (copier || has(&["--parents"]));
        match (base_name(source, copier), folder.literal()) {
            // What it is called is known, and so is where it goes.
            (Base::Name(base), Some(text)) if certain => {
                let whole = if parents {
                    source.prefix().trim_start_matches('/').to_owned()
                } else {
                    base
                };
                verdict.uses(
                    literal(&format!("{}/{whole}", text.trim_end_matches('/')), &folder),
                    Access::Write,
                );
            }
            (base, _) => verdict.paths.push(Use {
                argument: folder.clone(),
                access: Access::Write,
                below: Some(Below {
                    // `mv * lib` moves what is here already; of `evil/*` nobody knows.
                    hidden: source.raw.contains('/') || !matches!(base, Base::Pattern(_)),
                    names: match base {
                        Base::Name(name) | Base::Pattern(name) => vec![name],
                        Base::Any => vec![Below::SOME.to_owned(), ".*".to_owned()],
                    },
                    perhaps: true,
                    one_by_one: false,
                    shallow: false,
                }),
            }),
        }
    }
}

/// What a source is called where it goes.
enum Base {
    Name(String),
    Pattern(String),
    /// `evil/.`, `$X`: names that nobody sees.
    Any,
}

fn base_name(source: &Argument, copier: bool) -> Base {
    let text = match &source.shape {
        Shape::Literal(text) => text.as_str(),
        Shape::Glob { text, .. } => text.as_str(),
        Shape::Unknown { .. } => {
            // `"$DIR"/name`: its end is fixed.
            let last = source.raw.trim_matches('"').rsplit('/').next();
            return match last {
                Some(last)
                    if source.raw.contains('/')
                        && !last.is_empty()
                        && !matches!(last, "." | "..")
                        && !last.contains([
                            '$', '`', '*', '?', '[', '{', '}', ')', '"', '\'', '\\',
                        ]) =>
                {
                    Base::Name(last.to_owned())
                }
                _ => Base::Any,
            };
        }
    };
    let text = match text.split_once(':') {
        Some((_, path)) if copier && is_remote(text) => path,
        _ => text,
    };
    // rsync copies what lies in `evil/`.
    if copier && text.ends_with('/') {
        return Base::Any;
    }
    let last = text.trim_end_matches('/').rsplit('/').next().unwrap_or("");
    match (&source.shape, last) {
        (_, "" | "." | "..") => Base::Any,
        (Shape::Glob { .. }, _) if last.contains(['*', '?', '[']) => Base::Pattern(last.to_owned()),
        _ => Base::Name(last.to_owned()),
    }
}

fn is_remote(text: &str) -> bool {
    text.split_once(':')
        .is_some_and(|(host, _)| !host.contains('/'))
}

//! Errors of the disk, in words for the model.

use adroit_tool::ToolFailure;
use adroit_workspace::search::{EmptyReason, LinksElsewhere, SearchError};
use adroit_workspace::{LoadError, ReadError, Resolved, Workspace, WriteError, near_names};

/// Near names that are offered.
const MAX_NEAR: usize = 3;

/// A link that leads nowhere is there, and is not what is missing.
fn broken_link(workspace: &Workspace, resolved: &Resolved, path: &str) -> Option<ToolFailure> {
    let target = resolved.path.read_link().ok()?;
    let message = format!(
        "{path} is a symbolic link to {}, which does not exist.",
        reveal(&workspace.display(&target))
    );
    Some(ToolFailure::new("not_found", message).with_summary("a link that leads nowhere"))
}

/// Nothing is there; names like it are offered.
pub(crate) fn not_found(workspace: &Workspace, resolved: &Resolved) -> ToolFailure {
    let path = workspace.display(&resolved.path);
    if let Some(failure) = broken_link(workspace, resolved, &path) {
        return failure;
    }
    let near: Vec<String> = near_names(&resolved.real, MAX_NEAR)
        .iter()
        .map(|near| reveal(&workspace.display(near)))
        .collect();
    let advice = match near.as_slice() {
        [] => " Look for it with Glob.".to_owned(),
        near => format!(" Did you mean {}?", near.join(", or ")),
    };
    let message = format!("{path} does not exist.{advice}");
    ToolFailure::new("not_found", message).with_summary("not found")
}

/// A name with what cannot be seen in it: the bare name, and the escaped one where they differ.
fn reveal(name: &str) -> String {
    let escaped: String = name
        .chars()
        .map(|character| {
            let hidden = (character.is_whitespace() && character != ' ')
                || matches!(character, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{ad}');
            if hidden { format!("\\u{:04x}", u32::from(character)) } else { character.to_string() }
        })
        .collect();
    if escaped == name {
        name.to_owned()
    } else {
        format!("{name} (in JSON: \"{escaped}\"; it holds characters that look like others)")
    }
}

/// Why a file could not be read.
pub(crate) fn read_failure(
    workspace: &Workspace,
    resolved: &Resolved,
    error: LoadError,
) -> ToolFailure {
    let path = workspace.display(&resolved.path);
    match error {
        LoadError::Read(ReadError::NotFound(_)) => not_found(workspace, resolved),
        LoadError::Read(ReadError::Denied(_)) => ToolFailure::new(
            "permission_denied",
            format!("Permission denied: the user that this program runs as may not read {path}. It exists; another path will not help."),
        )
        .with_summary("permission denied"),
        LoadError::Read(ReadError::NotAFile { kind, .. }) => {
            let advice = match kind {
                adroit_workspace::FileKind::Directory => format!("Name a file in it; Glob lists them, for example with pattern \"{path}/*\"."),
                _ => "Opening it could wait for ever, so it is neither read nor written.".to_owned(),
            };
            ToolFailure::new("not_a_file", format!("{path} is {}, not a file. {advice}", kind.words()))
                .with_summary(format!("is {}", kind.words()))
        }
        LoadError::Binary { kind, size, .. } => {
            let size = adroit_workspace::human_size(size);
            let advice = if kind == "application/pdf" {
                "Read gives the text of its pages."
            } else {
                "It is not text. Look at it with `file` or `xxd` in Bash where that helps. Write may replace it as a whole; the user is asked."
            };
            ToolFailure::new("binary_file", format!("{path} is a binary file ({kind}, {size}). {advice}"))
                .with_summary(format!("binary, {size}"))
        }
        error @ LoadError::Undecodable { .. } => {
            ToolFailure::new("undecodable", format!("{error}.")).with_summary("not decodable")
        }
        LoadError::Read(error @ ReadError::TooLarge { .. }) => {
            ToolFailure::new("too_large", format!("{error}.")).with_summary("too large")
        }
        LoadError::Read(error) => ToolFailure::new("read_failed", format!("{error}.")),
    }
}

/// Why a file was not written.
pub(crate) fn write_failure(error: WriteError) -> ToolFailure {
    let (code, summary) = match &error {
        WriteError::NoSpace { .. } => ("no_space", "no space left"),
        WriteError::Denied { .. } => ("permission_denied", "permission denied"),
        WriteError::ReadOnly { .. } => ("read_only_file_system", "read-only file system"),
        WriteError::ParentNotDirectory { .. } | WriteError::NoParent { .. } => {
            ("no_parent", "no such folder")
        }
        WriteError::NotAFile { .. } => ("not_a_file", "not a file"),
        WriteError::Changed { .. } | WriteError::Moved { .. } => ("changed", "changed meanwhile"),
        WriteError::Damaged { .. } => ("damaged", "written half way"),
        WriteError::Io { .. } => ("write_failed", "not written"),
    };
    ToolFailure::new(code, format!("{error}.")).with_summary(summary)
}

/// Why a search did not take place.
pub(crate) fn search_failure(error: SearchError) -> ToolFailure {
    let code = match &error {
        SearchError::Pattern { .. } => "invalid_pattern",
        SearchError::Filter(_) => "invalid_filter",
        SearchError::NotFound { .. } => "not_found",
        SearchError::NotSearchable { .. } => "not_a_file",
        SearchError::Cancelled => "cancelled",
    };
    ToolFailure::new(code, error.to_string()).with_summary(code.replace('_', " "))
}

/// What a search that found nothing did not look at, in one sentence.
pub(crate) fn ignored_note(
    workspace: &Workspace,
    empty: &EmptyReason,
    verb: &str,
) -> Option<String> {
    if empty.ignored_total == 0 {
        return None;
    }
    let names: Vec<String> = empty
        .ignored
        .iter()
        .map(|path| workspace.display(path))
        .collect();
    let by = match &empty.ignored_by {
        Some(file) => format!("hidden by {}", workspace.display(file)),
        None => "hidden by ignore files".to_owned(),
    };
    let more = empty.ignored_total.saturating_sub(names.len() as u64);
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    Some(format!(
        "ignored files do match ({by}): {}{more}. Name one as the path to {verb} it",
        names.join(", ")
    ))
}

/// Links that lead out of the folder that was searched, and what that means for the result.
pub(crate) fn links_note(
    workspace: &Workspace,
    links: &LinksElsewhere,
    meaning: &str,
) -> Option<String> {
    if links.total == 0 {
        return None;
    }
    let mut names: Vec<String> = links
        .named
        .iter()
        .map(|path| workspace.display(path))
        .collect();
    let more = links.total.saturating_sub(names.len() as u64);
    if more > 0 {
        names.push(format!("{more} more"));
    }
    let lead = if links.total == 1 {
        "link leads"
    } else {
        "links lead"
    };
    Some(format!(
        "{} {lead} out of the folder that was searched ({}); {meaning}",
        links.total,
        names.join(", ")
    ))
}

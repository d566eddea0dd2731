//! What the model is told before the conversation.

use std::path::Path;

use adroit_model::SystemBlock;

/// Files of a project that speak to agents, read as they are. Only of a trusted folder:
/// a cloned folder must not instruct the model before somebody has looked at it.
const PROJECT_FILES: [&str; 2] = ["AGENTS.md", "CLAUDE.md"];

/// The most bytes of one such file that are sent.
const PROJECT_FILE_BYTES: usize = 64 * 1024;

const INTRODUCTION: &str = include_str!("instructions.md");

/// The system prompt: first what never changes, so that prompt caches hold it, then the
/// project's own words.
///
/// The names of `deferred` tools are here and not beside the tools: whatever servers come and
/// go, the bytes of the tools before the cache's breakpoint stay the same.
pub(crate) fn system(
    project: &Path,
    trusted: bool,
    deferred: &[&str],
    planning: bool,
) -> Vec<SystemBlock> {
    let place = format!(
        "The project folder is {}. The platform is {}. Relative paths of file tools are relative to the project folder.",
        project.display(),
        std::env::consts::OS
    );
    let mut blocks = vec![SystemBlock {
        text: format!("{}\n\n{place}", INTRODUCTION.trim()),
        cache: true,
    }];
    if trusted {
        for name in PROJECT_FILES {
            if let Some(text) = project_file(&project.join(name)) {
                blocks.push(SystemBlock {
                    text: format!("The project's {name} says:\n\n{text}"),
                    cache: true,
                });
            }
        }
    } else {
        blocks.push(SystemBlock {
            text: "The person has not said that this folder is trusted: you can read and search in it, and nothing else.".to_owned(),
            cache: false,
        });
    }
    if !deferred.is_empty() {
        blocks.push(SystemBlock {
            text: format!(
                "These tools exist too and are not loaded; load one with ToolSearch before you call it: {}.",
                deferred.join(", ")
            ),
            cache: false,
        });
    }
    // Last: it comes and goes, and what stands before it stays in prompt caches.
    if planning {
        blocks.push(SystemBlock {
            text: include_str!("planning.md").trim().to_owned(),
            cache: false,
        });
    }
    blocks
}

fn project_file(path: &Path) -> Option<String> {
    use std::io::Read as _;
    // A FIFO or a device by that name would block or never end.
    if !fs_err::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    fs_err::File::open(path)
        .ok()?
        .take(PROJECT_FILE_BYTES as u64)
        .read_to_end(&mut bytes)
        .ok()?;
    let text = String::from_utf8_lossy(&bytes).trim().to_owned();
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_projects_words_count_only_when_it_is_trusted() {
        let project = tempfile::tempdir().unwrap();
        std::fs::write(project.path().join("AGENTS.md"), "Use tabs.").unwrap();
        let all = |trusted| {
            system(project.path(), trusted, &["NotebookEdit"], !trusted)
                .iter()
                .map(|block| block.text.clone())
                .collect::<String>()
        };
        assert!(all(true).contains("Use tabs."));
        assert!(all(false).contains("load one with ToolSearch before you call it: NotebookEdit."));
        assert!(!all(false).contains("Use tabs."));
        assert!(all(false).contains("present it with ExitPlanMode"));
        assert!(!all(true).contains("ExitPlanMode"));
        assert!(all(false).contains("not said that this folder is trusted"));
    }
}

//! What the model is told before the conversation.

use std::path::Path;

use adroit_model::SystemBlock;
use adroit_tools::AgentKind;

/// Files of a project that speak to agents, read as they are. Only of a trusted folder:
/// a cloned folder must not instruct the model before somebody has looked at it.
const PROJECT_FILES: [&str; 2] = ["AGENTS.md", "CLAUDE.md"];

/// The most bytes of one such file that are sent.
const PROJECT_FILE_BYTES: usize = 64 * 1024;

const INTRODUCTION: &str = include_str!("instructions.md");

/// What an agent that works for another one is told after its own introduction.
const FOR_ANOTHER: &str = include_str!("agents/for_another.md");

/// What the model is told of.
pub(crate) struct Surroundings<'a> {
    /// Who it is, where it works for another agent.
    pub(crate) introduction: Option<&'a str>,
    pub(crate) project: &'a Path,
    pub(crate) trusted: bool,
    /// Tools that it may load.
    pub(crate) deferred: &'a [&'a str],
    /// Kinds of agents that files define.
    pub(crate) agents: &'a [AgentKind],
    /// It plans, and presents its plan before it changes anything.
    pub(crate) planning: bool,
}

/// The system prompt: first what never changes, so that prompt caches hold it, then the
/// project's own words.
///
/// The names of `deferred` tools are here and not beside the tools: whatever servers come and
/// go, the bytes of the tools before the cache's breakpoint stay the same.
/// For the same reason the kinds of `agents` that files define are here.
pub(crate) fn system(surroundings: &Surroundings<'_>) -> Vec<SystemBlock> {
    let Surroundings {
        introduction,
        project,
        trusted,
        deferred,
        agents,
        planning,
    } = *surroundings;
    let introduction = match introduction {
        None => INTRODUCTION.trim().to_owned(),
        Some(words) => format!("{}\n\n{}", words.trim(), FOR_ANOTHER.trim()),
    };
    let place = format!(
        "The project folder is {}. The platform is {}. Relative paths of file tools are relative to the project folder.",
        project.display(),
        std::env::consts::OS
    );
    let mut blocks = vec![SystemBlock {
        text: format!("{introduction}\n\n{place}"),
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
    if !agents.is_empty() {
        let kinds: Vec<String> = agents
            .iter()
            .map(|kind| format!("- `{}`: {}", kind.name, one_line(&kind.description)))
            .collect();
        blocks.push(SystemBlock {
            text: format!(
                "The tool Agent knows these kinds, too (`subagent_type`):\n{}",
                kinds.join("\n")
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

/// A description as far as it is told: files have long ones.
fn one_line(text: &str) -> String {
    const MOST: usize = 1_000;
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words,
    }
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
            let surroundings = Surroundings {
                introduction: None,
                project: project.path(),
                trusted,
                deferred: &["NotebookEdit"],
                agents: &[],
                planning: !trusted,
            };
            system(&surroundings)
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

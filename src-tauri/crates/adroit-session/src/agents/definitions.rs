//! The kinds of agents: two that are built in, and those that files define.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use adroit_protocol::command::AgentState;
use adroit_tools::AgentKind;

use super::front_matter::{self, Field};
use crate::AppDirectories;

/// Bytes of a file that defines an agent.
const LARGEST: u64 = 64 * 1024;
/// The tool that starts agents.
pub(crate) const AGENT: &str = "Agent";
/// Tools that no agent has but the first one: those that end or read what is not its own, and those
/// that speak with the person.
const NEVER: [&str; 6] = [
    AGENT,
    "AskUserQuestion",
    "EnterPlanMode",
    "ExitPlanMode",
    "TaskOutput",
    "TaskStop",
];
/// Tools that read whatever their input is.
const READING: [&str; 3] = ["Glob", "Grep", "Read"];

/// One kind of agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Definition {
    pub(crate) name: String,
    pub(crate) description: String,
    /// The tools that it may have; all that agents may have where there are none.
    tools: Option<Vec<String>>,
    /// The model that it asks, where that is not the conversation's.
    pub(crate) model: Option<String>,
    /// What it is told of itself.
    pub(crate) prompt: String,
    /// The file that defines it.
    pub(crate) file: Option<PathBuf>,
}

impl Definition {
    /// Whether it may have a tool of this name or one of these aliases.
    pub(crate) fn has(&self, name: &str, aliases: &[&str]) -> bool {
        if NEVER.contains(&name) {
            return false;
        }
        self.tools.as_ref().is_none_or(|tools| {
            tools
                .iter()
                .any(|tool| tool == name || aliases.contains(&tool.as_str()))
        })
    }

    /// Whether its tools would let it start agents, where the settings let agents do that.
    pub(super) fn may_start_agents(&self) -> bool {
        self.tools
            .as_ref()
            .is_none_or(|tools| tools.iter().any(|tool| tool == AGENT))
    }

    fn only_reads(&self) -> bool {
        self.tools
            .as_ref()
            .is_some_and(|tools| tools.iter().all(|tool| READING.contains(&tool.as_str())))
    }

    pub(crate) fn kind(&self) -> AgentKind {
        AgentKind {
            name: self.name.clone(),
            description: self.description.clone(),
            read_only: self.only_reads(),
        }
    }
}

/// A file that defines no agent, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Broken {
    pub(crate) file: PathBuf,
    pub(crate) problem: String,
}

/// All kinds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Definitions {
    /// Sorted by name.
    pub(crate) known: Vec<Definition>,
    pub(crate) broken: Vec<Broken>,
}

impl Definitions {
    /// Reads what there is now. Of two with one name the project's counts, and of those of one owner
    /// that in `.adroit`. Nothing is read of a folder that is not trusted: a cloned folder must not
    /// tell an agent what to do.
    pub(crate) fn read(directories: &AppDirectories, project: &Path, trusted: bool) -> Self {
        let mut folders = Vec::new();
        if trusted {
            folders.push(project.join(".adroit/agents"));
            folders.push(project.join(".claude/agents"));
        }
        folders.push(directories.agents());
        folders.push(directories.home().join(".claude/agents"));
        let mut known: BTreeMap<String, Definition> = built_in()
            .into_iter()
            .map(|definition| (definition.name.clone(), definition))
            .collect();
        let mut broken = Vec::new();
        for file in folders.iter().flat_map(|folder| files(folder)) {
            match definition(&file) {
                Ok(found) => match known.get(&found.name) {
                    Some(other) if other.file.is_none() => broken.push(Broken {
                        problem: format!(
                            "`{}` is the name of an agent that is built in",
                            found.name
                        ),
                        file,
                    }),
                    Some(_) => {}
                    None => {
                        known.insert(found.name.clone(), found);
                    }
                },
                Err(problem) => broken.push(Broken { file, problem }),
            }
        }
        Self {
            known: known.into_values().collect(),
            broken,
        }
    }

    pub(crate) fn find(&self, name: &str) -> Option<&Definition> {
        self.known.iter().find(|definition| definition.name == name)
    }
}

/// The kinds of agents for the panel: those that are there, then files that define none.
#[must_use]
pub fn agent_states(
    directories: &AppDirectories,
    project: Option<&Path>,
    trusted: bool,
) -> Vec<AgentState> {
    // Without a project only the person's own are there.
    let (project, trusted) = (
        project.unwrap_or(Path::new("/")),
        trusted && project.is_some(),
    );
    let Definitions { known, broken } = Definitions::read(directories, project, trusted);
    let known = known.into_iter().map(|definition| AgentState {
        name: definition.name,
        description: definition.description,
        tools: definition.tools.unwrap_or_default(),
        model: definition.model,
        file: definition.file.map(|file| file.display().to_string()),
        problem: None,
    });
    let broken = broken.into_iter().map(|broken| AgentState {
        name: String::new(),
        description: String::new(),
        tools: Vec::new(),
        model: None,
        file: Some(broken.file.display().to_string()),
        problem: Some(broken.problem),
    });
    known.chain(broken).collect()
}

fn built_in() -> [Definition; 2] {
    let of = |name: &str, description: &str, tools: Option<&[&str]>, prompt: &str| Definition {
        name: name.to_owned(),
        description: description.to_owned(),
        tools: tools.map(|tools| tools.iter().map(|&tool| tool.to_owned()).collect()),
        model: None,
        prompt: prompt.trim().to_owned(),
        file: None,
    };
    [
        of(
            "explore",
            "Reads and searches, and changes nothing.",
            Some(&READING),
            include_str!("explore.md"),
        ),
        of(
            "general-purpose",
            "Does a whole task by itself.",
            None,
            include_str!("general_purpose.md"),
        ),
    ]
}

/// The Markdown files of a folder, by name.
fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs_err::read_dir(folder) else {
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "md"))
        .collect();
    files.sort();
    files
}

fn definition(file: &Path) -> Result<Definition, String> {
    let text = text_of(file)?;
    let (mut fields, prompt) =
        front_matter::parse(&text).map_err(|unreadable| unreadable.to_string())?;
    let mut words = |name: &str| match fields.remove(name) {
        None => Ok(None),
        Some(Field::Text(text)) => Ok(Some(text).filter(|text| !text.trim().is_empty())),
        Some(Field::List(_)) => Err(format!("`{name}` must be a text")),
    };
    let name = words("name")?.ok_or("`name` is missing")?;
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    if name.len() > 64 || !name.chars().all(is_name) {
        return Err(format!(
            "`name: {name}` may have letters, digits, `-` and `_` only, and 64 of them at most"
        ));
    }
    let description = words("description")?.ok_or("`description` is missing")?;
    let model = words("model")?.filter(|model| model != "inherit");
    let tools = match fields.remove("tools") {
        None => None,
        Some(Field::List(tools)) => Some(tools),
        Some(Field::Text(text)) => {
            Some(text.split(',').map(|tool| tool.trim().to_owned()).collect())
        }
    };
    let tools = tools
        .map(|tools: Vec<String>| {
            tools
                .into_iter()
                .filter(|tool| !tool.is_empty())
                .collect::<Vec<_>>()
        })
        // An empty list says nothing; `*` says all.
        .filter(|tools| !tools.is_empty() && !tools.iter().any(|tool| tool == "*"));
    if let Some(odd) = tools
        .iter()
        .flatten()
        .find(|tool| !tool.chars().all(is_name))
    {
        return Err(format!(
            "`tools: {odd}` is no name of a tool; rules belong into settings"
        ));
    }
    if prompt.is_empty() {
        return Err(
            "there is no text after the fields, so the agent would know nothing".to_owned(),
        );
    }
    Ok(Definition {
        name,
        description,
        tools,
        model,
        prompt,
        file: Some(file.to_path_buf()),
    })
}

fn text_of(file: &Path) -> Result<String, String> {
    // A FIFO or a device by that name would block or never end.
    let found = fs_err::metadata(file).map_err(|error| error.to_string())?;
    if !found.is_file() {
        return Err("it is no regular file".to_owned());
    }
    let mut bytes = Vec::new();
    fs_err::File::open(file)
        .and_then(|opened| opened.take(LARGEST + 1).read_to_end(&mut bytes))
        .map_err(|error| error.to_string())?;
    if bytes.len() as u64 > LARGEST {
        return Err(format!("it is larger than {} KiB", LARGEST / 1024));
    }
    String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        folder
    }

    fn read(folder: &tempfile::TempDir, trusted: bool) -> Definitions {
        let directories = AppDirectories::under(&folder.path().join("app"));
        Definitions::read(&directories, folder.path(), trusted)
    }

    const REVIEWER: &str = "---\nname: reviewer\ndescription: Looks at changes.\ntools: Read, Grep\nmodel: inherit\n---\nYou review.";

    #[test]
    fn files_define_agents_where_the_folder_is_trusted() {
        let folder = folder(&[
            (".claude/agents/reviewer.md", REVIEWER),
            (
                ".adroit/agents/other.md",
                &REVIEWER.replace("You review", "You look"),
            ),
            (".claude/agents/readme.txt", "no agent"),
            (
                "app/config/agents/mine.md",
                &REVIEWER
                    .replace("reviewer", "mine")
                    .replace("Read, Grep", "Read, Bash"),
            ),
        ]);
        let trusted = read(&folder, true);
        assert_eq!(trusted.broken, []);
        let reviewer = trusted.find("reviewer").unwrap();
        assert_eq!(
            reviewer.prompt, "You look.",
            "`.adroit` goes before `.claude`"
        );
        assert_eq!(reviewer.model, None);
        assert!(reviewer.kind().read_only);
        assert!(reviewer.has("Read", &[]) && !reviewer.has("Bash", &[]));
        assert!(!trusted.find("mine").unwrap().kind().read_only);
        let names = |definitions: &Definitions| {
            let names: Vec<String> = definitions
                .known
                .iter()
                .map(|known| known.name.clone())
                .collect();
            names
        };
        assert_eq!(
            names(&trusted),
            ["explore", "general-purpose", "mine", "reviewer"]
        );
        assert_eq!(
            names(&read(&folder, false)),
            ["explore", "general-purpose", "mine"]
        );
    }

    #[test]
    fn agents_have_no_tool_that_is_for_the_first_one() {
        let known = Definitions::read(
            &AppDirectories::under(Path::new("/none")),
            Path::new("/none"),
            true,
        );
        let general = known.find("general-purpose").unwrap();
        for name in NEVER {
            assert!(!general.has(name, &[]), "{name}");
        }
        assert!(general.has("Bash", &[]) && general.has("mcp__a__b", &[]));
        assert!(!general.kind().read_only);
        assert!(known.find("explore").unwrap().kind().read_only);
    }

    #[test]
    fn a_broken_file_is_reported_and_costs_only_itself() {
        let folder = folder(&[
            (".claude/agents/a.md", "You are an agent."),
            (".claude/agents/b.md", "---\nname: b\n---\nbody"),
            (
                ".claude/agents/c.md",
                "---\nname: c c\ndescription: d\n---\nbody",
            ),
            (".claude/agents/d.md", "---\nname: d\ndescription: d\n---\n"),
            (
                ".claude/agents/e.md",
                "---\nname: e\ndescription: d\ntools: Bash(git:*)\n---\nbody",
            ),
            (
                ".claude/agents/f.md",
                &REVIEWER.replace("name: reviewer", "name: explore"),
            ),
            (".claude/agents/g.md", REVIEWER),
        ]);
        std::fs::create_dir(folder.path().join(".claude/agents/h.md")).unwrap();
        let found = read(&folder, true);
        let problems: Vec<String> = found
            .broken
            .iter()
            .map(|broken| {
                let name = broken
                    .file
                    .file_name()
                    .unwrap()
                    .to_string_lossy()
                    .into_owned();
                format!("{name}: {}", broken.problem)
            })
            .collect();
        insta::assert_snapshot!(problems.join("\n"));
        assert_eq!(found.known.len(), 3);
    }
}

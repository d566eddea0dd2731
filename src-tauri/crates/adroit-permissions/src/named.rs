//! The subject of a call from a tool's well-known name and input alone, for the
//! command line and for tests. Inside the app a tool states its subject itself.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use adroit_shell::ShellContext;
use serde_json::Value;

use crate::facts::{Subject, WorkspaceFacts};
use crate::lexical;

/// What [`named_subject`] finds.
#[derive(Clone, Debug)]
pub struct NamedSubject {
    /// What the call is about.
    pub subject: Subject,
    /// It only reads.
    pub read_only: bool,
    /// It is a question to the person.
    pub is_question: bool,
    /// The tool's other names.
    pub aliases: Vec<String>,
}

/// An input from which the subject cannot be told.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SubjectError {
    /// A field is missing.
    #[error("the input of {tool} has no text in `{field}`")]
    Missing {
        /// The tool.
        tool: String,
        /// The field.
        field: &'static str,
    },
    /// A field is there and is no text.
    #[error("`{field}` in the input of {tool} must be a text")]
    NotText {
        /// The tool.
        tool: String,
        /// The field.
        field: &'static str,
    },
    /// The tool has no name.
    #[error("the name of the tool is empty")]
    NoTool,
}

/// The subject of a call of `tool` with `input`. Purely lexical: no folder needs
/// to exist, and symbolic links are not looked at. Relative paths start at
/// `workspace.cwd`. A name that is not known gives [`Subject::Plain`], not read-only.
///
/// # Errors
/// When the input lacks what the subject is made of.
pub fn named_subject(
    tool: &str,
    input: &Value,
    workspace: &WorkspaceFacts,
) -> Result<NamedSubject, SubjectError> {
    let fields = Fields { tool, input };
    let at = |text: &str| lexical::absolute(text, &workspace.cwd, &workspace.home);
    let plain = |subject, read_only| NamedSubject {
        subject,
        read_only,
        is_question: false,
        aliases: Vec::new(),
    };
    Ok(match tool {
        "" => return Err(SubjectError::NoTool),
        "Read" => plain(
            Subject::ReadFile {
                path: at(fields.required("file_path")?),
                real: None,
            },
            true,
        ),
        "Write" | "Edit" | "MultiEdit" => plain(
            Subject::EditFile {
                path: at(fields.required("file_path")?),
                real: None,
            },
            false,
        ),
        "NotebookEdit" => plain(
            Subject::EditFile {
                path: at(fields.required("notebook_path")?),
                real: None,
            },
            false,
        ),
        "Glob" => {
            let folder = fields.optional("path")?.map_or_else(|| at("."), at);
            let path = glob_base(&folder, fields.required("pattern")?, &workspace.home);
            plain(Subject::Search { path, real: None }, true)
        }
        "Grep" | "LS" => {
            let path = fields.optional("path")?.map_or_else(|| at("."), at);
            plain(Subject::Search { path, real: None }, true)
        }
        "Bash" => shell(fields.required("command")?, workspace),
        "WebFetch" => plain(
            Subject::Fetch {
                url: fields.required("url")?.to_owned(),
            },
            false,
        ),
        "Agent" | "Task" => {
            let name = fields
                .optional("subagent_type")?
                .unwrap_or("general-purpose");
            NamedSubject {
                subject: Subject::Agent {
                    name: name.to_owned(),
                },
                // The one built-in kind that has no tool but for reading; no file can take its name.
                read_only: name == "explore",
                is_question: false,
                aliases: vec![if tool == "Agent" { "Task" } else { "Agent" }.to_owned()],
            }
        }
        "Skill" => {
            let name = match fields.optional("skill")? {
                Some(name) => name,
                None => fields.required("name")?,
            };
            plain(
                Subject::Skill {
                    name: name.to_owned(),
                },
                false,
            )
        }
        "ToolSearch" => plain(Subject::Plain, true),
        "AskUserQuestion" | "ExitPlanMode" => NamedSubject {
            is_question: true,
            ..plain(Subject::Plain, true)
        },
        _ if NAMES_OF_TASK_TOOLS
            .iter()
            .any(|names| names.contains(&tool)) =>
        {
            NamedSubject {
                subject: Subject::Plain,
                read_only: true,
                is_question: false,
                aliases: other_names(tool),
            }
        }
        _ => plain(mcp(tool).unwrap_or(Subject::Plain), false),
    })
}

/// The present and the former names of tools on background tasks.
const NAMES_OF_TASK_TOOLS: [&[&str]; 2] = [
    &["TaskOutput", "BashOutput"],
    &["TaskStop", "KillShell", "KillBash"],
];

fn other_names(tool: &str) -> Vec<String> {
    NAMES_OF_TASK_TOOLS
        .iter()
        .filter(|names| names.contains(&tool))
        .flat_map(|names| names.iter())
        .filter(|name| **name != tool)
        .map(|name| (*name).to_owned())
        .collect()
}

fn shell(command: &str, workspace: &WorkspaceFacts) -> NamedSubject {
    let analysis = adroit_shell::analyze(
        command,
        &ShellContext {
            cwd: &workspace.cwd,
            workspace: &workspace.root,
            additional_directories: &workspace.additional_directories,
            home: &workspace.home,
        },
    );
    NamedSubject {
        read_only: analysis.read_only,
        is_question: false,
        subject: Subject::Shell {
            command: command.to_owned(),
            cwd: workspace.cwd.clone(),
            analysis: Arc::new(analysis),
        },
        aliases: Vec::new(),
    }
}

/// `mcp__server__tool`, read up to the first `__` behind the server's first letter.
fn mcp(tool: &str) -> Option<Subject> {
    let rest = tool.strip_prefix("mcp__")?;
    let (server, tool) = rest.split_once("__")?;
    (!server.is_empty() && !tool.is_empty()).then(|| Subject::Mcp {
        server: server.to_owned(),
        tool: tool.to_owned(),
    })
}

/// The folder below which a glob looks: its path up to the first wildcard. A
/// pattern like `../../*` must not be taken for a search of the workspace.
fn glob_base(folder: &Path, pattern: &str, home: &Path) -> PathBuf {
    let names: Vec<&str> = pattern.split('/').collect();
    let fixed = names
        .iter()
        .take_while(|name| !name.contains(['*', '?', '[', '{', '\\']))
        .count();
    let head = names.get(..fixed).unwrap_or_default().join("/");
    let beyond = names.get(fixed..).unwrap_or_default().contains(&"..");
    if beyond {
        // What `..` behind a wildcard leaves is anyone's guess.
        return PathBuf::from("/");
    }
    if pattern.starts_with('/') && head.is_empty() {
        return PathBuf::from("/");
    }
    lexical::absolute(if head.is_empty() { "." } else { &head }, folder, home)
}

struct Fields<'a> {
    tool: &'a str,
    input: &'a Value,
}

impl<'a> Fields<'a> {
    fn optional(&self, field: &'static str) -> Result<Option<&'a str>, SubjectError> {
        match self.input.get(field) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(SubjectError::NotText {
                tool: self.tool.to_owned(),
                field,
            }),
        }
    }

    fn required(&self, field: &'static str) -> Result<&'a str, SubjectError> {
        self.optional(field)?
            .filter(|text| !text.is_empty())
            .ok_or_else(|| SubjectError::Missing {
                tool: self.tool.to_owned(),
                field,
            })
    }
}

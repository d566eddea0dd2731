//! The calls of the operator: names and inputs of the built-in tools.

use serde_json::json;

use super::command::Scope;
use super::past::Call;

pub(super) fn read(path: &str, first: Option<u64>, count: Option<u64>) -> Call {
    let mut input = json!({"file_path": path});
    if let Some(first) = first {
        input["offset"] = json!(first);
    }
    if let Some(count) = count {
        input["limit"] = json!(count);
    }
    Call {
        tool: "Read",
        input,
    }
}

pub(super) fn write(path: &str, content: &str) -> Call {
    Call {
        tool: "Write",
        input: json!({"file_path": path, "content": content}),
    }
}

pub(super) fn edit(path: &str, old: &str, new: &str, all: bool) -> Call {
    Call {
        tool: "Edit",
        input: json!({"file_path": path, "old_string": old, "new_string": new, "replace_all": all}),
    }
}

pub(super) fn glob(pattern: &str, folder: Option<&str>) -> Call {
    let mut input = json!({"pattern": pattern});
    if let Some(folder) = folder {
        input["path"] = json!(folder);
    }
    Call {
        tool: "Glob",
        input,
    }
}

/// A search for literal text; Grep itself takes a regular expression.
pub(super) fn grep(text: &str, scope: &Scope, output_mode: &str) -> Call {
    let mut input = json!({"pattern": literal(text), "output_mode": output_mode});
    if let Some(path) = scope.folder.as_ref().or(scope.files.first()) {
        input["path"] = json!(path);
    }
    if let Some(glob) = &scope.glob {
        input["glob"] = json!(glob);
    }
    Call {
        tool: "Grep",
        input,
    }
}

/// A command, `outside` of the sandbox where a result said that it kept it from something.
pub(super) fn bash(command: &str, outside: bool) -> Call {
    let line = command.lines().next().unwrap_or_default();
    let short: String = line.chars().take(60).collect();
    let cut = if short.len() < command.trim_end().len() {
        "…"
    } else {
        ""
    };
    let mut input = json!({"command": command, "description": format!("Run {short}{cut}")});
    if outside {
        input["dangerouslyDisableSandbox"] = json!(true);
    }
    Call {
        tool: "Bash",
        input,
    }
}

/// A plan, to be approved.
pub(super) fn exit_plan_mode(plan: &str) -> Call {
    Call {
        tool: "ExitPlanMode",
        input: json!({"plan": plan}),
    }
}

/// A question to the person.
pub(super) fn ask(question: &str, choices: &[String], multiple: bool) -> Call {
    let options: Vec<_> = choices
        .iter()
        .map(|choice| json!({"label": choice, "description": ""}))
        .collect();
    Call {
        tool: "AskUserQuestion",
        input: json!({"questions": [{
            "question": question,
            "header": "Question",
            "options": options,
            "multiSelect": multiple,
        }]}),
    }
}

/// An agent with a task of its own.
pub(super) fn agent(kind: &str, task: &str) -> Call {
    let line = task.lines().next().unwrap_or_default();
    let short: String = line.chars().take(60).collect();
    let cut = if short.len() < task.trim_end().len() {
        "…"
    } else {
        ""
    };
    Call {
        tool: "Agent",
        input: json!({"description": format!("{short}{cut}"), "prompt": task, "subagent_type": kind}),
    }
}

/// A regular expression that matches exactly this text.
fn literal(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len());
    for character in text.chars() {
        if r"\.+*?()|[]{}^$#&-~".contains(character) {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_is_literal() {
        assert_eq!(literal("a.b(c)$"), r"a\.b\(c\)\$");
    }
}

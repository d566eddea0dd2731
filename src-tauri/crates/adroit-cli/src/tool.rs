//! `tool list` and `tool call`.

use std::io::Read as _;

use adroit_host::headless::{Headless, HeadlessOptions, unheard};
use adroit_protocol::settings::ModelSettings;
use adroit_protocol::strict_json;
use anyhow::Context as _;

use crate::arguments::{ProjectArguments, ToolCallArguments, ToolListArguments};
use crate::print;

pub(crate) async fn list(arguments: ToolListArguments) -> anyhow::Result<bool> {
    let headless = open(&arguments.project)?;
    let tools = headless.tools();
    if arguments.json {
        print::line(&tools);
    } else {
        for tool in &tools {
            print::text(&format!("{:<12} {}", tool.name, tool.description));
        }
    }
    headless.close().await;
    Ok(true)
}

pub(crate) async fn call(arguments: ToolCallArguments) -> anyhow::Result<bool> {
    let mut text = arguments.input.clone();
    if text == "-" {
        text.clear();
        std::io::stdin()
            .read_to_string(&mut text)
            .context("the input could not be read from standard input")?;
    }
    let headless = open(&arguments.project)?;
    let report = headless.call(&arguments.name, &text).await;
    print::line(&report);
    headless.close().await;
    // The answer has its usual form, and the code tells that nothing was tried.
    strict_json(&text).context("the input is not JSON")?;
    Ok(!report.is_error)
}

fn open(project: &ProjectArguments) -> anyhow::Result<Headless> {
    let headless = Headless::open(HeadlessOptions {
        project: project.project.clone(),
        directories: project.directories(),
        command_line: project.command_line(ModelSettings::default()),
        operator_delay: None,
        emit: unheard(),
    })?;
    print::settings_problems(&headless);
    Ok(headless)
}

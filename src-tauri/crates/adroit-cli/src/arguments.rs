//! The command line.

use std::path::PathBuf;

use adroit_host::{AppDirectories, CommandLine};
use adroit_protocol::permission::Mode;
use adroit_protocol::settings::{ModelSettings, Provider};
use clap::{Args, Parser, Subcommand, ValueEnum};

/// Work with an AI coding agent on a project folder, without a window.
#[derive(Debug, Parser)]
#[command(name = "adroit-cli", version)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Send one message and follow its turn to the end.
    Exec(ExecArguments),
    /// The tools.
    #[command(subcommand)]
    Tool(ToolCommand),
    /// The permission system.
    #[command(subcommand)]
    Permissions(PermissionsCommand),
}

#[derive(Debug, Subcommand)]
pub(crate) enum ToolCommand {
    /// List the pool.
    List(ToolListArguments),
    /// Run one call through the whole pipeline.
    Call(ToolCallArguments),
}

#[derive(Debug, Subcommand)]
pub(crate) enum PermissionsCommand {
    /// Decide calls given as JSON lines on standard input, from their text alone.
    Check(CheckArguments),
}

#[derive(Debug, Args)]
pub(crate) struct ProjectArguments {
    /// The project folder.
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) project: String,
    /// What happens to calls that no rule decides. Without a person, what would ask is denied.
    #[arg(long, value_name = "MODE")]
    mode: Option<Mode>,
    /// Keep settings, sessions and results in DIR instead of your own folders.
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
}

impl ProjectArguments {
    pub(crate) fn directories(&self) -> AppDirectories {
        self.data_dir
            .as_deref()
            .map_or_else(AppDirectories::from_environment, AppDirectories::under)
    }

    pub(crate) fn command_line(&self, model: ModelSettings) -> CommandLine {
        CommandLine {
            mode: self.mode,
            model,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct ExecArguments {
    #[command(flatten)]
    pub(crate) project: ProjectArguments,
    /// Who answers: offline, anthropic or openai-chat. The default is that of the settings.
    #[arg(long)]
    provider: Option<Provider>,
    /// The model server, for local servers and routers.
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// The model's name at the provider.
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// What is printed.
    #[arg(long, value_enum, default_value_t = Output::Text)]
    pub(crate) output: Output,
    /// The message; `-` reads it from standard input.
    pub(crate) prompt: String,
}

impl ExecArguments {
    pub(crate) fn model(&self) -> ModelSettings {
        ModelSettings {
            provider: self.provider,
            name: self.model.clone(),
            base_url: self.base_url.clone(),
            max_output_tokens: None,
            ..ModelSettings::default()
        }
    }
}

/// What is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    /// What the model said last.
    Text,
    /// One JSON object at the end.
    Json,
    /// Every event as a JSON line; the first is the start, the last the result.
    StreamJson,
}

#[derive(Debug, Args)]
pub(crate) struct ToolListArguments {
    #[command(flatten)]
    pub(crate) project: ProjectArguments,
    /// Print JSON with schemas and flags.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ToolCallArguments {
    /// The tool's name.
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) project: ProjectArguments,
    /// The input as a JSON object; `-` reads it from standard input.
    #[arg(long, value_name = "JSON")]
    pub(crate) input: String,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// The workspace; it need not exist.
    #[arg(long, value_name = "DIR")]
    pub(crate) workspace: PathBuf,
    /// The home folder; it need not exist.
    #[arg(long, value_name = "DIR")]
    pub(crate) home: PathBuf,
    /// The mode.
    #[arg(long, value_name = "MODE", default_value = "default")]
    pub(crate) mode: Mode,
}

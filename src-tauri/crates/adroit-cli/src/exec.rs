//! `exec`: one message to the end of its turn.

use std::io::Read as _;
use std::sync::{Arc, Mutex, PoisonError};

use adroit_host::headless::{Headless, HeadlessOptions, TurnReport, unheard};
use adroit_protocol::event::{Event, ItemBody, SessionChange};
use adroit_protocol::view::Tone;
use adroit_session::state::Emit;
use anyhow::Context as _;
use serde_json::json;

use crate::arguments::{ExecArguments, Output};
use crate::print;

pub(crate) async fn run(arguments: ExecArguments) -> anyhow::Result<bool> {
    let prompt = prompt(&arguments.prompt)?;
    let told = Told::default();
    let emit: Emit = match arguments.output {
        Output::StreamJson => Arc::new(|event: Event| print::line(&event)),
        Output::Text => {
            let told = Arc::clone(&told);
            Arc::new(move |event: Event| tell_remark(&event, &told))
        }
        Output::Json => unheard(),
    };
    let headless = Headless::open(HeadlessOptions {
        project: arguments.project.project.clone(),
        directories: arguments.project.directories(),
        command_line: arguments.project.command_line(arguments.model()),
        operator_delay: Some(std::time::Duration::ZERO),
        emit,
    })?;
    print::settings_problems(&headless);
    if arguments.output == Output::StreamJson {
        print::line(&json!({
            "type": "start",
            "session": headless.session(),
            "project": headless.project().display().to_string(),
            "version": env!("CARGO_PKG_VERSION"),
        }));
    }
    let report = until_interrupted(&headless, prompt).await;
    match arguments.output {
        Output::Text => print_text(&report, &told),
        Output::Json => print::line(&report),
        Output::StreamJson => {
            let mut line = serde_json::to_value(&report)?;
            if let Some(object) = line.as_object_mut() {
                object.insert("type".to_owned(), json!("result"));
            }
            print::line(&line);
        }
    }
    headless.close().await;
    Ok(report.ok)
}

/// Ctrl-C, and the TERM or HUP of whoever started it, stop the turn as the Stop button does:
/// the results of what ran are kept, and no process stays.
async fn until_interrupted(headless: &Headless, prompt: String) -> TurnReport {
    let turn = headless.exec(prompt);
    tokio::pin!(turn);
    tokio::select! {
        report = &mut turn => report,
        () = stop_signal() => {
            headless.stop();
            turn.await
        }
    }
}

async fn stop_signal() {
    use tokio::signal::unix::{SignalKind, signal};
    let other = |kind: SignalKind| async move {
        match signal(kind) {
            Ok(mut signal) => {
                signal.recv().await;
            }
            // A signal that cannot be heard never comes.
            Err(_) => std::future::pending().await,
        }
    };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        () = other(SignalKind::terminate()) => {}
        () = other(SignalKind::hangup()) => {}
    }
}

/// What was told while the turn ran.
type Told = Arc<Mutex<Vec<String>>>;

/// In text mode only remarks are told while the turn runs: a retry must not look like a hang.
fn tell_remark(event: &Event, told: &Told) {
    if let Event::Session {
        change: SessionChange::ItemAdded { item },
        ..
    } = event
        && let ItemBody::Notice {
            tone: Tone::Warning,
            text,
            ..
        } = &item.body
    {
        print::remark(&format!("adroit-cli: {text}"));
        let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
        told.push(text.clone());
    }
}

/// What of `problem` was not told yet.
fn untold<'a>(problem: &'a str, told: &Told) -> &'a str {
    let told = told.lock().unwrap_or_else(PoisonError::into_inner);
    let rest = told
        .iter()
        .find_map(|text| problem.strip_prefix(text.as_str()));
    rest.map_or(problem, str::trim_start)
}

fn prompt(argument: &str) -> anyhow::Result<String> {
    let mut text = argument.to_owned();
    if argument == "-" {
        text.clear();
        std::io::stdin()
            .read_to_string(&mut text)
            .context("the message could not be read from standard input")?;
    }
    anyhow::ensure!(
        !text.trim().is_empty(),
        "the message is empty; give it as the last argument, or `-` for standard input"
    );
    Ok(text)
}

fn print_text(report: &TurnReport, told: &Told) {
    if !report.text.is_empty() {
        print::text(report.text.trim_end());
    }
    tell_denied(report);
    let problem = report.problem.as_deref();
    match problem.map(|problem| (problem, untold(problem, told))) {
        None | Some((_, "")) => {}
        Some((problem, rest)) if rest.len() == problem.len() => {
            print::remark(&format!("adroit-cli: {problem}"));
        }
        Some((_, rest)) => print::remark(rest),
    }
    if let Some(hint) = &report.hint {
        print::remark(hint);
    }
}

/// What was denied must not pass for done: the model may have gone on without it.
fn tell_denied(report: &TurnReport) {
    const SHOWN: usize = 10;
    let denied = &report.denied_calls;
    if denied.is_empty() {
        return;
    }
    let calls = if denied.len() == 1 {
        "call was"
    } else {
        "calls were"
    };
    print::remark(&format!(
        "adroit-cli: {} {calls} denied and not run:",
        denied.len()
    ));
    for call in denied.iter().take(SHOWN) {
        print::remark(&format!("  {}: {}", call.call, call.reason));
    }
    if let Some(more) = denied.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        print::remark(&format!("  and {more} more"));
    }
    print::remark(
        "Nobody is here to be asked: allow them by a rule in the settings, or by --mode.",
    );
}

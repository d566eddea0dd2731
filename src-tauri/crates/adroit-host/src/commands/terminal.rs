//! Terminals.

use std::sync::Arc;

use adroit_process::TerminalSize;
use adroit_protocol::command::{
    Empty, OpenTerminal, ProcessRef, ResizeTerminal, TerminalProcesses, TerminalRef, TerminalShown,
    TerminalState, WriteTerminal,
};
use adroit_protocol::{ErrorCode, TerminalId, WireError};
use adroit_session::terminals::{TerminalError, TerminalRegistry};

use super::Answer;
use crate::App;

pub(super) async fn open(app: &App, input: &OpenTerminal) -> Answer<TerminalState> {
    let session = app.session(&input.session)?;
    let size = TerminalSize {
        rows: input.rows,
        columns: input.columns,
    };
    session
        .terminals()
        .open(session.project(), size)
        .await
        .map_err(|error| wire(&error))
}

pub(super) fn attach(app: &App, input: &TerminalRef) -> Answer<TerminalState> {
    registry(app, &input.terminal)?
        .state(&input.terminal)
        .ok_or_else(|| wire(&TerminalError::Gone))
}

pub(super) async fn write(app: &App, input: &WriteTerminal) -> Answer<Empty> {
    registry(app, &input.terminal)?
        .write(&input.terminal, &input.text)
        .await
        .map_err(|error| wire(&error))?;
    Ok(Empty {})
}

pub(super) fn resize(app: &App, input: &ResizeTerminal) -> Answer<Empty> {
    let size = TerminalSize {
        rows: input.rows,
        columns: input.columns,
    };
    registry(app, &input.terminal)?
        .resize(&input.terminal, size)
        .map_err(|error| wire(&error))?;
    Ok(Empty {})
}

pub(super) fn close(app: &App, input: &TerminalRef) -> Answer<Empty> {
    registry(app, &input.terminal)?
        .close(&input.terminal)
        .map_err(|error| wire(&error))?;
    Ok(Empty {})
}

pub(super) fn shown(app: &App, input: &TerminalShown) -> Answer<Empty> {
    // A terminal that is gone needs no more of it.
    if let Ok(registry) = registry(app, &input.terminal) {
        registry.shown(&input.terminal, input.offset);
    }
    Ok(Empty {})
}

pub(super) fn background(app: &App, input: &TerminalRef) -> Answer<Empty> {
    let moved = registry(app, &input.terminal)?
        .background(&input.terminal)
        .map_err(|error| wire(&error))?;
    if moved {
        Ok(Empty {})
    } else {
        Err(WireError::new(
            ErrorCode::Failed,
            "the command was not moved: no call waits for it",
        )
        .with_hint("It has ended, or is in the background already."))
    }
}

pub(super) async fn processes(app: &App, input: &TerminalRef) -> Answer<TerminalProcesses> {
    let registry = registry(app, &input.terminal)?;
    let terminal = input.terminal.clone();
    let processes = tokio::task::spawn_blocking(move || registry.processes(&terminal))
        .await
        .map_err(|error| WireError::new(ErrorCode::Failed, error.to_string()))?
        .map_err(|error| wire(&error))?;
    Ok(TerminalProcesses { processes })
}

pub(super) async fn end_process(app: &App, input: &ProcessRef) -> Answer<Empty> {
    let registry = registry(app, &input.terminal)?;
    let (terminal, pid) = (input.terminal.clone(), input.pid);
    let ended = tokio::task::spawn_blocking(move || registry.end_process(&terminal, pid))
        .await
        .map_err(|error| WireError::new(ErrorCode::Failed, error.to_string()))?
        .map_err(|error| wire(&error))?;
    if ended {
        Ok(Empty {})
    } else {
        let problem = format!("the process {pid} does not run in this terminal");
        Err(WireError::new(ErrorCode::NotFound, problem).with_hint("It may have ended by itself."))
    }
}

/// The registry that knows a terminal.
fn registry(app: &App, terminal: &TerminalId) -> Answer<Arc<TerminalRegistry>> {
    app.sessions()
        .values()
        .map(|session| session.terminals())
        .find(|registry| registry.knows(terminal))
        .cloned()
        .ok_or_else(|| wire(&TerminalError::Gone))
}

fn wire(error: &TerminalError) -> WireError {
    let (code, hint) = match error {
        TerminalError::Gone => (ErrorCode::NotFound, "Open a new one."),
        TerminalError::Ended(_) => (ErrorCode::Failed, "Its command has ended."),
        TerminalError::Spawn(_) | TerminalError::NoShell(_) => {
            (ErrorCode::Failed, "Check the SHELL variable.")
        }
    };
    WireError::new(code, error.to_string()).with_hint(hint)
}

//! `adroit-devserver`: the same UI and backend in a plain browser, for tests and for
//! looking. Never shipped.
//!
//! **Owns** a loopback HTTP server: the built UI, `POST /rpc/{name}` and `GET /events`.
//!
//! **Invariants**
//! - It listens on 127.0.0.1 only, on a port that the system chooses.
//! - Every request but those for the UI's own files carries the random token of this start;
//!   other programs and pages on the machine do not know it.
//! - The `Host` header must name this very address: a page that makes its own name resolve
//!   to 127.0.0.1 (DNS rebinding) is refused.

mod files;
mod server;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use adroit_host::{App, AppDirectories, AppOptions, CommandLine, NoHost, telemetry};
use clap::Parser;

/// Serves Adroit to a browser on this machine.
#[derive(Debug, Parser)]
#[command(name = "adroit-devserver")]
struct Arguments {
    /// The project folder to open; without it the picker is shown.
    folder: Option<PathBuf>,
    /// The built UI.
    #[arg(long, value_name = "DIR", default_value = "ui/dist")]
    ui: PathBuf,
    /// Keep settings, sessions and results in DIR instead of your own folders.
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// Pause of the offline operator between two pieces, milliseconds.
    #[arg(long, value_name = "MS")]
    operator_delay: Option<u64>,
}

fn main() -> anyhow::Result<ExitCode> {
    if let Some(code) = adroit_host::helper_mode() {
        return Ok(code);
    }
    let arguments = Arguments::parse();
    let directories = directories(&arguments);
    let _telemetry = telemetry::start(&directories, "info");
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?
        .block_on(serve(arguments))?;
    Ok(ExitCode::SUCCESS)
}

fn directories(arguments: &Arguments) -> AppDirectories {
    arguments
        .data_dir
        .as_deref()
        .map_or_else(AppDirectories::from_environment, AppDirectories::under)
}

async fn serve(arguments: Arguments) -> anyhow::Result<()> {
    anyhow::ensure!(
        arguments.ui.join("index.html").is_file(),
        "there is no built UI in {}; build it with `npm run build` in ui/",
        arguments.ui.display()
    );
    let directories = directories(&arguments);
    let app = App::start(
        AppOptions {
            folder: arguments.folder,
            directories,
            command_line: CommandLine::default(),
            operator_delay: arguments
                .operator_delay
                .map(std::time::Duration::from_millis),
        },
        Arc::new(NoHost),
    );
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await?;
    let address = listener.local_addr()?;
    let token = uuid::Uuid::new_v4().simple().to_string();
    let router = server::router(app.clone(), arguments.ui, token.clone(), address);
    println!("http://{address}/?token={token}");
    axum::serve(listener, router)
        .with_graceful_shutdown(stop_signal())
        .await?;
    app.shutdown().await;
    Ok(())
}

/// Ctrl-C, or the TERM of whoever started it.
async fn stop_signal() {
    use tokio::signal::unix::{SignalKind, signal};
    let interrupt = tokio::signal::ctrl_c();
    match signal(SignalKind::terminate()) {
        Ok(mut terminate) => {
            tokio::select! {
                _ = interrupt => {}
                _ = terminate.recv() => {}
            }
        }
        Err(_) => {
            let _ = interrupt.await;
        }
    }
}

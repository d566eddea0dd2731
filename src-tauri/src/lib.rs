//! The desktop host: one window over `adroit-host`.
//!
//! **Owns** the window, the command line, the one `rpc` command and the one
//! event channel, and the end of the process. The only place that names Tauri.
//!
//! **Called by** the `adroit` binary alone.
//!
//! **Invariants**: every command body is in `adroit-host`; nothing here decides
//! anything about a call or a permission. Leaving by whatever door (the window's
//! close button, SIGTERM, SIGINT) ends every child process first.
//!
//! **Must never know** a tool, a rule or a model.

mod arguments;
mod backend;
mod display;
mod rpc;
mod window;

pub use arguments::{ArgumentError, Invocation, Options, parse_arguments};
pub use display::display_problem;

use anyhow::Context as _;
use backend::Backend;
use tauri::{Manager as _, RunEvent};

/// Opens the window and returns when the app ends.
///
/// # Errors
///
/// When the backend cannot start (its data folder cannot be written) or the
/// window cannot be made.
pub fn run(options: Options) -> anyhow::Result<()> {
    // Kept until the window is closed: then the last lines are written.
    let _telemetry = adroit_host::telemetry::start(&backend::directories(&options), "warn");
    let mut builder = tauri::Builder::default();
    // It must come first, so that a second launch ends before anything starts.
    // An own data folder is an instance apart.
    if options.data_dir.is_none() {
        builder = builder.plugin(tauri_plugin_single_instance::init(window::second_launch));
    }
    let app = builder
        .plugin(window::state_plugin(&options))
        .plugin(tauri_plugin_dialog::init())
        .plugin(tauri_plugin_opener::init())
        .invoke_handler(tauri::generate_handler![rpc::rpc, rpc::subscribe])
        .setup(move |app| {
            // The backend spawns its tasks on the runtime that it is started in.
            let handle = app.handle();
            let backend =
                tauri::async_runtime::block_on(async { Backend::start(&options, handle) });
            app.manage(backend);
            app.manage(rpc::Subscription::default());
            window::open(app, &options)?;
            end_on_signal(app.handle().clone());
            Ok(())
        })
        .build(tauri::generate_context!())
        .context("the window could not be opened")?;
    app.run(|handle, event| {
        if let RunEvent::Exit = event
            && let Some(backend) = handle.try_state::<Backend>()
        {
            tauri::async_runtime::block_on(backend.shutdown());
        }
    });
    Ok(())
}

/// Leaves through the ordinary exit when the process is asked to end, so that
/// no child outlives it.
#[cfg(unix)]
fn end_on_signal(handle: tauri::AppHandle) {
    use tokio::signal::unix::{SignalKind, signal};

    tauri::async_runtime::spawn(async move {
        let (Ok(mut terminate), Ok(mut interrupt)) = (
            signal(SignalKind::terminate()),
            signal(SignalKind::interrupt()),
        ) else {
            tracing::warn!("signals cannot be caught; a killed app may leave children behind");
            return;
        };
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        handle.exit(0);
    });
}

#[cfg(not(unix))]
fn end_on_signal(_handle: tauri::AppHandle) {}

//! The one window: how it is made, what it remembers, what a second launch does.

use crate::arguments::{Invocation, Options, parse_arguments};
use crate::backend::Backend;
use std::ffi::OsString;
use std::path::Path;
use tauri::plugin::TauriPlugin;
use tauri::{App, AppHandle, Manager as _, WebviewWindowBuilder, Wry};
use tauri_plugin_window_state::{Builder as WindowState, StateFlags};

/// The window's label, in the configuration and the capabilities.
const MAIN: &str = "main";

/// Makes the window from its part of `tauri.conf.json`.
pub(crate) fn open(app: &App, options: &Options) -> Result<(), Box<dyn std::error::Error>> {
    let config = app
        .config()
        .app
        .windows
        .iter()
        .find(|window| window.label == MAIN)
        .ok_or("tauri.conf.json has no window `main`")?
        .clone();
    let mut builder = WebviewWindowBuilder::from_config(app, &config)?
        // The window shows the app and nothing else: links go to the browser.
        .on_navigation(is_own_address);
    if let Some(data_dir) = &options.data_dir {
        builder = builder.data_directory(data_dir.join("webview"));
    }
    builder.build()?;
    Ok(())
}

/// Whether an address is the app's own, so that no text in it can lead the
/// window, which holds the backend's commands, to a foreign page.
fn is_own_address(address: &tauri::Url) -> bool {
    match address.scheme() {
        "tauri" => true,
        // Windows serves the app from here; development from the other.
        "http" | "https" => match (address.host_str(), address.port()) {
            (Some("tauri.localhost"), None) => true,
            (Some("127.0.0.1"), Some(5173)) => tauri::is_dev(),
            _ => false,
        },
        "about" => address.path() == "blank",
        _ => false,
    }
}

/// Remembers size and place of the window, in the data folder where one is given.
pub(crate) fn state_plugin(options: &Options) -> TauriPlugin<Wry> {
    let builder = WindowState::new()
        .with_state_flags(StateFlags::SIZE | StateFlags::POSITION | StateFlags::MAXIMIZED);
    match &options.data_dir {
        // An absolute name replaces the plugin's own folder.
        Some(data_dir) => {
            builder.with_filename(data_dir.join("window-state.json").to_string_lossy())
        }
        None => builder,
    }
    .build()
}

/// Another launch of the app came here: show the window, on its folder if it
/// named one.
pub(crate) fn second_launch(app: &AppHandle, arguments: Vec<String>, directory: String) {
    if let Some(window) = app.get_webview_window(MAIN) {
        let shown = window
            .show()
            .and_then(|()| window.unminimize())
            .and_then(|()| window.set_focus());
        if let Err(error) = shown {
            tracing::warn!(%error, "the window could not be brought to the front");
        }
    }
    let arguments = arguments.into_iter().skip(1).map(OsString::from);
    match parse_arguments(arguments, Path::new(&directory)) {
        Ok(Invocation::Open(Options {
            folder: Some(folder),
            ..
        })) => {
            if let Some(backend) = app.try_state::<Backend>() {
                backend.request_folder(&folder);
            }
        }
        Ok(_) => {}
        Err(error) => tracing::warn!(%error, "a second launch was asked for something impossible"),
    }
}

#[cfg(test)]
mod tests {
    use super::is_own_address;

    #[test]
    fn the_window_never_leaves_the_app() {
        let own = |address: &str| tauri::Url::parse(address).is_ok_and(|url| is_own_address(&url));
        assert!(own("tauri://localhost/"));
        assert!(own("http://tauri.localhost/index.html"));
        assert!(own("about:blank"));
        for foreign in [
            "https://example.com/",
            "http://tauri.localhost.example.com/",
            "http://tauri.localhost:8080/",
            "http://127.0.0.1:8080/",
            "file:///etc/passwd",
            "data:text/html,hello",
            "javascript:alert(1)",
        ] {
            assert!(!own(foreign), "{foreign}");
        }
    }
}

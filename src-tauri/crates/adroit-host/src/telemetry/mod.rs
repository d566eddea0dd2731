//! What the app tells of itself: warnings on standard error, one JSON line an event in a file
//! that is rotated daily, and, where a person wants it, spans of calls to a collector.
//!
//! A call's span has its id, its tool, who decided, how long it took and how large it was.
//! It never has an input, an output or a reason: a log is copied into bug reports.

#[cfg(feature = "otlp")]
mod otlp;

use std::path::Path;

use adroit_protocol::settings::TelemetrySettings;
use adroit_session::AppDirectories;
use adroit_session::settings::{CommandLine, SettingsStore};
use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_appender::rolling::{InitError, RollingFileAppender, Rotation};
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer};

/// Days of which the log is kept.
const KEPT_DAYS: usize = 7;
/// Lines that may wait for the disk. Room for all of them is made, and touched, at the start: the
/// library's own 128,000 would take five megabytes of every run. A call writes two or three.
const WAITING_LINES: usize = 4_096;
/// What goes into the file: everything of ours from `info` on, and warnings of others.
const FILE_FILTER: &str = "warn,adroit=info,adroit_engine=info,adroit_hooks=info,adroit_host=info,\
                           adroit_session=info,adroit_tools=info,adroit_process=info";

/// Keeps the log going. Lines that are still under way are written when it is dropped.
#[derive(Debug, Default)]
#[must_use = "dropping it ends the log"]
pub struct Telemetry {
    _file: Option<WorkerGuard>,
    #[cfg(feature = "otlp")]
    _export: Option<otlp::Export>,
}

/// Starts the log, where settings do not say otherwise. A log that cannot be written is told on
/// standard error and is no reason not to start.
pub fn start(directories: &AppDirectories, default_level: &str) -> Telemetry {
    let filter =
        EnvFilter::try_from_env("ADROIT_LOG").unwrap_or_else(|_| EnvFilter::new(default_level));
    let standard_error = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_filter(filter);
    let settings = settings(directories);
    let mut telemetry = Telemetry::default();
    let file = settings
        .log
        .unwrap_or(true)
        .then(|| file(&directories.logs()));
    let file = match file {
        Some(Ok(appender)) => {
            let (writer, guard) = NonBlockingBuilder::default()
                .buffered_lines_limit(WAITING_LINES)
                .finish(appender);
            telemetry._file = Some(guard);
            Some(json(writer).with_filter(EnvFilter::new(FILE_FILTER)))
        }
        Some(Err(error)) => {
            eprintln!("adroit: there will be no log file: {error}");
            None
        }
        None => None,
    };
    let subscriber = tracing_subscriber::registry()
        .with(standard_error)
        .with(file);
    #[cfg(feature = "otlp")]
    let subscriber = {
        let (layer, export) = otlp::start(settings.otlp_endpoint.as_deref());
        telemetry._export = export;
        subscriber.with(layer)
    };
    // A second subscriber in one process (tests) is no reason to fail.
    let _ = subscriber.try_init();
    if let Some(endpoint) = settings.otlp_endpoint
        && cfg!(not(feature = "otlp"))
    {
        tracing::warn!(
            endpoint,
            "telemetry.otlpEndpoint is set, but this build cannot export; build it with the feature `otlp`"
        );
    }
    telemetry
}

/// What the person's own or the managed settings say: a project must not have calls reported to a
/// server of its choice, nor switch the person's log off.
fn settings(directories: &AppDirectories) -> TelemetrySettings {
    SettingsStore::new(directories.clone(), CommandLine::default())
        .effective(None, false)
        .telemetry
        .clone()
}

fn file(folder: &Path) -> Result<RollingFileAppender, InitError> {
    private(folder);
    RollingFileAppender::builder()
        .rotation(Rotation::DAILY)
        .filename_prefix("adroit")
        .filename_suffix("jsonl")
        .max_log_files(KEPT_DAYS)
        .build(folder)
}

/// Names of tools and times of work are nobody else's business either.
fn private(folder: &Path) {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    // What is wrong with it is told by the appender, which tries the same.
    let _ = builder.create(folder);
}

/// One JSON line an event, and one for each span that ends.
fn json<S, W>(writer: W) -> impl Layer<S>
where
    S: tracing::Subscriber + for<'a> LookupSpan<'a>,
    W: for<'a> tracing_subscriber::fmt::MakeWriter<'a> + 'static,
{
    tracing_subscriber::fmt::layer()
        .json()
        .flatten_event(true)
        .with_current_span(true)
        .with_span_list(false)
        .with_span_events(FmtSpan::CLOSE)
        .with_writer(writer)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn a_spans_end_is_one_line_with_its_fields() {
        let folder = tempfile::tempdir().unwrap();
        let logs = folder.path().join("logs");
        let (writer, guard) = tracing_appender::non_blocking(file(&logs).unwrap());
        let subscriber = tracing_subscriber::registry().with(json(writer));
        tracing::subscriber::with_default(subscriber, || {
            let span = tracing::info_span!("tool_call", call = "call_1", tool = "Bash");
            span.in_scope(|| tracing::info!("under way"));
        });
        drop(guard);
        let file = std::fs::read_dir(&logs).unwrap().next().unwrap().unwrap();
        let name = file.file_name().into_string().unwrap();
        assert!(
            name.starts_with("adroit.") && name.ends_with(".jsonl"),
            "{name}"
        );
        let text = std::fs::read_to_string(file.path()).unwrap();
        let lines: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[1]["message"], "close");
        assert_eq!(lines[1]["span"]["tool"], "Bash");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = std::fs::metadata(&logs).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o700);
        }
    }
}

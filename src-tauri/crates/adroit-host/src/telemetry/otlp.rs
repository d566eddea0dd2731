//! Spans of calls to a collector: OTLP over HTTP in its JSON form
//! (`opentelemetry-proto`, `ExportTraceServiceRequest`; `POST /v1/traces`).
//!
//! Only spans named `tool_call` leave. A collector that is slow or away costs spans and never
//! time of a call: what does not fit the queue is dropped and counted.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value, json};
use tokio::sync::mpsc;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;
use uuid::Uuid;

/// The span that is exported.
const SPAN: &str = "tool_call";
/// Spans that wait at most.
const QUEUE: usize = 1_024;
/// Spans of one request at most.
const BATCH: usize = 128;
/// How long a request may take.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Exports until it is dropped.
#[derive(Debug)]
pub(super) struct Export {
    thread: Option<std::thread::JoinHandle<()>>,
    queue: Arc<Queue>,
}

#[derive(Debug)]
struct Queue {
    /// Taken when the export ends: then the other side ends, too.
    sender: std::sync::Mutex<Option<mpsc::Sender<Value>>>,
    dropped: AtomicU64,
}

impl Queue {
    fn push(&self, span: Value) {
        let sender = self
            .sender
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if sender
            .as_ref()
            .is_none_or(|sender| sender.try_send(span).is_err())
        {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// The layer, and what carries its spans away; neither does anything without an endpoint.
pub(super) fn start(endpoint: Option<&str>) -> (Option<SpanLayer>, Option<Export>) {
    let Some(endpoint) = endpoint.map(str::trim).filter(|text| !text.is_empty()) else {
        return (None, None);
    };
    let url = format!("{}/v1/traces", endpoint.trim_end_matches('/'));
    let (sender, receiver) = mpsc::channel(QUEUE);
    let queue = Arc::new(Queue {
        sender: std::sync::Mutex::new(Some(sender)),
        dropped: AtomicU64::new(0),
    });
    // A thread of its own with a runtime of its own: the app's may end before its last spans.
    let thread = std::thread::Builder::new()
        .name("otlp".to_owned())
        .spawn(move || carry(&url, receiver))
        .inspect_err(|error| eprintln!("adroit: calls are not exported: {error}"))
        .ok();
    let layer = SpanLayer {
        queue: Arc::clone(&queue),
    };
    (Some(layer), Some(Export { thread, queue }))
}

impl Drop for Export {
    /// Sends what waits. Takes no longer than one request may.
    fn drop(&mut self) {
        let mut sender = self
            .queue
            .sender
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        sender.take();
        drop(sender);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn carry(url: &str, mut spans: mpsc::Receiver<Value>) {
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
    else {
        return;
    };
    let _ = rustls::crypto::ring::default_provider().install_default();
    let Ok(client) = reqwest::Client::builder()
        .timeout(TIMEOUT)
        .redirect(reqwest::redirect::Policy::none())
        .build()
    else {
        return;
    };
    runtime.block_on(async {
        let mut batch = Vec::new();
        while spans.recv_many(&mut batch, BATCH).await > 0 {
            let body = request(std::mem::take(&mut batch));
            let sent = client.post(url).json(&body).send().await;
            match sent.map(|response| response.status()) {
                Ok(status) if status.is_success() => {}
                Ok(status) => eprintln!("adroit: the collector answered {status}"),
                Err(error) => eprintln!("adroit: calls were not exported: {}", error.without_url()),
            }
        }
    });
}

fn request(spans: Vec<Value>) -> Value {
    json!({
        "resourceSpans": [{
            "resource": { "attributes": [
                attribute("service.name", json!({ "stringValue": "adroit" })),
                attribute("service.version", json!({ "stringValue": env!("CARGO_PKG_VERSION") })),
            ]},
            "scopeSpans": [{ "scope": { "name": "adroit" }, "spans": spans }],
        }]
    })
}

fn attribute(key: &str, value: Value) -> Value {
    json!({ "key": key, "value": value })
}

/// Collects the spans.
#[derive(Debug)]
pub(super) struct SpanLayer {
    queue: Arc<Queue>,
}

/// What is known of a span that goes on.
struct Open {
    began: SystemTime,
    fields: Map<String, Value>,
}

impl<S: tracing::Subscriber + for<'a> LookupSpan<'a>> Layer<S> for SpanLayer {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id).filter(|span| span.name() == SPAN) else {
            return;
        };
        let mut fields = Fields(Map::new());
        attributes.record(&mut fields);
        span.extensions_mut().insert(Open {
            began: SystemTime::now(),
            fields: fields.0,
        });
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        if let Some(span) = context.span(id)
            && let Some(open) = span.extensions_mut().get_mut::<Open>()
        {
            let mut fields = Fields(std::mem::take(&mut open.fields));
            values.record(&mut fields);
            open.fields = fields.0;
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(span) = context.span(&id) else {
            return;
        };
        let open = span.extensions_mut().remove::<Open>();
        if let Some(open) = open {
            self.queue.push(finished(open, SystemTime::now()));
        }
    }
}

fn finished(open: Open, ended: SystemTime) -> Value {
    // Failed calls are marked, so that a collector's search for errors finds them.
    let failed = open
        .fields
        .get("outcome")
        .and_then(Value::as_str)
        .is_some_and(|outcome| outcome != "succeeded");
    let attributes: Vec<Value> = open
        .fields
        .into_iter()
        .map(|(key, value)| {
            let value = match value {
                Value::Bool(flag) => json!({ "boolValue": flag }),
                // 64-bit numbers are strings in the JSON form.
                Value::Number(number) => json!({ "intValue": number.to_string() }),
                other => json!({ "stringValue": other }),
            };
            attribute(&format!("adroit.{key}"), value)
        })
        .collect();
    let trace = Uuid::new_v4().simple().to_string();
    json!({
        "traceId": trace,
        "spanId": Uuid::new_v4().simple().to_string()[..16],
        "name": SPAN,
        "kind": 1,
        "startTimeUnixNano": nanoseconds(open.began),
        "endTimeUnixNano": nanoseconds(ended),
        "attributes": attributes,
        "status": { "code": if failed { 2 } else { 1 } },
    })
}

fn nanoseconds(time: SystemTime) -> String {
    time.duration_since(UNIX_EPOCH)
        .map_or_else(|_| "0".to_owned(), |since| since.as_nanos().to_string())
}

struct Fields(Map<String, Value>);

impl Visit for Fields {
    fn record_i64(&mut self, field: &Field, value: i64) {
        self.0.insert(field.name().to_owned(), json!(value));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.0.insert(field.name().to_owned(), json!(value));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.0.insert(field.name().to_owned(), json!(value));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), json!(value));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        self.0
            .insert(field.name().to_owned(), json!(format!("{value:?}")));
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead as _, BufReader, Read as _, Write as _};
    use std::net::TcpListener;

    use tracing_subscriber::layer::SubscriberExt as _;

    use super::*;

    /// Takes one request and gives its first line and body.
    fn collector() -> (String, std::thread::JoinHandle<(String, Value)>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let serving = std::thread::spawn(move || {
            let (stream, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(stream);
            let mut first = String::new();
            reader.read_line(&mut first).unwrap();
            let mut length = 0;
            loop {
                let mut line = String::new();
                reader.read_line(&mut line).unwrap();
                if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
                if line.trim().is_empty() {
                    break;
                }
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}";
            reader.get_mut().write_all(answer).unwrap();
            (first, serde_json::from_slice(&body).unwrap())
        });
        (address, serving)
    }

    #[test]
    fn calls_reach_the_collector_and_nothing_else_does() {
        let (address, serving) = collector();
        let (layer, export) = start(Some(&address));
        let subscriber = tracing_subscriber::registry().with(layer);
        tracing::subscriber::with_default(subscriber, || {
            tracing::info_span!("something_else", secret = "s3cret").in_scope(|| {});
            let span = tracing::info_span!(
                "tool_call",
                call = "call_1",
                tool = "Bash",
                input_bytes = 12_u64,
                outcome = tracing::field::Empty,
            );
            span.record("outcome", "exit_code");
        });
        drop(export);
        let (first, body) = serving.join().unwrap();
        assert!(first.starts_with("POST /v1/traces "), "{first}");
        let spans = &body["resourceSpans"][0]["scopeSpans"][0]["spans"];
        assert_eq!(spans.as_array().unwrap().len(), 1);
        let span = &spans[0];
        assert_eq!(
            (&span["name"], &span["status"]["code"]),
            (&json!("tool_call"), &json!(2))
        );
        assert_eq!(span["traceId"].as_str().unwrap().len(), 32);
        assert_eq!(span["spanId"].as_str().unwrap().len(), 16);
        let attributes = span["attributes"].to_string();
        for expected in [
            "call_1",
            r#""intValue":"12""#,
            "adroit.outcome",
            "exit_code",
        ] {
            assert!(attributes.contains(expected), "{attributes}");
        }
        assert!(!body.to_string().contains("s3cret"));
    }

    #[test]
    fn without_an_endpoint_there_is_nothing() {
        for nothing in [None, Some(""), Some("  ")] {
            let (layer, export) = start(nothing);
            assert!(layer.is_none() && export.is_none());
        }
    }

    #[test]
    fn a_collector_that_is_away_holds_nobody_up() {
        // A port that nobody listens on: bound and let go.
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        drop(listener);
        let (layer, export) = start(Some(&address));
        let queue = Arc::clone(&layer.as_ref().unwrap().queue);
        let subscriber = tracing_subscriber::registry().with(layer);
        tracing::subscriber::with_default(subscriber, || {
            for _ in 0..QUEUE * 3 {
                tracing::info_span!("tool_call", call = "c").in_scope(|| {});
            }
        });
        drop(export);
        queue.push(json!({}));
        assert!(queue.dropped.load(Ordering::Relaxed) > 0);
    }
}

//! What a call's span says, and what it never says.

use std::io::Write;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::fmt::format::FmtSpan;

use super::fixture::*;

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

/// The span of one call, as the log file has it, and all that was logged.
async fn span(input: Value) -> (Value, String) {
    let lines = Lines::default();
    let subscriber = tracing_subscriber::fmt()
        .json()
        .with_span_events(FmtSpan::CLOSE)
        .with_writer(lines.clone())
        .finish();
    let guard = tracing::subscriber::set_default(subscriber);
    world().run("Probe", input).await;
    drop(guard);
    let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    let closed: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|line: &Value| line["fields"]["message"] == "close")
        .collect();
    assert_eq!(closed.len(), 1, "one span a call: {text}");
    (closed[0]["span"].clone(), text)
}

#[tokio::test]
async fn a_call_has_one_span_with_sizes_and_no_contents() {
    let (span, text) = span(json!({"text": "s3cret words"})).await;
    assert_eq!(span["name"], "tool_call");
    assert_eq!(span["tool"], "Probe");
    assert_eq!(span["outcome"], "succeeded");
    assert!(span["call"].is_string() && span["decision"].is_string());
    assert!(span["elapsed_us"].is_u64());
    assert_eq!(
        span["input_bytes"],
        json!({"text": "s3cret words"}).to_string().len()
    );
    assert_eq!(span["result_bytes"], "s3cret words".len());
    assert_eq!(span["stored"], false);
    assert!(!text.contains("s3cret"), "{text}");
}

#[tokio::test]
async fn a_failure_is_named_by_its_code_only() {
    let (span, text) = span(json!({"text": "s3cret", "end": "fail"})).await;
    assert_eq!(span["outcome"], "failed");
    assert!(
        !text.contains("s3cret") && !text.contains("it did not work"),
        "{text}"
    );
}

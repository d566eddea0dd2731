use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::*;
use crate::{Gate, turn};

/// Sends a request and returns the connection.
async fn post(model: &ScriptedModel, path: &str) -> TcpStream {
    let mut connection = TcpStream::connect(model.address).await.unwrap();
    let body = r#"{"model":"m","messages":[{"role":"user","content":"hi"}]}"#;
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    connection
        .write_all((head + body).as_bytes())
        .await
        .unwrap();
    connection
}

async fn read_until(connection: &mut TcpStream, mark: &str) -> String {
    let mut text = String::new();
    let mut buffer = [0; 4096];
    while !text.contains(mark) {
        let read = connection.read(&mut buffer).await.unwrap();
        assert_ne!(read, 0, "it ended without {mark}: {text}");
        text.push_str(&String::from_utf8_lossy(&buffer[..read]));
    }
    text
}

async fn read_all(mut connection: TcpStream) -> String {
    let mut text = String::new();
    connection.read_to_string(&mut text).await.unwrap();
    text
}

#[tokio::test]
async fn nothing_is_sent_past_a_closed_gate() {
    let gate = Gate::new();
    let model = ScriptedModel::start([turn().text("before").gate(&gate).text("after").end()]).await;
    let mut connection = post(&model, "/v1/messages").await;
    let text = read_until(&mut connection, "content_block_stop").await;
    gate.reached().await;
    assert!(text.contains("before") && !text.contains("after"), "{text}");
    assert!(model.answer_ended(0).is_none());
    gate.open();
    let rest = read_all(connection).await;
    assert!(
        rest.contains("after") && rest.contains("message_stop"),
        "{rest}"
    );
    assert!(model.answer_ended(0).is_some());
}

#[tokio::test]
async fn both_wires_and_an_end_of_the_script() {
    let call = || turn().text("a").call("Read", json!({"n": 1})).end();
    let model = ScriptedModel::start([call(), call()]).await;
    let chat = read_all(post(&model, "/v1/chat/completions").await).await;
    assert!(
        chat.contains("\"tool_calls\"") && chat.contains("data: [DONE]"),
        "{chat}"
    );
    let messages = read_all(post(&model, "/v1/messages").await).await;
    assert!(
        messages.contains("event: content_block_delta") && messages.contains("call_2_1"),
        "{messages}"
    );
    let none = read_all(post(&model, "/v1/messages").await).await;
    assert!(
        none.starts_with("HTTP/1.1 400") && none.contains("no turn for request 3"),
        "{none}"
    );
    assert_eq!(model.requests()[1].last_message()["content"], "hi");
    assert_eq!(model.request(2).await.wire, Wire::Anthropic);
}

#[tokio::test]
async fn a_cut_connection_has_no_orderly_end() {
    let model = ScriptedModel::start([turn().text("a").cut()]).await;
    let text = read_all(post(&model, "/v1/messages").await).await;
    assert!(!text.contains("\r\n0\r\n"), "{text}");
}

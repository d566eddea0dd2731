//! Runs a hook that is a request.

use std::sync::Arc;
use std::time::Duration;

use adroit_process::LoginEnvironment;
use adroit_protocol::hook::{HookEvent, HookOutcome};
use futures::StreamExt as _;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, redirect};
use tokio::sync::OnceCell;

use crate::answer::{self, Said};
use crate::run::Ran;

/// Bytes read of a response.
const KEEP: usize = 1 << 20;
/// How long a connection may take to be made.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Makes requests. Nothing is set up before the first one.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    client: OnceCell<Client>,
}

/// One request.
pub(crate) struct Request<'a> {
    pub(crate) url: &'a str,
    pub(crate) headers: &'a [(String, String)],
    pub(crate) variables: &'a [String],
    pub(crate) timeout: Duration,
}

impl Requests {
    /// Sends the input and reads the answer.
    pub(crate) async fn run(
        &self,
        event: HookEvent,
        request: &Request<'_>,
        environment: &LoginEnvironment,
        input: Vec<u8>,
    ) -> Ran {
        match tokio::time::timeout(
            request.timeout,
            self.send(event, request, environment, input),
        )
        .await
        {
            Ok(Ok(ran)) => ran,
            Ok(Err(said)) => Ran::without_output(said),
            Err(_) => Ran::without_output(Said::plainly(
                HookOutcome::TimedOut,
                Some(format!(
                    "no answer within {} s",
                    request.timeout.as_secs_f64()
                )),
            )),
        }
    }

    async fn send(
        &self,
        event: HookEvent,
        request: &Request<'_>,
        environment: &LoginEnvironment,
        input: Vec<u8>,
    ) -> Result<Ran, Said> {
        let not_started = |text: String| Said::plainly(HookOutcome::NotStarted, Some(text));
        let headers = headers(request, environment).await.map_err(not_started)?;
        let client = self.client().await.map_err(not_started)?;
        let response = client
            .post(request.url)
            .headers(headers)
            .body(input)
            .send()
            .await
            .map_err(|error| not_started(words(&error)))?;
        let status = response.status();
        let mut body = Vec::new();
        let mut stream = response.bytes_stream();
        while let Some(piece) = stream.next().await {
            let piece = piece.map_err(|error| Said::failed(words(&error)))?;
            if body.len() + piece.len() > KEEP {
                return Err(Said::failed(format!(
                    "it answered with more than {KEEP} bytes"
                )));
            }
            body.extend_from_slice(&piece);
        }
        let output = String::from_utf8_lossy(&body).into_owned();
        let said = if status.is_success() {
            answer::of_output(event, &output)
        } else if status.is_redirection() {
            // What a call is about must not be carried to where another server points.
            Said::failed(format!(
                "it redirects (HTTP {status}), and redirects are not followed"
            ))
        } else {
            Said::failed(format!("HTTP {status}"))
        };
        Ok(Ran {
            said,
            code: Some(i32::from(status.as_u16())),
            output,
            errors: String::new(),
        })
    }

    async fn client(&self) -> Result<&Client, String> {
        self.client
            .get_or_try_init(|| async {
                // Reading the system's certificates blocks for some milliseconds.
                tokio::task::spawn_blocking(client)
                    .await
                    .map_err(|error| error.to_string())?
            })
            .await
    }
}

fn client() -> Result<Client, String> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder()
        .connect_timeout(CONNECT_TIMEOUT)
        .redirect(redirect::Policy::none())
        .build()
        .map_err(|error| words(&error))
}

async fn headers(
    request: &Request<'_>,
    environment: &LoginEnvironment,
) -> Result<HeaderMap, String> {
    let known = environment.get().await.for_commands();
    let variable = |name: &str| {
        if !request.variables.iter().any(|allowed| allowed == name) {
            return None;
        }
        known
            .iter()
            .find(|(known, _)| known == name)
            .and_then(|(_, value)| value.to_str().map(str::to_owned))
            // A token may be one of those that commands are not given.
            .or_else(|| std::env::var(name).ok())
    };
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    for (name, value) in request.headers {
        let name = HeaderName::try_from(name.as_str())
            .map_err(|_| format!("`{name}` is no name of a header"))?;
        // The value itself may be a secret: it is not told.
        let mut value = HeaderValue::from_str(&interpolated(value, variable)).map_err(|_| {
            format!("the value of the header `{name}` has characters that none has")
        })?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Ok(headers)
}

/// `$NAME` and `${NAME}` with their values; a variable that may not be used is empty.
fn interpolated(text: &str, variable: impl Fn(&str) -> Option<String>) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        result.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let (name, after) = match rest
            .strip_prefix('{')
            .and_then(|inner| inner.split_once('}'))
        {
            Some((name, after)) => (name, after),
            None => rest.split_at(
                rest.find(|character: char| character != '_' && !character.is_ascii_alphanumeric())
                    .unwrap_or(rest.len()),
            ),
        };
        if name.is_empty() {
            result.push('$');
        } else {
            result.push_str(&variable(name).unwrap_or_default());
            rest = after;
        }
    }
    result + rest
}

/// An error with its causes, without the address: it may hold a token.
fn words(error: &reqwest::Error) -> String {
    let mut words = error.to_string();
    if let Some(url) = error.url() {
        words = words.replace(url.as_str(), "the address");
    }
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        words.push_str(": ");
        words.push_str(&cause.to_string());
        source = cause.source();
    }
    words
}

/// Shared by all sessions.
pub(crate) type SharedRequests = Arc<Requests>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_allowed_variables_are_put_in() {
        let variable = |name: &str| (name == "TOKEN").then(|| "t0k".to_owned());
        for (text, expected) in [
            ("Bearer $TOKEN", "Bearer t0k"),
            ("Bearer ${TOKEN}!", "Bearer t0k!"),
            ("$HOME/$TOKEN", "/t0k"),
            ("100$", "100$"),
            ("$$TOKEN", "$t0k"),
            ("${unclosed", "${unclosed"),
            ("plain", "plain"),
        ] {
            assert_eq!(interpolated(text, variable), expected, "{text}");
        }
    }
}

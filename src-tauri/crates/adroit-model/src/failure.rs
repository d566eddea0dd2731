//! What the failures of a model server mean: status, error object and headers to a [`ModelError`].

use std::time::{Duration, SystemTime};

use reqwest::header::HeaderMap;
use serde_json::Value;

use crate::{ModelError, RetryAdvice, Secret};

/// The longest message of a server that is kept.
const MAX_MESSAGE: usize = 600;

/// The request that failed.
#[derive(Clone, Copy)]
pub(crate) struct Failure<'a> {
    pub(crate) url: &'a str,
    pub(crate) model: &'a str,
    pub(crate) key: Option<&'a Secret>,
}

impl Failure<'_> {
    /// A response with a status that is no success.
    pub(crate) fn of_response(
        &self,
        status: u16,
        location: Option<&str>,
        body: &[u8],
        advice: RetryAdvice,
    ) -> ModelError {
        if (300..400).contains(&status) {
            let to = location
                .map(|to| to.split('?').next().unwrap_or_default())
                .unwrap_or("nowhere");
            return ModelError::BadAddress {
                url: self.url.to_owned(),
                reason: format!("the server redirects to {to}, and the key is not sent on"),
            };
        }
        let json: Option<Value> = serde_json::from_slice(body).ok();
        match json.as_ref().and_then(error_object) {
            Some(error) => self.of_error(status, error, advice),
            None => {
                let text = String::from_utf8_lossy(body);
                let text = text.trim();
                let message = if text.is_empty() {
                    "no reason given".into()
                } else if text.starts_with('<') {
                    "it answers with a web page".into()
                } else {
                    text.to_owned()
                };
                self.classify(status, "", &message, advice)
            }
        }
    }

    /// An error object, of a body or of a stream (then with status 200).
    pub(crate) fn of_error(&self, status: u16, error: &Value, advice: RetryAdvice) -> ModelError {
        let word = |name: &str| error[name].as_str().unwrap_or_default();
        let message = match error {
            Value::String(text) => text.clone(),
            _ if !word("message").is_empty() => word("message").to_owned(),
            _ if !word("type").is_empty() => word("type").to_owned(),
            _ => error.to_string(),
        };
        // Routers give the status of the server behind them as a number.
        let inner = error["code"]
            .as_u64()
            .and_then(|code| u16::try_from(code).ok());
        let status = match inner {
            Some(inner) if status == 200 && (400..600).contains(&inner) => inner,
            _ => status,
        };
        let kinds = format!("{} {}", word("type"), word("code"));
        self.classify(status, &kinds, &message, advice)
    }

    /// From the most to the least specific: what the message says of the context, the error's
    /// type or code, the status.
    fn classify(&self, status: u16, kinds: &str, message: &str, advice: RetryAdvice) -> ModelError {
        let message = self.clean(message);
        let lower = message.to_lowercase();
        let is = |words: &[&str]| {
            words
                .iter()
                .any(|word| kinds.split_whitespace().any(|kind| kind == *word))
        };
        let url = self.url.to_owned();
        if is(&[
            "context_length_exceeded",
            "exceed_context_size_error",
            "request_too_large",
        ]) || status == 413
            || (matches!(status, 200 | 400 | 422 | 500) && speaks_of_context(&lower))
        {
            return ModelError::ContextExceeded { message };
        }
        if is(&["insufficient_quota", "billing_error"])
            || status == 402
            || lower.contains("credit balance")
        {
            return ModelError::QuotaExhausted { message };
        }
        if is(&[
            "authentication_error",
            "permission_error",
            "invalid_api_key",
        ]) || matches!(status, 401 | 403)
        {
            return ModelError::Unauthorized { url, message };
        }
        if is(&["not_found_error", "model_not_found"]) || matches!(status, 404 | 405) {
            if is(&["model_not_found"]) || lower.contains("model") {
                return ModelError::ModelNotFound {
                    url,
                    model: self.model.to_owned(),
                    message,
                };
            }
            let reason = format!("it does not know this path (status {status}): {message}");
            return ModelError::BadAddress { url, reason };
        }
        if is(&["rate_limit_error", "rate_limit_exceeded"]) || status == 429 {
            return ModelError::RateLimited { message, advice };
        }
        if is(&["overloaded_error"]) || matches!(status, 503 | 529) {
            return ModelError::Overloaded { message, advice };
        }
        if is(&["invalid_request_error"]) || matches!(status, 400 | 422) {
            return ModelError::BadRequest { status, message };
        }
        match status {
            200 | 408 | 409 | 500.. => ModelError::Server {
                status,
                message,
                advice,
            },
            _ => ModelError::BadRequest { status, message },
        }
    }

    /// The message on few lines, bounded, without the key.
    fn clean(&self, message: &str) -> String {
        let mut text = self
            .key
            .map_or_else(|| message.to_owned(), |key| key.scrub(message));
        if let Some((end, _)) = text.char_indices().nth(MAX_MESSAGE) {
            text.truncate(end);
            text.push('…');
        }
        text
    }
}

/// The error object of a body: `{"error": …}`, or the body itself (`{"message": …}`, `{"detail": …}`).
pub(crate) fn error_object(body: &Value) -> Option<&Value> {
    ["error", "detail"]
        .iter()
        .map(|name| &body[name])
        .find(|error| !error.is_null())
        .or_else(|| body["message"].is_string().then_some(body))
}

fn speaks_of_context(message: &str) -> bool {
    [
        "prompt is too long",
        "context length",
        "context_length",
        "context window",
        "maximum context",
        "context size",
        "too many tokens",
        "input is too long",
    ]
    .iter()
    .any(|words| message.contains(words))
}

/// What the headers say about trying again.
pub(crate) fn advice(headers: &HeaderMap) -> RetryAdvice {
    let text = |name: &str| {
        headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .map(str::trim)
    };
    let milliseconds = text("retry-after-ms")
        .and_then(|text| text.parse::<f64>().ok())
        .map(|ms| ms / 1000.0);
    let seconds = text("retry-after").and_then(|text| text.parse::<f64>().ok());
    let after = milliseconds
        .or(seconds)
        .filter(|seconds| *seconds >= 0.0)
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .or_else(|| text("retry-after").and_then(|date| until_http_date(date, SystemTime::now())));
    let should = match text("x-should-retry") {
        Some("true") => Some(true),
        Some("false") => Some(false),
        _ => None,
    };
    RetryAdvice { after, should }
}

/// The time until an HTTP date (`Wed, 21 Oct 2015 07:28:00 GMT`); zero when it has passed.
fn until_http_date(text: &str, now: SystemTime) -> Option<Duration> {
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let words: Vec<&str> = text
        .split([' ', ':', ','])
        .filter(|word| !word.is_empty())
        .collect();
    let [_, day, month, year, hour, minute, second, "GMT"] = words[..] else {
        return None;
    };
    let month = MONTHS.iter().position(|name| *name == month)? as u64 + 1;
    let number = |word: &str| word.parse::<u64>().ok();
    let days = days_since_1970(number(year)?, month, number(day)?)?;
    let seconds = days * 86_400 + number(hour)? * 3_600 + number(minute)? * 60 + number(second)?;
    let then = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds))?;
    Some(then.duration_since(now).unwrap_or_default())
}

/// Days from the first of January 1970 in the Gregorian calendar (years counted from March,
/// so that a leap day is a year's last day).
fn days_since_1970(year: u64, month: u64, day: u64) -> Option<u64> {
    if !(1970..=9999).contains(&year) || !(1..=31).contains(&day) {
        return None;
    }
    let year = if month <= 2 { year - 1 } else { year };
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    (year * 365 + year / 4 - year / 100 + year / 400 + day_of_year).checked_sub(719_468)
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::{HeaderName, HeaderValue};
    use serde_json::json;

    fn kind(status: u16, body: &Value) -> String {
        let key = Secret::new("sk-secret-key");
        let failure = Failure {
            url: "http://host/v1",
            model: "m",
            key: Some(&key),
        };
        let error = failure.of_response(
            status,
            None,
            body.to_string().as_bytes(),
            RetryAdvice::default(),
        );
        assert!(!error.to_string().contains("secret"), "{error}");
        format!("{error:?}")
            .split([' ', '{'])
            .next()
            .unwrap()
            .to_owned()
    }

    #[test]
    fn statuses_and_error_objects() {
        let error = |kind: &str, message: &str| json!({"type": "error", "error": {"type": kind, "message": message}});
        for (status, body, expected) in [
            (
                401,
                error("authentication_error", "invalid x-api-key sk-secret-key"),
                "Unauthorized",
            ),
            (403, json!({"error": "no"}), "Unauthorized"),
            (
                404,
                error("not_found_error", "model: claude-0"),
                "ModelNotFound",
            ),
            (
                404,
                json!({"error": {"message": "model 'x' not found", "type": "api_error"}}),
                "ModelNotFound",
            ),
            (404, json!("Not Found"), "BadAddress"),
            (429, error("rate_limit_error", "slow down"), "RateLimited"),
            (
                429,
                json!({"error": {"code": "insufficient_quota", "message": "pay"}}),
                "QuotaExhausted",
            ),
            (
                400,
                error("invalid_request_error", "Your credit balance is too low"),
                "QuotaExhausted",
            ),
            (529, error("overloaded_error", "Overloaded"), "Overloaded"),
            (
                503,
                json!({"error": {"message": "Loading model"}}),
                "Overloaded",
            ),
            (500, error("api_error", "Internal"), "Server"),
            (
                400,
                error(
                    "invalid_request_error",
                    "prompt is too long: 300 > 200 tokens",
                ),
                "ContextExceeded",
            ),
            (413, error("request_too_large", "big"), "ContextExceeded"),
            (
                400,
                json!({"error": {"type": "exceed_context_size_error", "message": "x"}}),
                "ContextExceeded",
            ),
            (
                400,
                error("invalid_request_error", "tools.0: bad"),
                "BadRequest",
            ),
            (
                422,
                json!({"detail": [{"msg": "field required"}]}),
                "BadRequest",
            ),
            (200, error("overloaded_error", "Overloaded"), "Overloaded"),
            (
                200,
                json!({"error": {"code": 429, "message": "upstream"}}),
                "RateLimited",
            ),
            (200, json!({"error": "out of memory"}), "Server"),
        ] {
            assert_eq!(kind(status, &body), expected, "{status} {body}");
        }
    }

    #[test]
    fn a_redirect_is_not_followed() {
        let failure = Failure {
            url: "http://host/v1",
            model: "m",
            key: None,
        };
        let error = failure.of_response(
            307,
            Some("https://other/v1?key=1"),
            b"",
            RetryAdvice::default(),
        );
        insta::assert_snapshot!(error, @"`http://host/v1` is not the address of a model server: the server redirects to https://other/v1, and the key is not sent on");
    }

    #[test]
    fn headers_about_retries() {
        let read = |pairs: &[(&'static str, &'static str)]| {
            let pairs = pairs.iter().map(|(name, value)| {
                (
                    HeaderName::from_static(name),
                    HeaderValue::from_static(value),
                )
            });
            advice(&pairs.collect())
        };
        assert_eq!(
            read(&[("retry-after", "7")]).after,
            Some(Duration::from_secs(7))
        );
        assert_eq!(
            read(&[("retry-after", "7"), ("retry-after-ms", "250")]).after,
            Some(Duration::from_millis(250))
        );
        assert_eq!(
            read(&[("retry-after", "-1"), ("x-should-retry", "false")]),
            RetryAdvice {
                after: None,
                should: Some(false)
            }
        );
        assert_eq!(
            read(&[("retry-after", "Wed, 21 Oct 2015 07:28:00 GMT")]).after,
            Some(Duration::ZERO)
        );
        assert_eq!(read(&[("retry-after", "soon")]).after, None);
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_445_412_470);
        assert_eq!(
            until_http_date("Wed, 21 Oct 2015 07:28:00 GMT", now),
            Some(Duration::from_secs(10))
        );
    }
}

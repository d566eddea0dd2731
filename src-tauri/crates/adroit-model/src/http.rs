//! HTTP to one model server: address, connection, and what its failures mean.

use std::error::Error;
use std::time::Duration;

use bytes::Bytes;
use futures::StreamExt;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Client, Method, Response, Url, redirect};
use serde_json::Value;
use tokio::sync::OnceCell;

use crate::failure::{Failure, advice};
use crate::{ModelError, ProviderConfig, Secret};

/// The most that is read of the body of a refusal.
const MAX_ERROR_BYTES: usize = 64 * 1024;
/// The most that is read of a list of models.
const MAX_LIST_BYTES: usize = 8 * 1024 * 1024;
/// How long a connection may take to be made.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);
/// How long the body of a refusal, or a list of models, may take.
const BODY_TIMEOUT: Duration = Duration::from_secs(20);

/// One model server. Makes its connections with the first request.
#[derive(Debug)]
pub(crate) struct Server {
    base: Url,
    /// The address without credentials, for messages.
    shown: String,
    key: Option<Secret>,
    response_timeout: Duration,
    client: OnceCell<Client>,
}

impl Server {
    /// A server; `default` is the provider's own address. A base URL without a path gets
    /// `/v1`, the path that every server of these protocols has.
    pub(crate) fn new(config: &ProviderConfig, default: &str) -> Result<Self, ModelError> {
        let text = config
            .base_url
            .as_deref()
            .map(str::trim)
            .filter(|url| !url.is_empty());
        let base = parse_address(text.unwrap_or(default))?;
        let shown = shown(&base);
        Ok(Self {
            base,
            shown,
            key: config.key.clone(),
            response_timeout: config.response_timeout,
            client: OnceCell::new(),
        })
    }

    /// The address for messages.
    pub(crate) fn shown(&self) -> &str {
        &self.shown
    }

    /// Whether the host is this one.
    pub(crate) fn is_host(&self, host: &str) -> bool {
        self.base.host_str() == Some(host)
    }

    /// The failure of a request for `model`, without the key in it.
    pub(crate) fn failure<'a>(&'a self, model: &'a str) -> Failure<'a> {
        Failure {
            url: &self.shown,
            model,
            key: self.key.as_ref(),
        }
    }

    /// Sends a JSON body and returns the response once its status says that it succeeded.
    pub(crate) async fn post(
        &self,
        path: &str,
        headers: HeaderMap,
        body: Vec<u8>,
        model: &str,
    ) -> Result<Response, ModelError> {
        self.send(Method::POST, path, headers, Some(body), model)
            .await
    }

    /// The JSON at a path.
    pub(crate) async fn get_json(
        &self,
        path: &str,
        query: &[(&str, &str)],
        headers: HeaderMap,
    ) -> Result<Value, ModelError> {
        let path = match query {
            [] => path.to_owned(),
            _ => {
                let pairs: Vec<String> = query
                    .iter()
                    .map(|(name, value)| format!("{name}={}", escaped(value)))
                    .collect();
                format!("{path}?{}", pairs.join("&"))
            }
        };
        let response = self.send(Method::GET, &path, headers, None, "").await?;
        let bytes = body_of(response, MAX_LIST_BYTES).await?;
        serde_json::from_slice(&bytes).map_err(|error| ModelError::Protocol {
            message: format!("the list at {path} is not JSON: {error}"),
        })
    }

    /// The key as a header's value after `scheme`; none where there is no key.
    ///
    /// # Errors
    /// [`ModelError::Unauthorized`] for a key that no header can hold, and for no key where one is required.
    pub(crate) fn key_header(
        &self,
        scheme: &str,
        required: bool,
    ) -> Result<Option<HeaderValue>, ModelError> {
        let unauthorized = |message: &str| ModelError::Unauthorized {
            url: self.shown.clone(),
            message: message.into(),
        };
        match self.key.as_ref().filter(|key| !key.expose().is_empty()) {
            Some(key) => {
                let mut value = HeaderValue::from_str(&format!("{scheme}{}", key.expose()))
                    .map_err(|_| unauthorized("it has characters that no key has"))?;
                value.set_sensitive(true);
                Ok(Some(value))
            }
            None if required => Err(unauthorized("no key is set")),
            None => Ok(None),
        }
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        headers: HeaderMap,
        body: Option<Vec<u8>>,
        model: &str,
    ) -> Result<Response, ModelError> {
        let mut url = self.base.clone();
        let (path, query) = path
            .split_once('?')
            .map_or((path, None), |(path, query)| (path, Some(query)));
        url.set_path(&format!("{}{path}", self.base.path().trim_end_matches('/')));
        url.set_query(query);
        let mut request = self.client().await?.request(method, url).headers(headers);
        if let Some(body) = body {
            request = request
                .header(CONTENT_TYPE, HeaderValue::from_static("application/json"))
                .body(body);
        }
        let response = tokio::time::timeout(self.response_timeout, request.send())
            .await
            .map_err(|_| ModelError::Stalled {
                after: self.response_timeout,
            })?
            .map_err(|error| self.unreachable(&error))?;
        if response.status().is_success() {
            return Ok(response);
        }
        let status = response.status().as_u16();
        let advice = advice(response.headers());
        let location = response
            .headers()
            .get("location")
            .and_then(|value| value.to_str().ok())
            .map(str::to_owned);
        let body = body_of(response, MAX_ERROR_BYTES).await.unwrap_or_default();
        Err(self
            .failure(model)
            .of_response(status, location.as_deref(), &body, advice))
    }

    fn unreachable(&self, error: &reqwest::Error) -> ModelError {
        if error.is_timeout() {
            return ModelError::Unreachable {
                url: self.shown.clone(),
                reason: format!("no connection within {} s", CONNECT_TIMEOUT.as_secs()),
            };
        }
        if !error.is_connect() {
            return ModelError::Dropped {
                reason: reason(error),
            };
        }
        ModelError::Unreachable {
            url: self.shown.clone(),
            reason: reason(error),
        }
    }

    async fn client(&self) -> Result<&Client, ModelError> {
        self.client
            .get_or_try_init(|| async {
                let local = is_loopback(&self.base);
                let built = if self.base.scheme() == "http" {
                    plain_client(local)
                } else {
                    // Reading the system's certificates blocks for some milliseconds.
                    tokio::task::spawn_blocking(move || secure_client(local))
                        .await
                        .unwrap_or_else(|_| Err("its thread ended".into()))
                };
                built.map_err(|reason| ModelError::Unreachable {
                    url: self.shown.clone(),
                    reason,
                })
            })
            .await
    }
}

/// The names in a list of models, as both wires give it.
pub(crate) fn model_names(list: &Value, server: &Server) -> Result<Vec<String>, ModelError> {
    let Some(models) = list["data"].as_array() else {
        return Err(ModelError::Protocol {
            message: format!("{}/models lists no `data`", server.shown()),
        });
    };
    Ok(models
        .iter()
        .filter_map(|model| model["id"].as_str())
        .map(str::to_owned)
        .collect())
}

/// A query value with everything escaped that is not plainly a name.
fn escaped(value: &str) -> String {
    value
        .bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => {
                char::from(byte).to_string()
            }
            _ => format!("%{byte:02X}"),
        })
        .collect()
}

/// The address of a base URL as people write it.
fn parse_address(text: &str) -> Result<Url, ModelError> {
    let bad = |reason: &str| ModelError::BadAddress {
        url: text.rsplit('@').next().unwrap_or_default().to_owned(),
        reason: reason.to_owned(),
    };
    let mut url = Url::parse(text).map_err(|error| bad(&error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(bad("it has to begin with http:// or https://"));
    }
    url.set_query(None);
    url.set_fragment(None);
    let mut path = url.path().trim_end_matches('/').to_owned();
    for endpoint in ["/messages", "/chat/completions", "/models"] {
        if let Some(base) = path.strip_suffix(endpoint) {
            path = base.to_owned();
        }
    }
    url.set_path(if path.is_empty() { "/v1" } else { &path });
    Ok(url)
}

/// The address without user and password.
fn shown(url: &Url) -> String {
    let mut url = url.clone();
    // Both fail only for addresses that cannot have credentials.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.to_string()
}

/// Whether the host is this machine: then no proxy is looked up or used.
fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    host == "localhost"
        || host.ends_with(".localhost")
        || host
            .trim_matches(['[', ']'])
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

fn builder(local: bool) -> reqwest::ClientBuilder {
    let builder = Client::builder()
        .user_agent(concat!("adroit/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT_TIMEOUT)
        // A redirect would carry the key, in a header of the provider's own, to another host.
        .redirect(redirect::Policy::none())
        .tcp_keepalive(Duration::from_secs(30));
    if local { builder.no_proxy() } else { builder }
}

/// A client for `http://`: its TLS part trusts nobody, and so has nothing to load.
fn plain_client(local: bool) -> Result<Client, String> {
    let tls = rustls::ClientConfig::builder_with_provider(
        rustls::crypto::ring::default_provider().into(),
    )
    .with_safe_default_protocol_versions()
    .map_err(|error| error.to_string())?
    .with_root_certificates(rustls::RootCertStore::empty())
    .with_no_client_auth();
    builder(local)
        .tls_backend_preconfigured(tls)
        .build()
        .map_err(|error| reason(&error))
}

/// A client for `https://` that trusts what the system trusts.
fn secure_client(local: bool) -> Result<Client, String> {
    // Another part of the program may have chosen a provider already; then that one stays.
    let _ = rustls::crypto::ring::default_provider().install_default();
    builder(local)
        .http2_keep_alive_interval(Duration::from_secs(20))
        .build()
        .map_err(|error| reason(&error))
}

/// The innermost reason of an error: the outer ones repeat the address, perhaps with credentials.
pub(crate) fn reason(error: &dyn Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}

/// At most so many bytes of a body.
pub(crate) async fn body_of(response: Response, most: usize) -> Result<Bytes, ModelError> {
    let reading = async {
        let mut stream = response.bytes_stream();
        let mut bytes = Vec::new();
        while let Some(chunk) = stream.next().await {
            let chunk = chunk.map_err(|error| ModelError::Dropped {
                reason: reason(&error),
            })?;
            bytes.extend_from_slice(&chunk[..chunk.len().min(most - bytes.len())]);
            if bytes.len() >= most {
                break;
            }
        }
        Ok(bytes.into())
    };
    tokio::time::timeout(BODY_TIMEOUT, reading)
        .await
        .unwrap_or(Err(ModelError::Stalled {
            after: BODY_TIMEOUT,
        }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_as_people_write_them() {
        let base = |text: &str| {
            parse_address(text)
                .map(|url| url.to_string())
                .map_err(|error| error.to_string())
        };
        for (text, expected) in [
            ("http://localhost:11434", "http://localhost:11434/v1"),
            ("http://localhost:11434/", "http://localhost:11434/v1"),
            ("https://api.openai.com/v1/", "https://api.openai.com/v1"),
            (
                "https://host/api/v1/chat/completions",
                "https://host/api/v1",
            ),
            ("https://host/v1/messages?beta=true", "https://host/v1"),
        ] {
            assert_eq!(base(text).unwrap(), expected);
        }
        assert!(base("localhost:11434").unwrap_err().contains("http://"));
        assert!(base("ftp://host").is_err());
        assert!(
            !base("nonsense://me:pass@host")
                .unwrap_err()
                .contains("pass")
        );
        assert_eq!(
            shown(&parse_address("http://me:pass@host/v1").unwrap()),
            "http://host/v1"
        );
    }

    #[test]
    fn this_machine_is_known() {
        let local = |text| is_loopback(&Url::parse(text).unwrap());
        assert!(
            local("http://127.0.0.1:1") && local("http://[::1]/") && local("http://localhost/v1")
        );
        assert!(!local("http://192.168.0.1/") && !local("http://localhost.example.org/"));
    }
}

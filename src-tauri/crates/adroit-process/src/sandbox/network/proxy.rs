//! The proxy that a command's network leads to: `CONNECT`, and plain HTTP by whole addresses.

use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, Request, Response, StatusCode, Uri};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use url::Host;

use super::address::is_inner;
use super::{Denial, HostJudge, Listing, RefusedHosts};

/// Connections served at once for one command; more wait. Each takes two of the app's files.
const MOST: usize = 64;
/// Time to connect to one address.
const CONNECT: Duration = Duration::from_secs(15);
/// Time in which the head of a request must come.
const HEAD: Duration = Duration::from_secs(60);
/// Time before the next try when the system is out of files.
const PAUSE: Duration = Duration::from_millis(100);

type Body = BoxBody<Bytes, hyper::Error>;

/// What it judges by and notes.
#[derive(Clone)]
pub(super) struct Proxy {
    pub(super) judge: HostJudge,
    pub(super) refused: RefusedHosts,
}

/// Why a connection was not made.
#[derive(Debug, thiserror::Error)]
enum Unconnected {
    #[error("`{0}` is not the name of a host")]
    NoHost(String),
    #[error(
        "`{host}` is not in the list of hosts that commands may reach \
         (execution.sandbox.allowedDomains)"
    )]
    NotListed { host: String },
    #[error(
        "`{host}` leads to {address}, an address of this machine or its network, which only its \
         own entry in execution.sandbox.allowedDomains opens"
    )]
    Inner { host: String, address: IpAddr },
    #[error("`{host}` could not be reached: {reason}")]
    Failed { host: String, reason: io::Error },
}

impl Unconnected {
    fn status(&self) -> StatusCode {
        match self {
            Self::NoHost(_) => StatusCode::BAD_REQUEST,
            Self::NotListed { .. } | Self::Inner { .. } => StatusCode::FORBIDDEN,
            Self::Failed { .. } => StatusCode::BAD_GATEWAY,
        }
    }
}

impl Proxy {
    /// Answers for as long as it is polled.
    pub(super) async fn serve(self, listener: TcpListener) {
        let free = Arc::new(Semaphore::new(MOST));
        let mut connections = tokio::task::JoinSet::new();
        loop {
            // It is never closed.
            let Ok(place) = Arc::clone(&free).acquire_owned().await else {
                return;
            };
            while connections.try_join_next().is_some() {}
            let stream = match listener.accept().await {
                Ok((stream, _)) => stream,
                Err(error) => {
                    tracing::debug!(%error, "a connection of a command was not taken");
                    tokio::time::sleep(PAUSE).await;
                    continue;
                }
            };
            let proxy = self.clone();
            connections.spawn(async move {
                proxy.attend(stream).await;
                drop(place);
            });
        }
    }

    async fn attend(self, stream: TcpStream) {
        let tunnel = Arc::new(std::sync::Mutex::new(None));
        let opened = Arc::clone(&tunnel);
        let service = hyper::service::service_fn(move |request| {
            let (proxy, opened) = (self.clone(), Arc::clone(&opened));
            async move {
                let answer = if request.method() == Method::CONNECT {
                    proxy.connect(request, &opened).await
                } else {
                    proxy.forward(request).await
                };
                Ok::<_, Infallible>(answer)
            }
        });
        let served = hyper::server::conn::http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD)
            .serve_connection(TokioIo::new(stream), service)
            .with_upgrades()
            .await;
        if let Err(error) = served {
            tracing::debug!(%error, "a command's connection to the proxy broke off");
        }
        let opened = tunnel
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .take();
        if let Some((upgrade, mut outside)) = opened {
            carry(upgrade, &mut outside).await;
        }
    }

    /// A tunnel to the host that is named.
    async fn connect(&self, request: Request<Incoming>, opened: &Opened) -> Response<Body> {
        let target = request.uri().authority().cloned();
        let Some((target, port)) =
            target.and_then(|target| Some((target.clone(), target.port_u16()?)))
        else {
            return refusal(&Unconnected::NoHost(request.uri().to_string()));
        };
        match self.reach(target.host(), port).await {
            Ok(outside) => {
                let upgrade = hyper::upgrade::on(request);
                *opened
                    .lock()
                    .unwrap_or_else(std::sync::PoisonError::into_inner) = Some((upgrade, outside));
                Response::new(said(String::new()))
            }
            Err(error) => refusal(&error),
        }
    }

    /// One request in the clear.
    async fn forward(&self, mut request: Request<Incoming>) -> Response<Body> {
        let target = match request.uri().authority() {
            Some(authority) if request.uri().scheme_str() == Some("http") => authority.clone(),
            _ => return refusal(&Unconnected::NoHost(request.uri().to_string())),
        };
        let outside = match self
            .reach(target.host(), target.port_u16().unwrap_or(80))
            .await
        {
            Ok(outside) => outside,
            Err(error) => return refusal(&error),
        };
        let failed = |reason: hyper::Error| {
            refusal(&Unconnected::Failed {
                host: target.host().to_owned(),
                reason: io::Error::other(reason),
            })
        };
        strip(request.headers_mut());
        // The host that was judged, and no other that the same server answers for.
        let (Ok(host), Ok(path)) = (
            HeaderValue::from_str(without_user(target.as_str())),
            origin_form(request.uri()),
        ) else {
            return refusal(&Unconnected::NoHost(target.to_string()));
        };
        request.headers_mut().insert(header::HOST, host);
        *request.uri_mut() = path;
        let (mut sender, connection) =
            match hyper::client::conn::http1::handshake(TokioIo::new(outside)).await {
                Ok(both) => both,
                Err(error) => return failed(error),
            };
        // It ends with its last answer, or when `sender` and the answer are dropped.
        tokio::spawn(connection);
        match sender.send_request(request).await {
            Ok(mut answer) => {
                strip(answer.headers_mut());
                answer.map(|body| body.boxed())
            }
            Err(error) => failed(error),
        }
    }

    /// Connects to a host that the list has, at an address that was judged.
    async fn reach(&self, named: &str, port: u16) -> Result<TcpStream, Unconnected> {
        // The parser of URLs: no other spelling (`0x7f.1`, `EXAMPLE.org.`) is another host here
        // than for the list.
        let host = Host::parse(named.trim_end_matches('.'))
            .map_err(|_| Unconnected::NoHost(named.to_owned()))?;
        let text = host.to_string();
        let listing = (self.judge)(&text);
        if listing == Listing::Absent {
            self.refused.add(Denial::Host(text.clone()));
            return Err(Unconnected::NotListed { host: text });
        }
        let failed = |reason| Unconnected::Failed {
            host: text.clone(),
            reason,
        };
        let addresses: Vec<IpAddr> = match &host {
            Host::Ipv4(address) => vec![(*address).into()],
            Host::Ipv6(address) => vec![(*address).into()],
            Host::Domain(name) => {
                let found = tokio::net::lookup_host((name.as_str(), port)).await;
                found.map_err(failed)?.map(|found| found.ip()).collect()
            }
        };
        // That name leads to the loopback wherever it is written (RFC 6761).
        let is_localhost = text == "localhost" && listing == Listing::Named;
        let (open, inner): (Vec<IpAddr>, Vec<IpAddr>) =
            addresses.into_iter().partition(|address| {
                !is_inner(*address)
                    || is_localhost && address.is_loopback()
                    || (self.judge)(&as_host(*address)) == Listing::Named
            });
        if open.is_empty()
            && let Some(address) = inner.first()
        {
            self.refused.add(Denial::InnerHost(text.clone(), *address));
            return Err(Unconnected::Inner {
                host: text,
                address: *address,
            });
        }
        let mut last = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
        for address in open {
            let connecting = TcpStream::connect(SocketAddr::new(address, port));
            match tokio::time::timeout(CONNECT, connecting).await {
                Ok(Ok(stream)) => return Ok(stream),
                Ok(Err(error)) => last = error,
                Err(_) => last = io::ErrorKind::TimedOut.into(),
            }
        }
        Err(failed(last))
    }
}

type Opened = std::sync::Mutex<Option<(hyper::upgrade::OnUpgrade, TcpStream)>>;

/// Carries bytes both ways until both sides have ended.
async fn carry(upgrade: hyper::upgrade::OnUpgrade, outside: &mut TcpStream) {
    match upgrade.await {
        Ok(inside) => {
            // How either side broke off is for the two of them.
            let _ = tokio::io::copy_bidirectional(&mut TokioIo::new(inside), outside).await;
        }
        Err(error) => tracing::debug!(%error, "a tunnel was not opened"),
    }
}

/// An address as a list has it.
fn as_host(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    }
}

fn said(text: String) -> Body {
    Full::new(Bytes::from(text))
        .map_err(|never: Infallible| match never {})
        .boxed()
}

fn refusal(error: &Unconnected) -> Response<Body> {
    let mut answer = Response::new(said(format!("{error}\n")));
    *answer.status_mut() = error.status();
    // Programs that print no body of a refused tunnel print this, or keep it in a log.
    if let Ok(text) = HeaderValue::from_str(&error.to_string()) {
        answer
            .headers_mut()
            .insert(HeaderName::from_static("x-adroit-refused"), text);
    }
    answer
}

/// Takes away what is said between two neighbours only (RFC 9110, 7.6.1).
fn strip(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    for name in named {
        headers.remove(name);
    }
    for name in [
        "connection",
        "keep-alive",
        "proxy-connection",
        "proxy-authenticate",
        "proxy-authorization",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    ] {
        headers.remove(name);
    }
}

fn without_user(authority: &str) -> &str {
    authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host)
}

fn origin_form(uri: &Uri) -> Result<Uri, hyper::http::uri::InvalidUri> {
    uri.path_and_query()
        .map_or("/", |path| path.as_str())
        .parse()
}

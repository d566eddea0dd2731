//! The proxy, with servers on this machine's own loopback: they are reached where a list has
//! their very address.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use super::proxy::Proxy;
use super::*;
use crate::sandbox::Denial;

/// A proxy whose list is these hosts, by the names that stand there.
struct Served {
    address: SocketAddr,
    refused: RefusedHosts,
    task: JoinHandle<()>,
}

impl Drop for Served {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn proxy(named: &'static [&'static str], covered: &'static [&'static str]) -> Served {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a socket");
    let address = listener.local_addr().expect("its address");
    let refused = RefusedHosts::default();
    let proxy = Proxy {
        judge: Arc::new(move |host| {
            if named.contains(&host) {
                Listing::Named
            } else if covered.contains(&host) {
                Listing::Covered
            } else {
                Listing::Absent
            }
        }),
        refused: refused.clone(),
    };
    Served {
        address,
        refused,
        task: tokio::spawn(proxy.serve(listener)),
    }
}

/// A server that answers its first connection with what it read up to an empty line, as the
/// text of an HTTP answer.
async fn server() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a socket");
    let address = listener.local_addr().expect("its address");
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let head = head(&mut stream).await;
            let answer = format!(
                "HTTP/1.1 200 OK\r\nConnection: x-secret\r\nX-Secret: 1\r\nContent-Length: {}\r\n\r\n{head}",
                head.len()
            );
            stream.write_all(answer.as_bytes()).await.expect("written");
        }
    });
    address
}

async fn head(stream: &mut TcpStream) -> String {
    let mut read = Vec::new();
    while !read.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(byte) => read.push(byte),
            Err(_) => break,
        }
    }
    String::from_utf8_lossy(&read).into_owned()
}

/// What the proxy answers to this head, to the end of the connection.
async fn answer(proxy: &Served, head: &str) -> String {
    let mut stream = TcpStream::connect(proxy.address).await.expect("connected");
    stream.write_all(head.as_bytes()).await.expect("written");
    let mut text = String::new();
    stream.read_to_string(&mut text).await.expect("an answer");
    text
}

/// The status of a tunnel that is asked for.
async fn tunnel(proxy: &Served, target: &str) -> (String, TcpStream) {
    let mut stream = TcpStream::connect(proxy.address).await.expect("connected");
    let asked = format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n");
    stream.write_all(asked.as_bytes()).await.expect("written");
    let head = head(&mut stream).await;
    let status = head.split_whitespace().nth(1).unwrap_or_default();
    (status.to_owned(), stream)
}

#[tokio::test]
async fn a_tunnel_leads_to_a_named_address() {
    let proxy = proxy(&["127.0.0.1"], &[]).await;
    let server = server().await;
    let (status, mut stream) = tunnel(&proxy, &server.to_string()).await;
    assert_eq!(status, "200");
    stream.write_all(b"hello\r\n\r\n").await.expect("written");
    let mut text = String::new();
    stream.read_to_string(&mut text).await.expect("an answer");
    assert!(text.ends_with("hello\r\n\r\n"), "{text}");
    assert_eq!(proxy.refused.so_far(), []);
}

#[tokio::test]
async fn every_spelling_of_an_address_is_the_same_address() {
    let proxy = proxy(&["127.0.0.2"], &["*"]).await;
    let port = server().await.port();
    for spelling in [
        "127.0.0.1",
        "127.1",
        "0x7f.1",
        "2130706433",
        "017700000001",
        "127.0.0.1.",
        "[::ffff:127.0.0.1]",
    ] {
        let (status, _) = tunnel(&proxy, &format!("{spelling}:{port}")).await;
        assert_ne!(status, "200", "{spelling}");
    }
    let refused = proxy.refused.so_far();
    assert!(
        refused.contains(&Denial::Host("127.0.0.1".to_owned())),
        "{refused:?}"
    );
}

#[tokio::test]
async fn a_listed_name_that_leads_to_this_machine_is_refused() {
    let server = server().await;
    let target = format!("localhost:{}", server.port());
    let covered = proxy(&[], &["localhost"]).await;
    let (status, _) = tunnel(&covered, &target).await;
    assert_eq!(status, "403");
    let refused = covered.refused.so_far();
    assert!(
        matches!(&refused[..], [Denial::InnerHost(host, address)]
            if host == "localhost" && address.is_loopback()),
        "{refused:?}"
    );
    // The address that it leads to stands there, or the name that always leads there.
    for named in [&["localhost"][..], &["127.0.0.1"][..]] {
        let named = proxy(named, &["localhost"]).await;
        assert_eq!(tunnel(&named, &target).await.0, "200");
    }
}

#[tokio::test]
async fn what_is_not_listed_is_refused_noted_once_and_told() {
    let proxy = proxy(&["127.0.0.1"], &[]).await;
    for _ in 0..2 {
        let (status, _) = tunnel(&proxy, "Registry.EXAMPLE.:443").await;
        assert_eq!(status, "403");
    }
    assert_eq!(
        proxy.refused.so_far(),
        [Denial::Host("registry.example".to_owned())]
    );
    let told = answer(
        &proxy,
        "GET http://registry.example/a HTTP/1.1\r\nHost: registry.example\r\nConnection: close\r\n\r\n",
    )
    .await;
    assert!(told.starts_with("HTTP/1.1 403"), "{told}");
    assert!(
        told.contains("`registry.example` is not in the list of hosts"),
        "{told}"
    );
}

#[tokio::test]
async fn a_plain_request_goes_to_the_host_that_was_judged() {
    let proxy = proxy(&["127.0.0.1"], &[]).await;
    let server = server().await;
    let told = answer(
        &proxy,
        &format!(
            "POST http://user@{server}/path?q=1 HTTP/1.1\r\nHost: another.example\r\n\
             Proxy-Authorization: Basic eA==\r\nConnection: close, X-Mine\r\nX-Mine: 1\r\n\
             X-Kept: 1\r\nContent-Length: 0\r\n\r\n"
        ),
    )
    .await;
    let (answered, asked) = told.split_once("\r\n\r\n").expect("head and body");
    assert!(answered.starts_with("HTTP/1.1 200"), "{told}");
    assert!(!answered.to_lowercase().contains("x-secret"), "{told}");
    assert!(asked.starts_with("POST /path?q=1 HTTP/1.1\r\n"), "{told}");
    let asked = asked.to_lowercase();
    assert!(asked.contains(&format!("host: {server}\r\n")), "{told}");
    assert!(asked.contains("x-kept: 1"), "{told}");
    for gone in ["another.example", "proxy-authorization", "x-mine"] {
        assert!(!asked.contains(gone), "{gone}: {told}");
    }
}

#[tokio::test]
async fn what_is_no_request_for_a_host_is_refused() {
    let proxy = proxy(&["127.0.0.1"], &["*"]).await;
    for head in [
        "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n",
        "GET ftp://127.0.0.1/ HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n",
        "CONNECT 127.0.0.1 HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n",
        "CONNECT /run/a.sock HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    ] {
        let told = answer(&proxy, head).await;
        assert!(told.starts_with("HTTP/1.1 400"), "{head}: {told}");
    }
}

#[tokio::test]
async fn a_host_that_does_not_answer_is_told() {
    let closed = TcpListener::bind("127.0.0.1:0").await.expect("a socket");
    let address = closed.local_addr().expect("its address");
    drop(closed);
    let proxy = proxy(&["127.0.0.1"], &[]).await;
    let (status, _) = tunnel(&proxy, &address.to_string()).await;
    assert_eq!(status, "502");
    assert_eq!(proxy.refused.so_far(), []);
}

/// A gate whose helper is not used.
fn gate() -> Gate {
    Gate::open("/proc/self/exe".into(), Arc::new(|_| Listing::Absent)).expect("a gate")
}

#[tokio::test]
async fn who_is_not_the_first_process_of_the_command_gets_no_proxy() {
    let gate = gate();
    let mut thief =
        std::os::unix::net::UnixStream::connect(&gate.door().socket).expect("connected");
    // This test is no child of process 1's number, whose command it would be.
    let serving = tokio::spawn(gate.serve(i32::MAX));
    let end = tokio::task::spawn_blocking(move || {
        use std::io::Read as _;
        let mut answer = Vec::new();
        thief.read_to_end(&mut answer).map(|_| answer)
    });
    let answer = end.await.expect("it ends").expect("an end");
    assert_eq!(answer, b"");
    serving.abort();
}

#[tokio::test]
async fn a_helper_hands_nothing_to_another_program_than_the_app() {
    let gate = gate();
    let socket = gate.door().socket;
    let words = |app: u32| {
        let words = [
            socket.clone().into_os_string(),
            app.to_string().into(),
            "--".into(),
            "/no/such/program".into(),
        ];
        handover::ask(words.into_iter()).expect("understood")
    };
    let other = words(std::process::id() + 1);
    let refused = tokio::task::spawn_blocking(move || handover::hand_out(&other))
        .await
        .expect("it ends")
        .expect_err("it is refused");
    assert_eq!(
        refused.to_string(),
        "another program answers in place of the app"
    );
}

#[tokio::test]
async fn a_socket_that_was_handed_out_is_answered_by_the_proxy() {
    let gate = gate();
    let words = [
        gate.door().socket.into_os_string(),
        std::process::id().to_string().into(),
        "--".into(),
        "/no/such/program".into(),
    ];
    let refused = gate.refused();
    let asked = handover::ask(words.into_iter()).expect("understood");
    let own = i32::try_from(std::process::id()).expect("a number");
    let parent = crate::procfs::record(own).expect("a record").parent;
    let serving = tokio::spawn(gate.serve(parent));
    let port = tokio::task::spawn_blocking(move || handover::hand_out(&asked))
        .await
        .expect("it ends")
        .expect("handed out");
    let mut stream = TcpStream::connect(("127.0.0.1", port))
        .await
        .expect("connected");
    stream
        .write_all(b"CONNECT a.example:443 HTTP/1.1\r\nHost: a.example\r\n\r\n")
        .await
        .expect("written");
    assert!(head(&mut stream).await.starts_with("HTTP/1.1 403"));
    assert_eq!(refused.so_far(), [Denial::Host("a.example".to_owned())]);
    serving.abort();
}

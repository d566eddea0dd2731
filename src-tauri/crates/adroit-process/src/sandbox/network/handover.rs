//! The mode in which our own executable, within a command's network, makes the socket that the
//! proxy listens on, hands it out, and becomes the command.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use super::Door;

/// The first argument, which asks for the mode.
pub(crate) const MODE: &str = "--adroit-network";
const LOOPBACK_OUTSIDE: &str = "--loopback-outside";
const END: &str = "--";

/// The exit code of a command that was not run: shells use it for a program that
/// cannot be executed.
const NOT_RUN: u8 = 126;

/// Names that programs look up for the address of a proxy, in both cases.
const PROXY: &[&str] = &["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];
/// Those of programs that prefer their own, so that a proxy of the person's settings, which
/// cannot be reached from within, is not tried.
const OWN: &[&str] = &[
    "npm_config_proxy",
    "npm_config_https_proxy",
    "CARGO_HTTP_PROXY",
];
/// Hosts that are not asked for through it.
const NO_PROXY: &[&str] = &["NO_PROXY", "no_proxy", "npm_config_noproxy"];
const LOOPBACK: &str = "localhost,127.0.0.1,::1,[::1]";

/// What the arguments ask for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Asked {
    socket: PathBuf,
    /// The app's process.
    app: i32,
    loopback_outside: bool,
    program: PathBuf,
    args: Vec<OsString>,
}

/// Everything that stands before the command's own program.
pub(in crate::sandbox) fn arguments(door: &Door) -> Vec<OsString> {
    let mut words = vec![
        door.helper.clone().into_os_string(),
        MODE.into(),
        door.socket.clone().into_os_string(),
        std::process::id().to_string().into(),
    ];
    if door.loopback_outside {
        words.push(LOOPBACK_OUTSIDE.into());
    }
    words.push(END.into());
    words
}

pub(super) fn ask(mut words: impl Iterator<Item = OsString>) -> Option<Asked> {
    let socket = words.next()?.into();
    let app = words.next()?.to_str()?.parse().ok()?;
    let mut loopback_outside = false;
    loop {
        match words.next()?.to_str()? {
            LOOPBACK_OUTSIDE => loopback_outside = true,
            END => break,
            _ => return None,
        }
    }
    Some(Asked {
        socket,
        app,
        loopback_outside,
        program: words.next()?.into(),
        args: words.collect(),
    })
}

/// Hands the socket out and runs the command in this process's place. Returns only where it
/// was not run.
pub(crate) fn run(words: impl Iterator<Item = OsString>) -> ExitCode {
    let reason = match ask(words) {
        Some(asked) => become_command(&asked),
        None => "its arguments were not understood".to_owned(),
    };
    eprintln!("adroit: the command was not run, because its way to the network failed: {reason}");
    ExitCode::from(NOT_RUN)
}

/// The variables that lead programs to a proxy on this port.
fn variables(port: u16, loopback_outside: bool) -> Vec<(String, String)> {
    let address = format!("http://127.0.0.1:{port}");
    // A program without this name for it would go past the proxy, which only means nowhere.
    let direct = if loopback_outside { "" } else { LOOPBACK };
    PROXY
        .iter()
        .flat_map(|name| [(*name).to_owned(), name.to_lowercase()])
        .chain(OWN.iter().map(|name| (*name).to_owned()))
        .map(|name| (name, address.clone()))
        .chain(
            NO_PROXY
                .iter()
                .map(|name| ((*name).to_owned(), direct.to_owned())),
        )
        // Node looks at none of them without it.
        .chain([("NODE_USE_ENV_PROXY".to_owned(), "1".to_owned())])
        .collect()
}

#[cfg(target_os = "linux")]
fn become_command(asked: &Asked) -> String {
    use std::os::unix::process::CommandExt as _;
    let port = match hand_out(asked) {
        Ok(port) => port,
        Err(error) => return error.to_string(),
    };
    let error = std::process::Command::new(&asked.program)
        .args(&asked.args)
        .envs(variables(port, asked.loopback_outside))
        .exec();
    format!("{} cannot be started: {error}", asked.program.display())
}

#[cfg(not(target_os = "linux"))]
fn become_command(_asked: &Asked) -> String {
    "there is no such network on this system".to_owned()
}

/// Makes the socket and waits until the app has it.
#[cfg(target_os = "linux")]
pub(super) fn hand_out(asked: &Asked) -> std::io::Result<u16> {
    use std::io::{Error, ErrorKind, IoSlice, Read as _};
    use std::mem::MaybeUninit;
    use std::net::{Ipv4Addr, TcpListener};
    use std::os::fd::AsFd as _;
    use std::os::unix::net::UnixStream;

    use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};

    let mut app = UnixStream::connect(&asked.socket)?;
    // Blocks another command that put a socket of its own in this place: it would be the proxy,
    // and read what the command sends. The kernel says whose it is.
    let peer = rustix::net::sockopt::socket_peercred(&app)?;
    if peer.pid.as_raw_nonzero().get() != asked.app {
        return Err(Error::new(
            ErrorKind::PermissionDenied,
            "another program answers in place of the app",
        ));
    }
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let port = listener.local_addr()?.port();
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut message = SendAncillaryBuffer::new(&mut space);
    let handed = [listener.as_fd()];
    if !message.push(SendAncillaryMessage::ScmRights(&handed)) {
        return Err(Error::other("the message has no room for a socket"));
    }
    sendmsg(
        &app,
        &[IoSlice::new(b"s")],
        &mut message,
        SendFlags::empty(),
    )?;
    app.read_exact(&mut [0])?;
    Ok(port)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_is_understood() {
        for loopback_outside in [true, false] {
            let door = Door {
                helper: "/bin/adroit".into(),
                socket: "/run/a".into(),
                loopback_outside,
            };
            let mut words = arguments(&door);
            words.extend(["/bin/sh".into(), "-c".into(), "--".into()]);
            assert_eq!(words[..2], [OsString::from("/bin/adroit"), MODE.into()]);
            assert_eq!(
                ask(words.into_iter().skip(2)),
                Some(Asked {
                    socket: "/run/a".into(),
                    app: i32::try_from(std::process::id()).expect("a number"),
                    loopback_outside,
                    program: "/bin/sh".into(),
                    args: vec!["-c".into(), "--".into()],
                })
            );
        }
    }

    #[test]
    fn an_unknown_or_missing_word_is_refused() {
        for words in [
            vec!["/run/a", "1", "--open", "--", "/bin/sh"],
            vec!["/run/a", "one", "--", "/bin/sh"],
            vec!["/run/a", "1", "--"],
            vec!["/run/a", "1"],
            vec![],
        ] {
            assert_eq!(ask(words.into_iter().map(OsString::from)), None);
        }
    }

    #[test]
    fn every_program_finds_the_proxy_by_its_own_name_for_it() {
        let found = variables(7, false);
        let of = |name: &str| {
            let found = found.iter().find(|(other, _)| other == name);
            found.map(|(_, value)| value.as_str())
        };
        for name in ["HTTPS_PROXY", "https_proxy", "http_proxy", "all_proxy"] {
            assert_eq!(of(name), Some("http://127.0.0.1:7"), "{name}");
        }
        assert_eq!(of("no_proxy"), Some(LOOPBACK));
        assert!(variables(7, true).contains(&("NO_PROXY".to_owned(), String::new())));
    }
}

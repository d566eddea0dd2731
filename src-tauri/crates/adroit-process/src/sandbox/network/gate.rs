//! The app's side of one command's network.

use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

use tokio::net::{TcpListener, UnixListener, UnixStream};

use super::proxy::Proxy;
use super::{Door, HostJudge, Listing, RefusedHosts};
use crate::procfs;
use crate::running::Running;
use crate::shell::PrivateFolder;

/// The way to the network of one command that is about to start. Dropped before
/// [`Gate::attend`] there is none.
pub struct Gate {
    listener: UnixListener,
    door: Door,
    proxy: Proxy,
    folder: PrivateFolder,
}

impl std::fmt::Debug for Gate {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Gate")
            .field("door", &self.door)
            .finish_non_exhaustive()
    }
}

impl Gate {
    /// Makes one that lets through what `judge` says is listed. `helper` is our executable, as
    /// [`crate::Sandbox::network_helper`] gives it. Must be called inside of a Tokio runtime.
    ///
    /// # Errors
    /// When the system gives no place or socket.
    pub fn open(helper: PathBuf, judge: HostJudge) -> io::Result<Self> {
        let folder = PrivateFolder::make_apart()?;
        let socket = folder.path().join("gate");
        let listener = UnixListener::bind(&socket)?;
        let loopback_outside = ["localhost", "127.0.0.1", "[::1]"]
            .into_iter()
            .any(|host| judge(host) == Listing::Named);
        Ok(Self {
            listener,
            door: Door {
                helper,
                socket,
                loopback_outside,
            },
            proxy: Proxy {
                judge,
                refused: RefusedHosts::default(),
            },
            folder,
        })
    }

    /// For [`crate::SandboxPolicy::door`].
    #[must_use]
    pub fn door(&self) -> Door {
        self.door.clone()
    }

    /// The hosts that will be refused.
    #[must_use]
    pub fn refused(&self) -> RefusedHosts {
        self.proxy.refused.clone()
    }

    /// Answers the command until nothing of it is left.
    pub fn attend(self, running: &Running) {
        let running = running.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = running.gone() => {}
                () = self.serve(running.pid()) => {}
            }
        });
    }

    pub(super) async fn serve(self, leader: i32) {
        let listener = loop {
            match self.listener.accept().await {
                Ok((helper, _)) => match take_over(&helper, leader).await {
                    Ok(listener) => break listener,
                    Err(error) => tracing::warn!(%error, "a command's network was not taken over"),
                },
                Err(error) => {
                    tracing::warn!(%error, "a command's network could not be waited for");
                    return;
                }
            }
        };
        // Nobody else is to come.
        drop((self.listener, self.folder));
        self.proxy.serve(listener).await;
    }
}

/// Takes the socket that the helper made.
async fn take_over(helper: &UnixStream, leader: i32) -> io::Result<TcpListener> {
    // Blocks another command that comes first, to have what this one may reach: the helper is
    // the first process of the command, whose leader is bubblewrap.
    let pid = helper.peer_cred()?.pid();
    let parent = pid.and_then(procfs::record).map(|record| record.parent);
    if parent != Some(leader) {
        return Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            "another program came in place of the helper",
        ));
    }
    let socket = loop {
        helper.readable().await?;
        match helper.try_io(tokio::io::Interest::READABLE, || receive(helper)) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            received => break received?,
        }
    };
    let listener = std::net::TcpListener::from(socket);
    listener.set_nonblocking(true)?;
    let listener = TcpListener::from_std(listener)?;
    helper.writable().await?;
    helper.try_write(b"k")?;
    Ok(listener)
}

fn receive(helper: &UnixStream) -> io::Result<OwnedFd> {
    use std::io::IoSliceMut;
    use std::mem::MaybeUninit;

    use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg};

    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut message = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    recvmsg(
        helper,
        &mut [IoSliceMut::new(&mut byte)],
        &mut message,
        RecvFlags::CMSG_CLOEXEC,
    )?;
    message
        .drain()
        .find_map(|part| match part {
            RecvAncillaryMessage::ScmRights(mut sockets) => sockets.next(),
            _ => None,
        })
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "the helper handed out nothing"))
}

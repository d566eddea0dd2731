//! What the kernel is asked to hold this process to. Only in the helper's mode,
//! where there is one thread.

use std::collections::BTreeMap;
use std::path::Path;

use landlock::{
    ABI, AccessFs, BitFlags, Ruleset, RulesetAttr as _, RulesetCreatedAttr as _, RulesetStatus,
    path_beneath_rules,
};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule,
};

use super::helper::Asked;
use super::policy::{DEVICES, OPTIONAL_DEVICES};

/// The newest interface whose rights for writing are asked for; an older kernel
/// gives what it knows. Reading and executing stay free.
const INTERFACE: ABI = ABI::V5;

/// Confines this process and all that it becomes or starts. Nothing of it can be
/// taken back.
pub(super) fn confine(asked: &Asked) -> Result<(), String> {
    give_up_rights()?;
    confine_files(asked)?;
    confine_calls(asked.no_network)
}

/// Rights of a root user that reach around landlock: looking into other processes (the right
/// to measure them opens their environment), disks, mounts and modules of the kernel. They
/// cannot be had again by what is run from here.
fn give_up_rights() -> Result<(), String> {
    use rustix::thread::CapabilitySet;
    if !rustix::process::geteuid().is_root() {
        return Ok(());
    }
    for right in [
        CapabilitySet::SYS_ADMIN,
        CapabilitySet::PERFMON,
        CapabilitySet::SYS_PTRACE,
        CapabilitySet::SYS_MODULE,
        CapabilitySet::SYS_RAWIO,
        CapabilitySet::SYS_BOOT,
        CapabilitySet::BPF,
        CapabilitySet::MKNOD,
    ] {
        match rustix::thread::remove_capability_from_bounding_set(right) {
            // An older kernel does not know it, or a container did not leave the right to.
            Ok(()) | Err(rustix::io::Errno::INVAL | rustix::io::Errno::PERM) => {}
            Err(error) => return Err(format!("a right could not be given up: {error}")),
        }
    }
    Ok(())
}

fn confine_files(asked: &Asked) -> Result<(), String> {
    let failed = |error: landlock::RulesetError| format!("landlock: {error}");
    let write = AccessFs::from_write(INTERFACE);
    let device: BitFlags<AccessFs> = AccessFs::WriteFile | AccessFs::Truncate | AccessFs::IoctlDev;
    // Files in memory that processes share are made there.
    let (folders, devices): (Vec<&str>, Vec<&str>) = DEVICES
        .iter()
        .chain(OPTIONAL_DEVICES)
        .partition(|path| **path == "/dev/shm");
    let status = Ruleset::default()
        .handle_access(write)
        .and_then(Ruleset::create)
        .and_then(|rules| rules.add_rules(path_beneath_rules(&asked.writable, write)))
        .and_then(|rules| rules.add_rules(path_beneath_rules(folders, write)))
        .and_then(|rules| {
            // A link such as `/dev/stdout` leads to what is open anyway.
            let devices = devices.into_iter().filter(|path| !is_link(path));
            rules.add_rules(path_beneath_rules(devices, device))
        })
        .and_then(landlock::RulesetCreated::restrict_self)
        .map_err(failed)?;
    match status.ruleset {
        RulesetStatus::NotEnforced => Err("this kernel has no landlock".to_owned()),
        RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced => Ok(()),
    }
}

fn is_link(path: &str) -> bool {
    Path::new(path).is_symlink()
}

/// Calls that would reach around the rules for files: keys of the person's session,
/// and the network where it is off.
fn confine_calls(no_network: bool) -> Result<(), String> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
        [libc::SYS_add_key, libc::SYS_request_key, libc::SYS_keyctl]
            .into_iter()
            .map(|call| (call, Vec::new()))
            .collect();
    if no_network {
        let of_family = |family: libc::c_int| {
            let family = u64::try_from(family).map_err(|error| error.to_string())?;
            SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, family)
                .and_then(|condition| SeccompRule::new(vec![condition]))
                .map_err(|error| format!("seccomp: {error}"))
        };
        let families = [
            libc::AF_INET,
            libc::AF_INET6,
            libc::AF_PACKET,
            libc::AF_VSOCK,
        ];
        let refused = families
            .into_iter()
            .map(of_family)
            .collect::<Result<_, _>>()?;
        rules.insert(libc::SYS_socket, refused);
        // It makes sockets without the call.
        rules.insert(libc::SYS_io_uring_setup, Vec::new());
    }
    let refuse = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let program: BpfProgram = std::env::consts::ARCH
        .try_into()
        .and_then(|machine| SeccompFilter::new(rules, SeccompAction::Allow, refuse, machine))
        .and_then(TryInto::try_into)
        .map_err(|error| format!("seccomp: {error}"))?;
    seccompiler::apply_filter(&program).map_err(|error| format!("seccomp: {error}"))
}

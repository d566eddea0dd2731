//! The network of one command, where a list says which hosts it reaches.

use std::sync::Arc;

use adroit_process::{
    Backend, Denial, Gate, HostJudge, Listing, RefusedHosts, Sandbox, SandboxNetwork,
};

use crate::services::SandboxSettings;

/// What there is to say of it afterwards.
#[derive(Clone, Debug, Default)]
pub(super) struct Network {
    refused: RefusedHosts,
    /// Why the list cannot be held, so that there is no network.
    no_list: Option<String>,
}

impl Network {
    /// The network by the settings, with the gate that the command is to go through.
    pub(super) fn of(
        sandbox: &Sandbox,
        backend: &Backend,
        settings: &SandboxSettings,
    ) -> (Self, Option<Gate>) {
        if settings.network != SandboxNetwork::Listed {
            return (Self::default(), None);
        }
        let gate = sandbox.network_helper(backend).and_then(|helper| {
            Gate::open(helper, judge(settings)).map_err(|error| error.to_string())
        });
        match gate {
            Ok(gate) => {
                let network = Self {
                    refused: gate.refused(),
                    no_list: None,
                };
                (network, Some(gate))
            }
            // Without a gate the policy means no network at all.
            Err(reason) => {
                let network = Self {
                    no_list: Some(reason),
                    ..Self::default()
                };
                (network, None)
            }
        }
    }

    /// What an output tells of, without what is known better, and the hosts that were refused.
    pub(super) fn sort(&self, mut told: Vec<Denial>) -> (Vec<Denial>, Vec<Denial>) {
        let hosts = self.refused.so_far();
        if !hosts.is_empty() {
            told.retain(|denial| *denial != Denial::Network);
        }
        (told, hosts)
    }

    /// Sentences about the network.
    pub(super) fn explain(&self, hosts: &[Denial], told: &[Denial]) -> Vec<String> {
        let mut sentences: Vec<String> = hosts.iter().filter_map(refused).collect();
        if let Some(reason) = &self.no_list
            && told.contains(&Denial::Network)
        {
            sentences.push(format!(
                "The settings allow listed hosts, but the list cannot be held here ({reason}), so \
                 there is no network."
            ));
        }
        sentences
    }
}

fn judge(settings: &SandboxSettings) -> HostJudge {
    let hosts = settings.hosts.clone();
    Arc::new(move |host| {
        if hosts.names(host) {
            Listing::Named
        } else if hosts.covers(host) {
            Listing::Covered
        } else {
            Listing::Absent
        }
    })
}

fn refused(denial: &Denial) -> Option<String> {
    match denial {
        Denial::Host(host) => Some(format!(
            "Network: `{host}` was not in the list of allowed hosts, so the sandbox did not \
             connect to it."
        )),
        Denial::InnerHost(host, address) => Some(format!(
            "Network: `{host}` leads to {address}, an address of this machine or its network, \
             which only its own entry in the list of allowed hosts opens."
        )),
        _ => None,
    }
}

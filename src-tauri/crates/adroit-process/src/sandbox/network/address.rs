//! Which addresses a listed name may not lead to.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Azure's server of credentials, the one of its kind that stands in no special range.
const AZURE_METADATA: Ipv4Addr = Ipv4Addr::new(168, 63, 129, 16);

/// Whether an address belongs to this machine, its own network, or a server that gives the
/// machine's credentials. Whoever owns a listed name could have it resolve there, and so reach
/// through the list what the list is to keep commands from (DNS rebinding).
///
/// The ranges are those of the registries of special-purpose addresses (RFC 6890), without
/// those for documentation and benchmarks, in which nothing is to be protected.
pub(super) fn is_inner(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => is_inner_v4(address),
        IpAddr::V6(address) => is_inner_v6(address),
    }
}

fn is_inner_v4(address: Ipv4Addr) -> bool {
    let [first, second, third, _] = address.octets();
    address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || address.is_multicast()
        || first == 0
        || first >= 240
        // Shared by the customers of a provider; 100.100.100.200 gives credentials.
        || first == 100 && (64..128).contains(&second)
        || [first, second, third] == [192, 0, 0]
        || address == AZURE_METADATA
}

fn is_inner_v6(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    let [.., high, low] = segments;
    let [a, b] = high.to_be_bytes();
    let [c, d] = low.to_be_bytes();
    match segments {
        // Translated to the address in its end (NAT64, RFC 6052).
        [0x64, 0xff9b, 0, 0, 0, 0, ..] => is_inner_v4(Ipv4Addr::new(a, b, c, d)),
        // Tunnels that carry an address of the other kind within (Teredo, 6to4).
        [0x2001, 0, ..] | [0x2002, ..] => true,
        // All others that reach the whole net begin so.
        [first, ..] => first & 0xe000 != 0x2000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_the_machine_its_network_and_its_credentials_are_inner() {
        for text in [
            "127.0.0.1",
            "127.9.9.9",
            "0.0.0.0",
            "10.1.2.3",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "100.100.100.200",
            "192.0.0.192",
            "168.63.129.16",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::127.0.0.1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b:1::1",
            "2002:7f00:1::",
            "2001::1",
            "fd00:ec2::254",
            "fe80::1",
            "ff02::1",
        ] {
            assert!(is_inner(text.parse().expect("an address")), "{text}");
        }
    }

    #[test]
    fn addresses_of_the_net_are_not() {
        for text in [
            "1.1.1.1",
            "100.63.0.1",
            "100.128.0.1",
            "172.15.0.1",
            "172.32.0.1",
            "192.0.1.1",
            "::ffff:1.1.1.1",
            "64:ff9b::101:101",
            "2606:4700::1",
            "2a00:1450::1",
        ] {
            assert!(!is_inner(text.parse().expect("an address")), "{text}");
        }
    }
}

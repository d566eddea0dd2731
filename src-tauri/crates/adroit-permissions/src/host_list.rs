//! The hosts that commands in a sandbox may reach, in the grammar of WebFetch rules.

use std::net::Ipv6Addr;

use crate::host_pattern::HostPattern;

/// A list of hosts: `example.org`, `*.example.org`, `192.0.2.1`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostList(Vec<HostPattern>);

impl HostList {
    /// The list with these entries. One that is no host opens nothing.
    #[must_use]
    pub fn new(entries: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        Self(
            entries
                .into_iter()
                .filter_map(|entry| pattern(entry.as_ref()).ok())
                .collect(),
        )
    }

    /// Why an entry is none, in words for a person.
    ///
    /// # Errors
    /// Where it is none.
    pub fn check(entry: &str) -> Result<(), String> {
        pattern(entry).map(|_| ())
    }

    /// Whether an entry covers `host`: a name in lower case and ASCII without a dot at its end,
    /// or an address as a URL has it (`[::1]`).
    #[must_use]
    pub fn covers(&self, host: &str) -> bool {
        self.0.iter().any(|pattern| pattern.matches(host))
    }

    /// Whether an entry is this very host, and no pattern.
    #[must_use]
    pub fn names(&self, host: &str) -> bool {
        self.0
            .iter()
            .any(|pattern| matches!(pattern, HostPattern::Exact(name) if name == host))
    }
}

fn pattern(entry: &str) -> Result<HostPattern, String> {
    let entry = entry.trim();
    if entry.is_empty() {
        return Err("an empty entry is no host; write `example.org` or `*.example.org`".to_owned());
    }
    // As a URL has it.
    let entry = match entry.parse::<Ipv6Addr>() {
        Ok(address) => format!("[{address}]"),
        Err(_) => entry.to_owned(),
    };
    HostPattern::parse(&format!("domain:{entry}")).map_err(|reason| {
        format!("{reason}; write a name without scheme, port or path, as `example.org`")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_patterns_and_addresses_cover_what_they_say() {
        let list = HostList::new(["Example.org", "*.example.net", "127.0.0.1", "::1", "a b"]);
        for (host, covered, named) in [
            ("example.org", true, true),
            ("www.example.org", false, false),
            ("a.example.net", true, false),
            ("example.net", false, false),
            ("evilexample.net", false, false),
            ("127.0.0.1", true, true),
            ("[::1]", true, true),
            ("a b", false, false),
        ] {
            assert_eq!(list.covers(host), covered, "{host}");
            assert_eq!(list.names(host), named, "{host}");
        }
        assert!(!HostList::new(["*"]).names("example.org"));
        assert!(HostList::new(["*"]).covers("example.org"));
    }

    #[test]
    fn what_is_no_host_is_told() {
        for entry in [
            "",
            " ",
            "https://example.org",
            "example.org:80",
            "example.org/a",
            "a@b",
        ] {
            let reason = HostList::check(entry).expect_err(entry);
            assert!(reason.contains("example.org"), "{reason}");
        }
        assert_eq!(HostList::check("*.example.org"), Ok(()));
    }
}

//! The specifier of a WebFetch rule: `domain:docs.example.org`, `domain:*.example.org`.

use url::Url;

use crate::wildcard::Wildcard;

/// A compiled `domain:` specifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HostPattern {
    /// `*`
    Any,
    /// The very host.
    Exact(String),
    /// `*.d`: hosts below `d`, at any depth, but not `d`.
    Below(String),
    /// A star elsewhere stays between two dots: `example.*` must not cover
    /// `example.evil.com`, which anyone may register.
    Labels(Vec<Wildcard>),
}

impl HostPattern {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let Some(domain) = text.trim().strip_prefix("domain:") else {
            return Err("a WebFetch rule reads `WebFetch(domain:example.org)`".to_owned());
        };
        let domain = domain.trim().trim_end_matches('.').to_lowercase();
        if domain.is_empty() {
            return Err("there is no domain after `domain:`".to_owned());
        }
        if domain == "*" {
            return Ok(Self::Any);
        }
        if let Some(parent) = domain.strip_prefix("*.")
            && !parent.contains('*')
        {
            return Ok(Self::Below(normalise(parent)?));
        }
        if domain.contains('*') {
            if domain.contains(|c: char| "/:@?#\\".contains(c) || c.is_whitespace()) {
                return Err(format!("`{domain}` is not a host name"));
            }
            return Ok(Self::Labels(domain.split('.').map(Wildcard::new).collect()));
        }
        Ok(Self::Exact(normalise(&domain)?))
    }

    /// `host` as [`host_of`] gives it.
    pub(crate) fn matches(&self, host: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Exact(exact) => exact == host,
            Self::Below(parent) => host
                .strip_suffix(parent.as_str())
                .is_some_and(|rest| rest.len() > 1 && rest.ends_with('.')),
            Self::Labels(labels) => {
                let mut given = host.split('.');
                labels.iter().all(|label| {
                    given
                        .next()
                        .is_some_and(|text| !text.is_empty() && label.matches(text))
                }) && given.next().is_none()
            }
        }
    }
}

/// The host as the HTTP client would reach it: lower case, without the trailing
/// dot, international names as ASCII. Read by the client's own parser, so that no
/// spelling (`https://a@b/`, `https://b\@a/`) means one host here and another there.
pub(crate) fn host_of(address: &str) -> Option<String> {
    let url = Url::parse(address.trim()).ok()?;
    if !matches!(url.scheme(), "http" | "https") {
        return None;
    }
    let host = url.host_str()?.trim_end_matches('.');
    (!host.is_empty()).then(|| host.to_ascii_lowercase())
}

fn normalise(domain: &str) -> Result<String, String> {
    let url = Url::parse(&format!("https://{domain}/"))
        .map_err(|error| format!("`{domain}` is not a host name: {error}"))?;
    let plain = url.username().is_empty()
        && url.password().is_none()
        && url.port().is_none()
        && url.path() == "/"
        && url.query().is_none()
        && url.fragment().is_none();
    match url.host_str() {
        Some(host) if plain => Ok(host.trim_end_matches('.').to_owned()),
        _ => Err(format!("`{domain}` is not a host name alone")),
    }
}

#[cfg(test)]
mod tests {
    use super::{HostPattern, host_of};

    #[test]
    fn hosts() {
        for (rule, url, expected) in [
            (
                "domain:docs.example.org",
                "https://docs.example.org/a",
                true,
            ),
            (
                "domain:docs.example.org",
                "https://DOCS.example.org./a",
                true,
            ),
            (
                "domain:docs.example.org",
                "https://docs.example.org.evil.net/",
                false,
            ),
            (
                "domain:docs.example.org",
                "https://docs.example.org@evil.net/",
                false,
            ),
            (
                "domain:docs.example.org",
                "https://evil.net\\@docs.example.org/",
                false,
            ),
            (
                "domain:docs.example.org",
                "https://x.docs.example.org/",
                false,
            ),
            ("domain:*.example.org", "https://a.b.example.org/", true),
            ("domain:*.example.org", "https://example.org/", false),
            ("domain:*.example.org", "https://evilexample.org/", false),
            ("domain:example.*", "https://example.io/", true),
            ("domain:example.*", "https://example.evil.com/", false),
            ("domain:*", "https://anything/", true),
            ("domain:*", "file:///etc/passwd", false),
            ("domain:Example.ORG.", "http://example.org:8080/", true),
            (
                "domain:bücher.example",
                "https://xn--bcher-kva.example/",
                true,
            ),
        ] {
            let pattern = HostPattern::parse(rule).expect("valid");
            let matched = host_of(url).is_some_and(|host| pattern.matches(&host));
            assert_eq!(matched, expected, "{rule} {url}");
        }
    }

    #[test]
    fn what_is_not_a_host_is_refused() {
        for rule in [
            "example.org",
            "domain:",
            "domain:a/b",
            "domain:u@h",
            "domain:h:80",
        ] {
            assert!(HostPattern::parse(rule).is_err(), "{rule}");
        }
    }
}

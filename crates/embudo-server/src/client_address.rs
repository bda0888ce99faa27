//! Which client a request comes from, behind reverse proxies or without any.
//!
//! `X-Forwarded-For` is believed only as far as trusted proxies wrote it: read from the right, the first address that
//! is not a trusted proxy is the client. Nothing is guessed: where the header stops making sense, the last hop that is
//! certain is the answer.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use http::{Extensions, HeaderMap, HeaderName};
use ipnet::IpNet;

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The address at the other end of the socket, as a request extension. Behind a reverse proxy this
/// is the proxy; [`crate::Callers`] finds the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peer(pub SocketAddr);

/// The client's address. From a peer that is not trusted the header is not even looked at. A call inside this process
/// has no peer; its peer's address counts as `0.0.0.0`.
pub(crate) fn client_address(extensions: &Extensions, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let peer = extensions.get::<Peer>().map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.0.ip());
    first_untrusted(peer, headers, trusted)
}

/// The subscriber behind an address: for IPv6 its /64, which one subscriber gets.
#[must_use]
pub fn subscriber(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(v4) => IpAddr::V4(v4),
        IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() & !u128::from(u64::MAX))),
    }
}

/// Reads `TRUSTED_PROXIES`: networks (`10.0.0.0/8`) or single addresses, separated by commas or
/// white space.
///
/// # Errors
/// The first entry that is neither.
pub fn parse_trusted_proxies(text: &str) -> Result<Vec<IpNet>, String> {
    text.split(|c: char| c == ',' || c.is_whitespace())
        .filter(|entry| !entry.is_empty())
        .map(|entry| {
            let net = entry.parse::<IpNet>().or_else(|_| entry.parse::<IpAddr>().map(IpNet::from));
            net.map_err(|_| entry.to_owned())
        })
        .collect()
}

fn first_untrusted(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let mut hop = peer.to_canonical();
    if !is_trusted(hop, trusted) {
        return hop;
    }
    // `get_all` runs in the order received; each proxy appends at the end of the last one.
    for value in headers.get_all(X_FORWARDED_FOR).iter().rev() {
        for entry in value.as_bytes().rsplit(|byte| *byte == b',') {
            let Some(address) = parse_entry(entry) else { return hop };
            hop = address;
            if !is_trusted(hop, trusted) {
                return hop;
            }
        }
    }
    hop
}

pub(crate) fn is_trusted(address: IpAddr, trusted: &[IpNet]) -> bool {
    trusted.iter().any(|net| net.contains(&address))
}

/// `192.0.2.1`, `192.0.2.1:443`, `2001:db8::1`, `[2001:db8::1]`, `[2001:db8::1]:443`, or any of
/// them in quotes.
fn parse_entry(entry: &[u8]) -> Option<IpAddr> {
    let entry = std::str::from_utf8(entry).ok()?.trim().trim_matches('"');
    let address = match entry.parse::<IpAddr>() {
        Ok(address) => address,
        Err(_) => match entry.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            Some(inner) => inner.parse().ok()?,
            None => entry.parse::<SocketAddr>().ok()?.ip(),
        },
    };
    Some(address.to_canonical())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use http::HeaderValue;

    fn found(peer: &str, forwarded: &[&str], trusted: &str) -> String {
        let mut headers = HeaderMap::new();
        for value in forwarded {
            headers.append(X_FORWARDED_FOR, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        let trusted = parse_trusted_proxies(trusted).unwrap();
        first_untrusted(peer.parse().unwrap(), &headers, &trusted).to_string()
    }

    #[test]
    fn a_forged_header_from_an_untrusted_peer_is_useless() {
        assert_eq!(found("203.0.113.5", &["198.51.100.1"], ""), "203.0.113.5");
        assert_eq!(found("203.0.113.5", &["198.51.100.1"], "10.0.0.0/8"), "203.0.113.5");
    }

    #[test]
    fn behind_proxies_the_rightmost_untrusted_entry_counts() {
        let lan = "10.0.0.0/8, 192.168.7.1 fd00::/8";
        assert_eq!(found("10.0.0.1", &["198.51.100.1"], lan), "198.51.100.1");
        assert_eq!(found("10.0.0.1", &["1.1.1.1, 198.51.100.1, 10.2.2.2"], lan), "198.51.100.1");
        assert_eq!(found("10.0.0.1", &["1.1.1.1", "198.51.100.1", "10.2.2.2"], lan), "198.51.100.1");
        assert_eq!(found("fd00::1", &["198.51.100.1,192.168.7.1"], lan), "198.51.100.1");
        assert_eq!(found("10.0.0.1", &["10.0.0.3, 10.0.0.2"], lan), "10.0.0.3", "all trusted: the first");
        assert_eq!(found("10.0.0.1", &[], lan), "10.0.0.1");
    }

    #[test]
    fn entries_with_ports_brackets_quotes_and_mapped_addresses() {
        for (entry, address) in [
            ("198.51.100.1:4711", "198.51.100.1"),
            ("[2001:db8::1]:443", "2001:db8::1"),
            ("[2001:db8::1]", "2001:db8::1"),
            ("2001:db8::1", "2001:db8::1"),
            ("\"[2001:db8::1]:443\"", "2001:db8::1"),
            ("::ffff:198.51.100.1", "198.51.100.1"),
            ("[::ffff:198.51.100.1]:80", "198.51.100.1"),
        ] {
            assert_eq!(found("::ffff:10.0.0.1", &[entry], "10.0.0.1"), address, "{entry}");
        }
    }

    #[test]
    fn garbage_ends_the_search_at_the_last_certain_hop() {
        for garbage in ["", "unknown", "198.51.100.1, ñ", "198.51.100.1,", "1.2.3.4.5", "_hidden", "[::1"] {
            assert_eq!(found("10.0.0.1", &[garbage], "10.0.0.0/8"), "10.0.0.1", "{garbage}");
        }
        assert_eq!(found("10.0.0.1", &["198.51.100.1, x, 10.0.0.2"], "10.0.0.0/8"), "10.0.0.2");
    }

    #[test]
    fn a_bad_network_is_named() {
        assert_eq!(parse_trusted_proxies("10.0.0.0/8, 10.0.0.0/33"), Err("10.0.0.0/33".to_owned()));
    }
}

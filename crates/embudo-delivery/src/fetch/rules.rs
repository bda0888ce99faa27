//! What the operator opens: private hosts that photos may come from all the same.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use ipnet::IpNet;
use url::Host;

use super::{FetchFailure, is_global};
use crate::InvalidSetting;

/// What a fetch may reach besides public addresses on ports 80 and 443. By default nothing.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    /// Hosts and networks that are open.
    pub allowed: Vec<Allowed>,
    /// Certificates (PEM) that are trusted beside the system's.
    pub ca_pem: Option<Vec<u8>>,
    /// If true, only the hosts in `allowed` can be reached, and nothing else on the internet.
    pub offline: bool,
}

impl Rules {
    /// Rules that open these hosts and networks.
    pub fn with(allowed: Vec<Allowed>) -> Self {
        Self { allowed, ..Self::default() }
    }

    /// Whether this port is open for any host; whether it is open for this host is decided when the address is known.
    pub(super) fn can_open(&self, port: u16) -> bool {
        usual(port) || self.allowed.iter().any(|p| p.port == Some(port))
    }

    /// Whether this address, found under this name, may be connected to.
    pub(super) fn accepts(&self, nombre: Option<&str>, ip: IpAddr, port: u16) -> Result<(), FetchFailure> {
        let global = is_global(ip);
        if (global && usual(port) && !self.offline) || self.allowed.iter().any(|p| p.opens(nombre, ip, port))
        {
            return Ok(());
        }
        Err(if global { FetchFailure::Port } else { FetchFailure::NotPublic })
    }

    /// Whether the operator opened this address by its name or network.
    pub(super) fn is_opened(&self, nombre: Option<&str>, ip: IpAddr, port: u16) -> bool {
        self.allowed.iter().any(|p| p.opens(nombre, ip, port))
    }
}

fn usual(port: u16) -> bool {
    matches!(port, 80 | 443)
}

/// A host or a network that is open, on one port or on 80 and 443: `fotos.local`, `minio.internal:9000`,
/// `10.0.0.5:9000`, `[fd00::5]:9000`, `10.1.0.0/16`.
///
/// A name is trusted whatever it resolves to; a network is open under every name that resolves into it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allowed {
    who: Allowance,
    port: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Allowance {
    Nombre(String),
    Network(IpNet),
}

impl Allowed {
    fn opens(&self, nombre: Option<&str>, ip: IpAddr, port: u16) -> bool {
        let is_the_port = self.port.map_or_else(|| usual(port), |p| p == port);
        is_the_port
            && match &self.who {
                Allowance::Nombre(n) => nombre == Some(n.as_str()),
                Allowance::Network(network) => network.contains(&ip) || network.contains(&ip.to_canonical()),
            }
    }
}

impl FromStr for Allowed {
    type Err = InvalidSetting;

    fn from_str(text: &str) -> Result<Self, InvalidSetting> {
        let text = text.trim();
        let error = |what: &str| {
            let examples =
                "write a host (fotos.local), a host and port (10.0.0.5:9000) or a network (10.1.0.0/16)";
            InvalidSetting(format!("«{text}» {what}: {examples}"))
        };
        if text.is_empty() {
            return Err(error("is empty"));
        }
        if text.contains("://") {
            return Err(error("is a URL"));
        }
        if text.contains('*') {
            return Err(error("has a wildcard, which is not supported"));
        }
        if text.contains('/') {
            let network: IpNet = text.parse().map_err(|_| error("is not a network"))?;
            return Ok(Self { who: Allowance::Network(network.trunc()), port: None });
        }
        // Addresses first: a bare IPv6 address is full of colons.
        if let Ok(ip) = text.parse::<IpAddr>() {
            return Ok(Self { who: Allowance::Network(ip.into()), port: None });
        }
        let (host, port) = match text.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
            _ => (text, None),
        };
        let port = match port {
            Some(p) => {
                let valid = p.parse::<u16>().ok().filter(|p| *p > 0);
                Some(valid.ok_or_else(|| error("has no port (1–65535) after its colon"))?)
            }
            None => None,
        };
        let who = match Host::parse(host).map_err(|_| error("is not a host"))? {
            Host::Ipv4(ip) => Allowance::Network(IpAddr::from(ip).into()),
            Host::Ipv6(ip) => Allowance::Network(IpAddr::from(ip).into()),
            Host::Domain(nombre) => {
                let nombre = nombre.strip_suffix('.').unwrap_or(&nombre).to_ascii_lowercase();
                if !nombre.split('.').all(is_label) {
                    return Err(error("is not a host"));
                }
                Allowance::Nombre(nombre)
            }
        };
        Ok(Self { who, port })
    }
}

fn is_label(label: &str) -> bool {
    !label.is_empty() && label.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
}

impl fmt::Display for Allowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.who {
            Allowance::Nombre(nombre) => f.write_str(nombre)?,
            Allowance::Network(network) if network.prefix_len() < network.max_prefix_len() => {
                write!(f, "{network}")?;
            }
            Allowance::Network(IpNet::V6(network)) if self.port.is_some() => {
                write!(f, "[{}]", network.addr())?;
            }
            Allowance::Network(network) => write!(f, "{}", network.addr())?,
        }
        self.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from_error(text: &str) -> Allowed {
        text.parse().unwrap_or_else(|e| panic!("{e}"))
    }

    fn ip(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn entries_are_read_and_shown() {
        for (text, seen) in [
            ("fotos.local", "fotos.local"),
            (" Fotos.LOCAL. ", "fotos.local"),
            ("minio.internal:9000", "minio.internal:9000"),
            ("MINIO:443", "minio:443"),
            ("fotos_1.local", "fotos_1.local"),
            ("cañón.local", "xn--can-7maf.local"),
            ("10.0.0.5", "10.0.0.5"),
            ("10.0.0.5:9000", "10.0.0.5:9000"),
            ("10.1.2.3/16", "10.1.0.0/16"),
            ("fd00::5", "fd00::5"),
            ("[fd00::5]", "fd00::5"),
            ("[FD00::5]:9000", "[fd00::5]:9000"),
            ("fd00::/8", "fd00::/8"),
        ] {
            let read = from_error(text);
            if !text.contains('ñ') {
                assert_eq!(read.to_string(), seen);
            }
            assert_eq!(from_error(&read.to_string()), read, "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, what) in [
            ("", "is empty"),
            ("http://fotos.local", "is a URL"),
            ("*.local", "has a wildcard"),
            ("10.0.0.0/33", "is not a network"),
            ("fotos.local/16", "is not a network"),
            ("fotos.local:", "has no port"),
            ("fotos.local:0", "has no port"),
            ("fotos.local:65536", "has no port"),
            ("fotos.local:http", "has no port"),
            ("a b", "is not a host"),
            ("fotos..local", "is not a host"),
            ("user@fotos.local", "is not a host"),
            (":9000", "is not a host"),
        ] {
            let error = text.parse::<Allowed>().expect_err(text).to_string();
            assert!(error.contains(what) && error.contains("10.1.0.0/16"), "{text}: {error}");
        }
    }

    #[test]
    fn an_entry_opens_what_it_says_and_no_more() {
        let opens = |rule: &str, nombre: Option<&str>, a: &str, port| {
            Rules::with(vec![from_error(rule)]).accepts(nombre, ip(a), port)
        };
        let no = Err(FetchFailure::NotPublic);
        assert_eq!(opens("fotos.local", Some("fotos.local"), "192.168.1.2", 80), Ok(()));
        assert_eq!(opens("fotos.local", Some("fotos.local"), "192.168.1.2", 443), Ok(()));
        assert_eq!(opens("fotos.local", Some("fotos.local"), "192.168.1.2", 9000), no);
        assert_eq!(opens("fotos.local", Some("otras.local"), "192.168.1.2", 80), no);
        assert_eq!(opens("fotos.local", None, "192.168.1.2", 80), no);
        assert_eq!(opens("m.internal:9000", Some("m.internal"), "10.0.0.1", 9000), Ok(()));
        assert_eq!(opens("m.internal:9000", Some("m.internal"), "10.0.0.1", 80), no);
        assert_eq!(opens("10.0.0.5:9000", None, "10.0.0.5", 9000), Ok(()));
        assert_eq!(opens("10.0.0.5:9000", Some("x.example"), "10.0.0.5", 9000), Ok(()));
        assert_eq!(opens("10.0.0.5:9000", None, "10.0.0.6", 9000), no);
        assert_eq!(opens("10.0.0.5:9000", None, "10.0.0.5", 443), no);
        assert_eq!(opens("10.1.0.0/16", None, "10.1.255.255", 443), Ok(()));
        assert_eq!(opens("10.1.0.0/16", None, "::ffff:10.1.0.9", 80), Ok(()));
        assert_eq!(opens("10.1.0.0/16", None, "10.2.0.0", 80), no);
        assert_eq!(opens("10.1.0.0/16", None, "8.8.8.8", 9000), Err(FetchFailure::Port));
        assert_eq!(Rules::default().accepts(None, ip("8.8.8.8"), 443), Ok(()));
    }
}

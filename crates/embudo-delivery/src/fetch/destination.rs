//! A URL taken apart: the host, and what is requested from it.

use std::net::IpAddr;

use url::{Host, Url};

use super::FetchFailure;

/// The longest URL that is tried.
const MAX_LENGTH: usize = 8 * 1024;

/// The host that a URL names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    /// An IP address, in any of its many spellings. It needs no resolver.
    Ip(IpAddr),
    /// A name, in lower case and without its last dot.
    Nombre(String),
}

impl Target {
    pub(super) fn nombre(&self) -> Option<&str> {
        match self {
            Self::Ip(_) => None,
            Self::Nombre(nombre) => Some(nombre),
        }
    }
}

/// What is to be fetched, and from where.
#[derive(Debug, Clone)]
pub(super) struct Destination {
    pub url: Url,
    pub place: Target,
    pub port: u16,
}

impl Destination {
    pub(super) fn from_error(text: &str) -> Result<Self, FetchFailure> {
        // URL parsers silently drop line ends and tabs; no honest URL contains them.
        if text.len() > MAX_LENGTH || text.chars().any(char::is_control) {
            return Err(FetchFailure::Address);
        }
        let mut url = Url::parse(text).map_err(|_| FetchFailure::Address)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(FetchFailure::Schema);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(FetchFailure::Credentials);
        }
        let place = match url.host().ok_or(FetchFailure::Address)? {
            Host::Ipv4(ip) => Target::Ip(ip.into()),
            Host::Ipv6(ip) => Target::Ip(ip.into()),
            Host::Domain(nombre) => Target::Nombre(clean(nombre)?),
        };
        // The client looks its addresses up by the name in the URL, so that name must be spelt like `nombre`. And a
        // name with a trailing dot must not turn into an IP address when the dot is removed.
        if let Target::Nombre(nombre) = &place {
            url.set_host(Some(nombre)).map_err(|_| FetchFailure::Address)?;
            if url.host() != Some(Host::Domain(nombre.as_str())) {
                return Err(FetchFailure::Address);
            }
        }
        url.set_fragment(None);
        let port = url.port_or_known_default().ok_or(FetchFailure::Port)?;
        Ok(Self { url, place, port })
    }
}

/// A name without its last dot, made of labels that are not empty.
fn clean(nombre: &str) -> Result<String, FetchFailure> {
    let nombre = nombre.strip_suffix('.').unwrap_or(nombre).to_ascii_lowercase();
    if nombre.len() > 253 || nombre.split('.').any(str::is_empty) {
        return Err(FetchFailure::Address);
    }
    Ok(nombre)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_known_in_every_spelling() {
        for text in [
            "http://127.0.0.1/",
            "http://127.0.0.1./",
            "http://127.1",
            "http://2130706433",
            "http://0x7f000001",
            "http://0x7F.0.0.0x1",
            "http://017700000001",
            "http://0177.0.0.01",
            "http://%31%32%37.0.0.1",
            "http://①②⑦.⓪.⓪.①",
            "http://127。0。0。1",
            "HTTP:127.0.0.1",
            "http:\\\\127.0.0.1\\x",
            "  http:///127.0.0.1  ",
        ] {
            let destination = Destination::from_error(text).unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!(destination.place, Target::Ip(IpAddr::from([127, 0, 0, 1])), "{text}");
            assert_eq!(destination.port, 80, "{text}");
        }
    }

    #[test]
    fn names_are_spelt_one_way() {
        for (text, nombre) in [
            ("https://Fotos.Example/a#b", "fotos.example"),
            ("https://fotos.example./", "fotos.example"),
            ("https://ＦＯＴＯＳ.example", "fotos.example"),
            ("https://año.example", "xn--ao-zja.example"),
        ] {
            let destination = Destination::from_error(text).unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!(destination.place.nombre(), Some(nombre), "{text}");
            assert_eq!(destination.url.host_str(), Some(nombre), "{text}");
            assert_eq!((destination.port, destination.url.fragment()), (443, None), "{text}");
        }
    }

    #[test]
    fn what_is_not_a_plain_address_is_refused() {
        use FetchFailure::{Address, Credentials, Schema};
        for (text, failure) in [
            ("", Address),
            ("foto.jpg", Address),
            ("//fotos.example/", Address),
            ("http://", Address),
            ("http://a b/", Address),
            ("http://127.0.0.1../", Address),
            ("http://fotos..example/", Address),
            ("http://1.2.3.4.5/", Address),
            ("http://256.0.0.1/", Address),
            ("http://[::1/", Address),
            ("http://[fe80::1%25eth0]/", Address),
            ("http://fotos.example/\r\nHost: x", Address),
            ("ht\ntp://fotos.example/", Address),
            ("http://fotos.example:99999/", Address),
            ("file:///etc/passwd", Schema),
            ("ftp://fotos.example/", Schema),
            ("gopher://127.0.0.1:25/_EHLO", Schema),
            ("data:image/png;base64,AA", Schema),
            ("javascript:alert(1)", Schema),
            ("http://yo@fotos.example/", Credentials),
            ("http://:x@fotos.example/", Credentials),
            ("http://yo:x@fotos.example/", Credentials),
        ] {
            assert_eq!(Destination::from_error(text).expect_err(text), failure, "{text}");
        }
        assert_eq!(
            Destination::from_error(&format!("http://x.example/{}", "a".repeat(9_000))).err(),
            Some(Address)
        );
    }
}

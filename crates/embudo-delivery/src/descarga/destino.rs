//! A URL taken apart: what is asked for, and of whom.

use std::net::IpAddr;

use url::{Host, Url};

use super::FalloDescarga;

/// The longest URL that is tried.
const LARGO_MAX: usize = 8 * 1024;

/// Whom a URL names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Lugar {
    /// An address, in whichever of its many spellings. Never resolved, so it must be looked at by itself.
    Ip(IpAddr),
    /// A name, in lower case and without its last dot.
    Nombre(String),
}

impl Lugar {
    pub(super) fn nombre(&self) -> Option<&str> {
        match self {
            Self::Ip(_) => None,
            Self::Nombre(nombre) => Some(nombre),
        }
    }
}

/// What is to be fetched, from where.
#[derive(Debug, Clone)]
pub(super) struct Destino {
    pub url: Url,
    pub lugar: Lugar,
    pub puerto: u16,
}

impl Destino {
    pub(super) fn de(texto: &str) -> Result<Self, FalloDescarga> {
        // A parser of URLs drops line ends and tabs in silence; nobody who means well writes them.
        if texto.len() > LARGO_MAX || texto.chars().any(char::is_control) {
            return Err(FalloDescarga::Direccion);
        }
        let mut url = Url::parse(texto).map_err(|_| FalloDescarga::Direccion)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(FalloDescarga::Esquema);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(FalloDescarga::Credenciales);
        }
        let lugar = match url.host().ok_or(FalloDescarga::Direccion)? {
            Host::Ipv4(ip) => Lugar::Ip(ip.into()),
            Host::Ipv6(ip) => Lugar::Ip(ip.into()),
            Host::Domain(nombre) => Lugar::Nombre(limpio(nombre)?),
        };
        // The client looks its addresses up by the name in the URL, so both must be spelt alike; and what was a name
        // with its last dot must not turn into an address without it.
        if let Lugar::Nombre(nombre) = &lugar {
            url.set_host(Some(nombre)).map_err(|_| FalloDescarga::Direccion)?;
            if url.host() != Some(Host::Domain(nombre.as_str())) {
                return Err(FalloDescarga::Direccion);
            }
        }
        url.set_fragment(None);
        let puerto = url.port_or_known_default().ok_or(FalloDescarga::Puerto)?;
        Ok(Self { url, lugar, puerto })
    }
}

/// A name without its last dot, made of labels that are not empty.
fn limpio(nombre: &str) -> Result<String, FalloDescarga> {
    let nombre = nombre.strip_suffix('.').unwrap_or(nombre).to_ascii_lowercase();
    if nombre.len() > 253 || nombre.split('.').any(str::is_empty) {
        return Err(FalloDescarga::Direccion);
    }
    Ok(nombre)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_known_in_every_spelling() {
        for texto in [
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
            let destino = Destino::de(texto).unwrap_or_else(|e| panic!("{texto}: {e}"));
            assert_eq!(destino.lugar, Lugar::Ip(IpAddr::from([127, 0, 0, 1])), "{texto}");
            assert_eq!(destino.puerto, 80, "{texto}");
        }
    }

    #[test]
    fn names_are_spelt_one_way() {
        for (texto, nombre) in [
            ("https://Fotos.Example/a#b", "fotos.example"),
            ("https://fotos.example./", "fotos.example"),
            ("https://ＦＯＴＯＳ.example", "fotos.example"),
            ("https://año.example", "xn--ao-zja.example"),
        ] {
            let destino = Destino::de(texto).unwrap_or_else(|e| panic!("{texto}: {e}"));
            assert_eq!(destino.lugar.nombre(), Some(nombre), "{texto}");
            assert_eq!(destino.url.host_str(), Some(nombre), "{texto}");
            assert_eq!((destino.puerto, destino.url.fragment()), (443, None), "{texto}");
        }
    }

    #[test]
    fn what_is_not_a_plain_address_is_refused() {
        use FalloDescarga::{Credenciales, Direccion, Esquema};
        for (texto, fallo) in [
            ("", Direccion),
            ("foto.jpg", Direccion),
            ("//fotos.example/", Direccion),
            ("http://", Direccion),
            ("http://a b/", Direccion),
            ("http://127.0.0.1../", Direccion),
            ("http://fotos..example/", Direccion),
            ("http://1.2.3.4.5/", Direccion),
            ("http://256.0.0.1/", Direccion),
            ("http://[::1/", Direccion),
            ("http://[fe80::1%25eth0]/", Direccion),
            ("http://fotos.example/\r\nHost: x", Direccion),
            ("ht\ntp://fotos.example/", Direccion),
            ("http://fotos.example:99999/", Direccion),
            ("file:///etc/passwd", Esquema),
            ("ftp://fotos.example/", Esquema),
            ("gopher://127.0.0.1:25/_EHLO", Esquema),
            ("data:image/png;base64,AA", Esquema),
            ("javascript:alert(1)", Esquema),
            ("http://yo@fotos.example/", Credenciales),
            ("http://:x@fotos.example/", Credenciales),
            ("http://yo:x@fotos.example/", Credenciales),
        ] {
            assert_eq!(Destino::de(texto).expect_err(texto), fallo, "{texto}");
        }
        assert_eq!(Destino::de(&format!("http://x.example/{}", "a".repeat(9_000))).err(), Some(Direccion));
    }
}

//! What the operator opens: private hosts that photos may come from all the same.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use ipnet::IpNet;
use url::Host;

use super::{FalloDescarga, es_global};
use crate::AjusteInvalido;

/// What a fetch may reach beside the internet's ports 80 and 443. By default nothing.
#[derive(Debug, Clone, Default)]
pub struct Reglas {
    /// Hosts and networks that are open.
    pub permitidos: Vec<Permitido>,
    /// Certificates (PEM) that are trusted beside the system's.
    pub ca_pem: Option<Vec<u8>>,
}

impl Reglas {
    /// Rules that open these hosts and networks.
    pub fn con(permitidos: Vec<Permitido>) -> Self {
        Self { permitidos, ca_pem: None }
    }

    /// Whether this port is open to anybody; to whom is decided when the address is known.
    pub(super) fn puede_abrir(&self, puerto: u16) -> bool {
        usual(puerto) || self.permitidos.iter().any(|p| p.puerto == Some(puerto))
    }

    /// Whether this address, found under this name, may be connected to.
    pub(super) fn acepta(&self, nombre: Option<&str>, ip: IpAddr, puerto: u16) -> Result<(), FalloDescarga> {
        let global = es_global(ip);
        if (global && usual(puerto)) || self.permitidos.iter().any(|p| p.abre(nombre, ip, puerto)) {
            return Ok(());
        }
        Err(if global { FalloDescarga::Puerto } else { FalloDescarga::NoPublica })
    }
}

fn usual(puerto: u16) -> bool {
    matches!(puerto, 80 | 443)
}

/// A host or a network that is open, on one port or on the usual two: `fotos.local`, `minio.internal:9000`,
/// `10.0.0.5:9000`, `[fd00::5]:9000`, `10.1.0.0/16`.
///
/// A name is trusted whatever it resolves to; a network is open under every name that leads into it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Permitido {
    quien: Quien,
    puerto: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Quien {
    Nombre(String),
    Red(IpNet),
}

impl Permitido {
    fn abre(&self, nombre: Option<&str>, ip: IpAddr, puerto: u16) -> bool {
        let es_el_puerto = self.puerto.map_or_else(|| usual(puerto), |p| p == puerto);
        es_el_puerto
            && match &self.quien {
                Quien::Nombre(n) => nombre == Some(n.as_str()),
                Quien::Red(red) => red.contains(&ip) || red.contains(&ip.to_canonical()),
            }
    }
}

impl FromStr for Permitido {
    type Err = AjusteInvalido;

    fn from_str(texto: &str) -> Result<Self, AjusteInvalido> {
        let texto = texto.trim();
        let error = |que: &str| {
            let ejemplos =
                "write a host (fotos.local), a host and port (10.0.0.5:9000) or a network (10.1.0.0/16)";
            AjusteInvalido(format!("«{texto}» {que}: {ejemplos}"))
        };
        if texto.is_empty() {
            return Err(error("is empty"));
        }
        if texto.contains("://") {
            return Err(error("is a URL"));
        }
        if texto.contains('*') {
            return Err(error("has a wildcard, which is not supported"));
        }
        if texto.contains('/') {
            let red: IpNet = texto.parse().map_err(|_| error("is not a network"))?;
            return Ok(Self { quien: Quien::Red(red.trunc()), puerto: None });
        }
        // Addresses first: a bare IPv6 address is full of colons.
        if let Ok(ip) = texto.parse::<IpAddr>() {
            return Ok(Self { quien: Quien::Red(ip.into()), puerto: None });
        }
        let (host, puerto) = match texto.rsplit_once(':') {
            Some((host, puerto)) if !puerto.ends_with(']') => (host, Some(puerto)),
            _ => (texto, None),
        };
        let puerto = match puerto {
            Some(p) => {
                let valido = p.parse::<u16>().ok().filter(|p| *p > 0);
                Some(valido.ok_or_else(|| error("has no port (1–65535) after its colon"))?)
            }
            None => None,
        };
        let quien = match Host::parse(host).map_err(|_| error("is not a host"))? {
            Host::Ipv4(ip) => Quien::Red(IpAddr::from(ip).into()),
            Host::Ipv6(ip) => Quien::Red(IpAddr::from(ip).into()),
            Host::Domain(nombre) => {
                let nombre = nombre.strip_suffix('.').unwrap_or(&nombre).to_ascii_lowercase();
                if !nombre.split('.').all(es_etiqueta) {
                    return Err(error("is not a host"));
                }
                Quien::Nombre(nombre)
            }
        };
        Ok(Self { quien, puerto })
    }
}

fn es_etiqueta(etiqueta: &str) -> bool {
    !etiqueta.is_empty() && etiqueta.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
}

impl fmt::Display for Permitido {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.quien {
            Quien::Nombre(nombre) => f.write_str(nombre)?,
            Quien::Red(red) if red.prefix_len() < red.max_prefix_len() => write!(f, "{red}")?,
            Quien::Red(IpNet::V6(red)) if self.puerto.is_some() => write!(f, "[{}]", red.addr())?,
            Quien::Red(red) => write!(f, "{}", red.addr())?,
        }
        self.puerto.map_or(Ok(()), |puerto| write!(f, ":{puerto}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn de(texto: &str) -> Permitido {
        texto.parse().unwrap_or_else(|e| panic!("{e}"))
    }

    fn ip(texto: &str) -> IpAddr {
        texto.parse().expect("an address")
    }

    #[test]
    fn entries_are_read_and_shown() {
        for (texto, visto) in [
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
            let leido = de(texto);
            if !texto.contains('ñ') {
                assert_eq!(leido.to_string(), visto);
            }
            assert_eq!(de(&leido.to_string()), leido, "{texto}");
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (texto, que) in [
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
            let error = texto.parse::<Permitido>().expect_err(texto).to_string();
            assert!(error.contains(que) && error.contains("10.1.0.0/16"), "{texto}: {error}");
        }
    }

    #[test]
    fn an_entry_opens_what_it_says_and_no_more() {
        let abre = |regla: &str, nombre: Option<&str>, a: &str, puerto| {
            Reglas::con(vec![de(regla)]).acepta(nombre, ip(a), puerto)
        };
        let no = Err(FalloDescarga::NoPublica);
        assert_eq!(abre("fotos.local", Some("fotos.local"), "192.168.1.2", 80), Ok(()));
        assert_eq!(abre("fotos.local", Some("fotos.local"), "192.168.1.2", 443), Ok(()));
        assert_eq!(abre("fotos.local", Some("fotos.local"), "192.168.1.2", 9000), no);
        assert_eq!(abre("fotos.local", Some("otras.local"), "192.168.1.2", 80), no);
        assert_eq!(abre("fotos.local", None, "192.168.1.2", 80), no);
        assert_eq!(abre("m.internal:9000", Some("m.internal"), "10.0.0.1", 9000), Ok(()));
        assert_eq!(abre("m.internal:9000", Some("m.internal"), "10.0.0.1", 80), no);
        assert_eq!(abre("10.0.0.5:9000", None, "10.0.0.5", 9000), Ok(()));
        assert_eq!(abre("10.0.0.5:9000", Some("x.example"), "10.0.0.5", 9000), Ok(()));
        assert_eq!(abre("10.0.0.5:9000", None, "10.0.0.6", 9000), no);
        assert_eq!(abre("10.0.0.5:9000", None, "10.0.0.5", 443), no);
        assert_eq!(abre("10.1.0.0/16", None, "10.1.255.255", 443), Ok(()));
        assert_eq!(abre("10.1.0.0/16", None, "::ffff:10.1.0.9", 80), Ok(()));
        assert_eq!(abre("10.1.0.0/16", None, "10.2.0.0", 80), no);
        assert_eq!(abre("10.1.0.0/16", None, "8.8.8.8", 9000), Err(FalloDescarga::Puerto));
        assert_eq!(Reglas::default().acepta(None, ip("8.8.8.8"), 443), Ok(()));
    }
}

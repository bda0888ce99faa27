//! Whose certificates TLS connections trust: the machine's authorities, and on a slim machine that has none, the public
//! ones that we carry.

use std::sync::{Arc, LazyLock, OnceLock};

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier;
use rustls::crypto::ring;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;

use crate::InvalidSetting;

type SharedVerifier = Arc<dyn ServerCertVerifier>;

/// How connections are encrypted. It is made when the first one needs it: reading the machine's certificates would take
/// a third of the start-up time.
#[derive(Debug, Clone)]
pub(crate) struct LazyTls {
    protocols: &'static [&'static str],
    config: Arc<OnceLock<ClientConfig>>,
}

impl LazyTls {
    /// Speaks these protocols, and also trusts these authorities (PEM). Fails on certificates that cannot be read.
    pub fn new(protocols: &'static [&'static str], ca_pem: Option<&[u8]>) -> Result<Self, InvalidSetting> {
        let tls = Self { protocols, config: Arc::default() };
        if let Some(pem) = ca_pem {
            let verifier = verifier(&certificates(pem)?)
                .map_err(|e| InvalidSetting(format!("the trusted certificates cannot be used: {e}")))?;
            tls.config.get_or_init(|| tls.with(verifier));
        }
        Ok(tls)
    }

    pub fn config(&self) -> &ClientConfig {
        // The authorities are read once for all clients of the process.
        static MACHINE: LazyLock<SharedVerifier> =
            LazyLock::new(|| verifier(&[]).expect("the carried authorities are sound"));
        self.config.get_or_init(|| self.with(Arc::clone(&MACHINE)))
    }

    fn with(&self, verifier: SharedVerifier) -> ClientConfig {
        let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("ring knows TLS 1.2 and 1.3")
            .dangerous()
            .with_custom_certificate_verifier(verifier)
            .with_no_client_auth();
        config.alpn_protocols = self.protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
        config
    }
}

fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, InvalidSetting> {
    let unreadable = || InvalidSetting("the CA file holds no readable PEM certificate".to_owned());
    let parsed: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    parsed.ok().filter(|c| !c.is_empty()).ok_or_else(unreadable)
}

/// The machine's authorities and the extra ones.
fn verifier(extra: &[CertificateDer<'static>]) -> Result<SharedVerifier, InvalidSetting> {
    let provider = Arc::new(ring::default_provider());
    match Verifier::new_with_extra_roots(extra.iter().cloned(), provider) {
        Ok(verifier) => Ok(Arc::new(verifier)),
        Err(_) => carried(extra),
    }
}

/// The authorities that we carry and the extra ones.
fn carried(extra: &[CertificateDer<'static>]) -> Result<SharedVerifier, InvalidSetting> {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    for certificate in extra {
        roots.add(certificate.clone()).map_err(|e| InvalidSetting(e.to_string()))?;
    }
    let provider = Arc::new(ring::default_provider());
    let built = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider).build();
    built.map(|verifier| verifier as _).map_err(|e| InvalidSetting(e.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_without_certificates_trusts_the_carried_ones() {
        assert!(carried(&[]).is_ok());
    }

    #[test]
    fn certificates_are_read_when_the_first_connection_needs_them() {
        let tls = LazyTls::new(&["http/1.1"], None).expect("nothing is read");
        let other = tls.clone();
        assert!(tls.config.get().is_none());
        assert_eq!(tls.config().alpn_protocols, [b"http/1.1".to_vec()]);
        assert!(other.config.get().is_some(), "once for all copies");
    }
}

//! The HTTP client of a fetch: one for each, with its addresses nailed down.

use std::net::SocketAddr;
use std::sync::Arc;

use reqwest::Client;
use reqwest::header::{ACCEPT, ACCEPT_ENCODING, HeaderMap, HeaderValue};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;

use super::destino::{Destino, Lugar};
use super::resolver::Ninguno;
use super::{FalloDescarga, PLAZO_MAX};
use crate::AjusteInvalido;

/// Makes clients. Whom to trust is read once; a client beside is cheap.
#[derive(Clone)]
pub(super) struct Clientes {
    tls: Arc<ClientConfig>,
}

impl Clientes {
    pub(super) fn new(ca_pem: Option<&[u8]>) -> Result<Self, AjusteInvalido> {
        let extra = ca_pem.map(certificados).transpose()?.unwrap_or_default();
        let provider = Arc::new(ring::default_provider());
        let mut tls = config(&extra, provider)
            .map_err(|e| AjusteInvalido(format!("the trusted certificates cannot be used: {e}")))?;
        tls.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self { tls: Arc::new(tls) })
    }

    /// A client that can reach these addresses and no other.
    pub(super) fn para(
        &self,
        destino: &Destino,
        direcciones: &[SocketAddr],
    ) -> Result<Client, FalloDescarga> {
        let cabeceras = HeaderMap::from_iter([
            (ACCEPT, HeaderValue::from_static("image/*")),
            (ACCEPT_ENCODING, HeaderValue::from_static("identity")),
        ]);
        let mut builder = Client::builder()
            .dns_resolver(Ninguno)
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .no_proxy()
            .referer(false)
            .http1_only()
            .pool_max_idle_per_host(0)
            .timeout(PLAZO_MAX)
            .default_headers(cabeceras)
            .user_agent(concat!("embudo/", env!("CARGO_PKG_VERSION")))
            .tls_backend_preconfigured((*self.tls).clone());
        if let Lugar::Nombre(nombre) = &destino.lugar {
            builder = builder.resolve_to_addrs(nombre, direcciones);
        }
        builder.build().map_err(|_| FalloDescarga::Direccion)
    }
}

fn certificados(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, AjusteInvalido> {
    let ilegible = || AjusteInvalido("the CA file holds no readable PEM certificate".to_owned());
    let leidos: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    leidos.ok().filter(|c| !c.is_empty()).ok_or_else(ilegible)
}

/// The machine's authorities and the extra ones; on a slim machine that has none, the public ones that we carry.
fn config(
    extra: &[CertificateDer<'static>],
    provider: Arc<CryptoProvider>,
) -> Result<ClientConfig, rustls::Error> {
    let builder =
        ClientConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions()?;
    if let Ok(verifier) = Verifier::new_with_extra_roots(extra.iter().cloned(), provider) {
        let peligroso = builder.dangerous();
        return Ok(peligroso.with_custom_certificate_verifier(Arc::new(verifier)).with_no_client_auth());
    }
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    for certificado in extra {
        roots.add(certificado.clone())?;
    }
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}

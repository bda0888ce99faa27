//! TLS to the server, and the URL parameters about it that the driver does not read itself.
//!
//! `disable`: never. `prefer` (the default): encrypted if the server offers it, whoever it is, as libpq does; an attacker
//! who could show a false certificate could as well refuse TLS. `require`, `verify-ca`, `verify-full`: encrypted, and the
//! server must show a certificate for its name, signed by a public authority or by one in `sslrootcert`.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use tokio_postgres::config::SslMode;
use tokio_postgres_rustls::MakeRustlsConnect;

/// What a URL says about TLS.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct OwnParameters {
    pub(crate) mode: Option<SslMode>,
    pub(crate) root_cert: Option<String>,
}

/// Takes the parameters that are read here out of a URL.
pub(crate) fn own_parameters(url: &str) -> Result<(String, OwnParameters), String> {
    if !url.starts_with("postgres://") && !url.starts_with("postgresql://") {
        return Err("it must begin with postgres://".into());
    }
    let Some((base, query)) = url.split_once('?') else {
        return Ok((url.to_owned(), OwnParameters::default()));
    };
    let mut own = OwnParameters::default();
    let mut others = Vec::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        match pair.split_once('=') {
            Some(("sslmode", mode)) => own.mode = Some(ssl_mode(mode)?),
            Some(("sslrootcert", path)) => own.root_cert = Some(percent_decoded(path)?),
            _ => others.push(pair),
        }
    }
    let rest = if others.is_empty() { base.to_owned() } else { format!("{base}?{}", others.join("&")) };
    Ok((rest, own))
}

fn ssl_mode(mode: &str) -> Result<SslMode, String> {
    match mode {
        "disable" => Ok(SslMode::Disable),
        "prefer" | "allow" => Ok(SslMode::Prefer),
        "require" | "verify-ca" | "verify-full" => Ok(SslMode::Require),
        _ => Err("sslmode is one of disable, prefer, require, verify-ca, verify-full".into()),
    }
}

fn percent_decoded(text: &str) -> Result<String, String> {
    const BAD: &str = "sslrootcert is not percent-encoded UTF-8";
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        if first != b'%' {
            bytes.push(first);
            rest = tail;
            continue;
        }
        let digits = tail.get(..2).and_then(|d| std::str::from_utf8(d).ok()).ok_or(BAD)?;
        bytes.push(u8::from_str_radix(digits, 16).map_err(|_| BAD)?);
        rest = &tail[2..];
    }
    String::from_utf8(bytes).map_err(|_| BAD.into())
}

/// A connector for this mode.
pub(crate) fn connector(mode: SslMode, root_cert: Option<&str>) -> Result<MakeRustlsConnect, String> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|e| e.to_string())?;
    let config = if mode == SslMode::Require {
        builder.with_root_certificates(roots(root_cert)?).with_no_client_auth()
    } else {
        builder.dangerous().with_custom_certificate_verifier(Arc::new(Anyone(provider))).with_no_client_auth()
    };
    Ok(MakeRustlsConnect::new(config))
}

fn roots(path: Option<&str>) -> Result<RootCertStore, String> {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    let Some(path) = path else { return Ok(roots) };
    let unusable = |e: &dyn std::fmt::Display| format!("sslrootcert «{path}»: {e}");
    let before = roots.len();
    for certificate in CertificateDer::pem_file_iter(path).map_err(|e| unusable(&e))? {
        roots.add(certificate.map_err(|e| unusable(&e))?).map_err(|e| unusable(&e))?;
    }
    if roots.len() == before {
        return Err(unusable(&"it holds no certificate"));
    }
    Ok(roots)
}

/// Accepts every certificate, for `prefer` alone.
#[derive(Debug)]
struct Anyone(Arc<CryptoProvider>);

impl ServerCertVerifier for Anyone {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, cert, dss, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, cert, dss, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_only_its_own_parameters_out_of_the_url() {
        let url = "postgres://u:p@h/db?sslmode=verify-full&connect_timeout=2&sslrootcert=%2Fetc%2Fca%20x.pem";
        let (rest, own) = own_parameters(url).expect("a good URL");
        assert_eq!(rest, "postgres://u:p@h/db?connect_timeout=2");
        assert_eq!(own.mode, Some(SslMode::Require));
        assert_eq!(own.root_cert.as_deref(), Some("/etc/ca x.pem"));
        assert_eq!(own_parameters("postgres://h/db").expect("no query").0, "postgres://h/db");
    }

    #[test]
    fn refuses_what_it_does_not_know() {
        assert!(own_parameters("postgres://h/db?sslmode=siempre").is_err());
        assert!(own_parameters("mysql://h/db").is_err());
        assert!(connector(SslMode::Require, Some("/no/such/file.pem")).is_err());
    }
}

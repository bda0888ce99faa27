//! TLS to the server, and the URL parameters about it that the driver does not read itself. They mean the same as in
//! libpq.
//!
//! `disable`: never. `prefer` (the default): encrypted if the server offers it, without checking the server's identity,
//! and plain otherwise; an attacker who could show a false certificate could as well refuse TLS. `require`: encrypted,
//! without checking the server's identity; with `sslrootcert` like `verify-ca`. `verify-ca`: the certificate must be
//! signed by an authority in `sslrootcert`. `verify-full`: it must also be for the server's name. Without `sslrootcert`
//! the public authorities count. Because these sign for everybody, the name is then always checked.

use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use tokio_postgres::config::SslMode;
use tokio_postgres_rustls::MakeRustlsConnect;

/// The value of `sslmode`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Tls {
    Disable,
    #[default]
    Prefer,
    Require,
    VerifyCa,
    VerifyFull,
}

impl Tls {
    /// The TLS mode that the driver negotiates.
    pub(crate) fn negotiated(self) -> SslMode {
        match self {
            Self::Disable => SslMode::Disable,
            Self::Prefer => SslMode::Prefer,
            Self::Require | Self::VerifyCa | Self::VerifyFull => SslMode::Require,
        }
    }
}

/// The URL parameters about TLS.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct OwnParameters {
    pub(crate) mode: Tls,
    pub(crate) root_cert: Option<String>,
}

/// Takes the parameters that are read here out of a URL; returns the rest of the URL, and the parameters.
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
            Some(("sslmode", mode)) => own.mode = ssl_mode(mode)?,
            Some(("sslrootcert", path)) => own.root_cert = Some(percent_decoded(path)?),
            _ => others.push(pair),
        }
    }
    let rest = if others.is_empty() { base.to_owned() } else { format!("{base}?{}", others.join("&")) };
    Ok((rest, own))
}

fn ssl_mode(mode: &str) -> Result<Tls, String> {
    match mode {
        "disable" => Ok(Tls::Disable),
        "prefer" | "allow" => Ok(Tls::Prefer),
        "require" => Ok(Tls::Require),
        "verify-ca" => Ok(Tls::VerifyCa),
        "verify-full" => Ok(Tls::VerifyFull),
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

pub(crate) fn connector(mode: Tls, root_cert: Option<&str>) -> Result<MakeRustlsConnect, String> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verified = |roots| {
        let builder = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider));
        builder.build().map_err(|e| e.to_string())
    };
    let verifier: Arc<dyn ServerCertVerifier> = match (mode, root_cert) {
        (Tls::Disable | Tls::Prefer, _) | (Tls::Require, None) => Arc::new(Anyone(Arc::clone(&provider))),
        (Tls::Require | Tls::VerifyCa, Some(path)) => Arc::new(AnyName(verified(own_roots(path)?)?)),
        (Tls::VerifyFull, Some(path)) => verified(own_roots(path)?)?,
        (Tls::VerifyCa | Tls::VerifyFull, None) => {
            verified(RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() })?
        }
    };
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|e| e.to_string())?;
    let config = builder.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

/// The authorities in a PEM file, and no others.
fn own_roots(path: &str) -> Result<RootCertStore, String> {
    let mut roots = RootCertStore::empty();
    let unusable = |e: &dyn std::fmt::Display| format!("sslrootcert «{path}»: {e}");
    for certificate in CertificateDer::pem_file_iter(path).map_err(|e| unusable(&e))? {
        roots.add(certificate.map_err(|e| unusable(&e))?).map_err(|e| unusable(&e))?;
    }
    if roots.is_empty() {
        return Err(unusable(&"it holds no certificate"));
    }
    Ok(roots)
}

/// Accepts every certificate, even one that it cannot read. If any server is accepted, the server need not prove that
/// the certificate is its own, so the signatures are not checked either.
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
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

/// Accepts certificates that the authorities signed, for any name.
#[derive(Debug)]
struct AnyName(Arc<WebPkiServerVerifier>);

impl ServerCertVerifier for AnyName {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        // rustls checks the name last, so everything else was right.
        match self.0.verify_server_cert(certificate, between, name, ocsp, now) {
            Err(rustls::Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            end => end,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.0.verify_tls12_signature(message, cert, dss)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.0.verify_tls13_signature(message, cert, dss)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_verify_schemes()
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
        assert_eq!(own.mode, Tls::VerifyFull);
        assert_eq!(own.root_cert.as_deref(), Some("/etc/ca x.pem"));
        assert_eq!(own_parameters("postgres://h/db").expect("no query").0, "postgres://h/db");
    }

    #[test]
    fn refuses_what_it_does_not_know() {
        assert!(own_parameters("postgres://h/db?sslmode=siempre").is_err());
        assert!(own_parameters("mysql://h/db").is_err());
        assert!(connector(Tls::VerifyFull, Some("/no/such/file.pem")).is_err());
    }
}

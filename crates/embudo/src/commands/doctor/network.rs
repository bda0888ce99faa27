//! Whether a server can be reached: name, connection, TLS. No byte of a request is sent.

use super::{Fault, Found};
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection};
use rustls_platform_verifier::BuilderVerifierExt as _;
use std::io;
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// How long a connection, and each answer on it, may take.
const PATIENCE: Duration = Duration::from_secs(4);

/// Whether a webhook's server can be reached.
pub fn reach(url: &Url) -> Found {
    let host = url.host_str().unwrap_or_default();
    let port = url.port_or_known_default().unwrap_or(443);
    let stream = connect(host, port)?;
    let at = format!("{host}:{port}");
    if url.scheme() == "https" {
        encrypt(stream, host)?;
        return Ok(format!("{at} answers with a valid certificate (no request was sent)"));
    }
    Ok(format!("{at} accepts connections, not encrypted (no request was sent)"))
}

/// Resolves the name and connects to the first address that answers.
fn connect(host: &str, port: u16) -> Result<TcpStream, Fault> {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let addresses = (bare, port).to_socket_addrs().map_err(|error| {
        Fault::new(format!("{host} has no address: {error}"), "check the name and this machine's DNS")
    })?;
    let mut last = io::Error::other("the name has no address");
    for address in addresses {
        match TcpStream::connect_timeout(&address, PATIENCE) {
            Ok(stream) => {
                let timed =
                    stream.set_read_timeout(Some(PATIENCE)).and(stream.set_write_timeout(Some(PATIENCE)));
                timed.map_err(|error| Fault::new(error.to_string(), "report this defect"))?;
                return Ok(stream);
            }
            Err(error) => last = error,
        }
    }
    let mend = match last.kind() {
        io::ErrorKind::ConnectionRefused => "start the server there, or correct the port",
        _ => "check the address, the network and any firewall between here and there",
    };
    Err(Fault::new(format!("{host}:{port} cannot be reached: {last}"), mend))
}

/// Does the TLS handshake. The certificate must be valid by this machine's own list of authorities.
fn encrypt(mut stream: TcpStream, host: &str) -> Result<(), Fault> {
    let bare = host.trim_start_matches('[').trim_end_matches(']').to_owned();
    let failed = |error: &dyn std::fmt::Display| {
        let mend = "check the server's certificate (name, dates, chain) and that the port speaks TLS";
        Fault::new(format!("{host}: TLS failed: {error}"), mend)
    };
    let name = ServerName::try_from(bare).map_err(|error| failed(&error))?;
    let builder = ClientConfig::builder().with_platform_verifier().map_err(|error| failed(&error))?;
    let config = Arc::new(builder.with_no_client_auth());
    let mut connection = ClientConnection::new(config, name).map_err(|error| failed(&error))?;
    while connection.is_handshaking() {
        connection.complete_io(&mut stream).map_err(|error| failed(&error))?;
    }
    Ok(())
}

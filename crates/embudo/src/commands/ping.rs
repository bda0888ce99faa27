//! `embudo ping`: whether the server of these settings is ready, for health checks of containers that have no curl.

use std::error::Error;
use std::io::{Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::process::ExitCode;
use std::time::Duration;

use crate::logging;
use crate::settings::Settings;

/// The time limit for each step; a container's health check has five seconds in all.
const PATIENCE: Duration = Duration::from_secs(1);
/// How many bytes of the answer are read: enough for the status.
const STATUS_LINE: usize = 64;

/// Requests `/readyz` on this machine. Exit code 1 if the server is not ready, or does not answer.
pub fn run(settings: &Settings) -> Result<ExitCode, Box<dyn Error>> {
    let address = here(settings.bind);
    let status = ask(address).map_err(|error| format!("no server answers at {address}: {error}"))?;
    logging::print(&format!("{address} answers {status}\n"))?;
    Ok(if status == "200" { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn ask(address: SocketAddr) -> std::io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    write!(stream, "GET /readyz HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n")?;
    let mut answer = [0; STATUS_LINE];
    stream.read_exact(&mut answer)?;
    let line = String::from_utf8_lossy(&answer).into_owned();
    Ok(line.split_whitespace().nth(1).unwrap_or_default().to_owned())
}

/// An address to connect to, also if the server listens on all networks.
pub(super) fn here(mut bind: SocketAddr) -> SocketAddr {
    if bind.ip().is_unspecified() {
        let loopback: (IpAddr, IpAddr) = (Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into());
        bind.set_ip(if bind.is_ipv4() { loopback.0 } else { loopback.1 });
    }
    bind
}

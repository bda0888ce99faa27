//! Deliveries against counterparts that misbehave.

#![allow(clippy::unwrap_used)]

mod buzones;
mod cuerpos;
mod descargas;
mod mensajes;
mod receptores;

use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::{TcpListener, TcpSocket, TcpStream};

/// A port whose queue is full: a new connection to it is neither taken nor refused.
struct Sordo {
    direccion: SocketAddr,
    _listener: TcpListener,
    _cola: Vec<TcpStream>,
}

async fn sordo() -> Sordo {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(1).unwrap();
    let direccion = listener.local_addr().unwrap();
    let mut cola = Vec::new();
    // How many fit is the system's business; the first that has to wait says that it is full.
    while let Ok(entrada) =
        tokio::time::timeout(Duration::from_millis(300), TcpStream::connect(direccion)).await
    {
        cola.push(entrada.unwrap());
    }
    Sordo { direccion, _listener: listener, _cola: cola }
}

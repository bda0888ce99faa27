//! Deliveries against counterparts that misbehave.

#![allow(clippy::unwrap_used)]

mod bodies;
mod fetches;
mod mailboxes;
mod messages;
mod receivers;

use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::{TcpListener, TcpSocket, TcpStream};

/// A port whose queue is full: a new connection to it is neither accepted nor refused.
struct Deaf {
    address: SocketAddr,
    _listener: TcpListener,
    _outbox: Vec<TcpStream>,
}

async fn deaf() -> Deaf {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(1).unwrap();
    let address = listener.local_addr().unwrap();
    let mut outbox = Vec::new();
    // The system decides how many connections fit; the first one that has to wait shows that the queue is full.
    while let Ok(input) = tokio::time::timeout(Duration::from_millis(300), TcpStream::connect(address)).await
    {
        outbox.push(input.unwrap());
    }
    Deaf { address, _listener: listener, _outbox: outbox }
}

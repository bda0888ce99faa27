//! A proxy that looks to clients like a server of a cluster: it forwards to the real server as a primary that accepts
//! writes, or as a standby that only reads, or it is frozen.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// The end of an answer: ready for a query, outside of a transaction.
const READY: &[u8] = b"Z\0\0\0\x05I";
const READ_ONLY: &[u8] = b"SET default_transaction_read_only = on\0";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Primary,
    Standby,
    /// The kernel still accepts connections; nobody answers them.
    Frozen,
}

pub struct Node {
    pub address: String,
    pub role: watch::Sender<Role>,
    /// How many connections were ever accepted, and how many are open.
    pub taken: Arc<AtomicUsize>,
    pub open: Arc<AtomicUsize>,
}

impl Node {
    /// A node in front of the server at this address.
    pub async fn before(server: &str, role: Role) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address").to_string();
        let (role, taken, open) = (watch::Sender::new(role), Arc::default(), Arc::default());
        let node = Self { address, role, taken, open };
        let (server, role) = (server.to_owned(), node.role.subscribe());
        let (taken, open) = (Arc::clone(&node.taken), Arc::clone(&node.open));
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                taken.fetch_add(1, Ordering::SeqCst);
                open.fetch_add(1, Ordering::SeqCst);
                let (server, role, open) = (server.clone(), role.clone(), Arc::clone(&open));
                tokio::spawn(async move {
                    let _ = serve(client, &server, role).await;
                    open.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        node
    }

    pub fn is(&self, role: Role) {
        self.role.send_replace(role);
    }

    pub fn taken(&self) -> usize {
        self.taken.load(Ordering::SeqCst)
    }

    /// Waits until nobody is connected any more.
    pub async fn is_left(&self) {
        while self.open.load(Ordering::SeqCst) > 0 {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    }
}

async fn serve(mut client: TcpStream, server: &str, mut role: watch::Receiver<Role>) -> std::io::Result<()> {
    let mut hello = vec![0; 4];
    client.read_exact(&mut hello).await?;
    let length = u32::from_be_bytes(hello[..4].try_into().expect("four bytes")) as usize;
    hello.resize(length, 0);
    client.read_exact(&mut hello[4..]).await?;
    let mut is_standby = match *role.wait_for(|role| *role != Role::Frozen).await.expect("the test goes on") {
        Role::Standby => {
            hello.pop();
            hello.extend_from_slice(b"options\0-c default_transaction_read_only=on\0\0");
            let length = u32::try_from(hello.len()).expect("small");
            hello[..4].copy_from_slice(&length.to_be_bytes());
            true
        }
        _ => false,
    };
    let mut server = TcpStream::connect(server).await?;
    server.write_all(&hello).await?;
    let (mut up, mut down) = (vec![0; 64 << 10], vec![0; 64 << 10]);
    loop {
        let now = *role.borrow_and_update();
        if now == Role::Standby && !is_standby {
            become_standby(&mut server).await?;
            is_standby = true;
        }
        if now == Role::Frozen {
            // A frozen node must notice too that its client disconnected.
            tokio::select! {
                _ = role.changed() => continue,
                end = closed(&client) => return end,
            }
        }
        tokio::select! {
            _ = role.changed() => {}
            many = client.read(&mut up) => match many? {
                0 => return Ok(()),
                many => server.write_all(&up[..many]).await?,
            },
            many = server.read(&mut down) => match many? {
                0 => return Ok(()),
                many => client.write_all(&down[..many]).await?,
            },
        }
    }
}

/// Makes the session read-only. No statement may be running.
async fn become_standby(server: &mut TcpStream) -> std::io::Result<()> {
    let mut query = b"Q".to_vec();
    let length = u32::try_from(READ_ONLY.len() + 4).expect("small");
    query.extend_from_slice(&length.to_be_bytes());
    query.extend_from_slice(READ_ONLY);
    server.write_all(&query).await?;
    let mut said = Vec::new();
    while !said.ends_with(READY) {
        if server.read_buf(&mut said).await? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
    }
    Ok(())
}

async fn closed(client: &TcpStream) -> std::io::Result<()> {
    let mut byte = [0];
    while client.peek(&mut byte).await? > 0 {
        // The client's bytes stay unread until the node wakes up.
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    Ok(())
}

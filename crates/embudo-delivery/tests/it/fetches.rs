//! Fetches of URLs from outside: what is reached, what is not, and how long it may take.

mod encodings;
mod guarded;
mod manners;
mod names;

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use embudo_delivery::fetch::{Fetcher, Resolver, Rules};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// More time than a fetch in these tests needs.
const LENGTH: Duration = Duration::from_secs(8);

/// Rules that open these hosts.
fn rules(allowed: &[&str]) -> Rules {
    Rules::with(allowed.iter().map(|p| p.parse().unwrap()).collect())
}

/// A server that does the same with every connection, and counts them. It ends with the test.
struct Server {
    address: SocketAddr,
    connections: Arc<AtomicUsize>,
    task: JoinHandle<()>,
}

impl Server {
    async fn start<F>(at: &str, make: impl Fn(TcpStream) -> F + Send + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind(at).await.unwrap();
        let address = listener.local_addr().unwrap();
        let connections = Arc::new(AtomicUsize::new(0));
        let account = Arc::clone(&connections);
        let task = tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                account.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(make(socket));
            }
        });
        Self { address, connections, task }
    }

    /// Answers every request with these bytes and closes.
    async fn what_says(answer: impl Into<Vec<u8>>) -> Self {
        let answer = Arc::new(answer.into());
        Self::start("127.0.0.1:0", move |mut socket| {
            let answer = Arc::clone(&answer);
            async move {
                read_head(&mut socket).await;
                let _ = socket.write_all(&answer).await;
                let _ = socket.shutdown().await;
            }
        })
        .await
    }

    fn port(&self) -> u16 {
        self.address.port()
    }

    fn url(&self) -> String {
        format!("http://{}/foto.jpg?firma=SECRETO", self.address)
    }

    /// A client that may reach this server.
    fn fetches(&self) -> Fetcher {
        Fetcher::new(rules(&[&self.address.to_string()])).unwrap()
    }

    /// How many clients connected. The server accepts in order: once our own connection counts, so do earlier ones.
    async fn how_many(&self) -> usize {
        let before = self.connections.load(Ordering::SeqCst);
        let _own = TcpStream::connect(self.address).await.unwrap();
        while self.connections.load(Ordering::SeqCst) == before {
            tokio::task::yield_now().await;
        }
        self.connections.fetch_sub(1, Ordering::SeqCst) - 1
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Reads a request's head and returns it.
async fn read_head(socket: &mut TcpStream) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match socket.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => break,
        }
    }
    String::from_utf8_lossy(&head).into_owned()
}

/// Answers from a list, repeating the last answer for ever, and remembers the questions.
#[derive(Default)]
struct Script {
    answers: Vec<Vec<IpAddr>>,
    questions: Mutex<Vec<String>>,
}

impl Script {
    fn new(answers: &[&[&str]]) -> Arc<Self> {
        let ips = |r: &&[&str]| -> Vec<IpAddr> { r.iter().map(|ip| ip.parse().unwrap()).collect() };
        Arc::new(Self { answers: answers.iter().map(ips).collect(), questions: Mutex::default() })
    }

    fn questions(&self) -> Vec<String> {
        self.questions.lock().unwrap().clone()
    }
}

#[async_trait]
impl Resolver for Script {
    async fn resolve(&self, nombre: &str) -> io::Result<Vec<IpAddr>> {
        let mut questions = self.questions.lock().unwrap();
        questions.push(nombre.to_owned());
        let n = (questions.len() - 1).min(self.answers.len().saturating_sub(1));
        self.answers.get(n).cloned().ok_or_else(|| io::Error::other("no such name"))
    }
}

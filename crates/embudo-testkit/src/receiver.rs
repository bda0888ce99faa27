//! A webhook receiver that misbehaves as a test requires.
//!
//! It is a real HTTP/1.1 server on a free loopback port, written directly on the socket, because no regular library
//! would reset, stall or cut a response in the middle. It records every request that it read.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpListener;
use tokio::task::{AbortHandle, JoinSet};

use crate::script::Script;
use crate::stream::{Certificate, Stream};

/// How the receiver treats one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Manner {
    Ok,
    Responds {
        status: u16,
        /// Headers in addition to the default ones.
        headers: Vec<(String, String)>,
        body: Vec<u8>,
    },
    /// The connection is reset before anything is read.
    RstOnConnect,
    /// The connection is reset after the request's headers were read.
    RstAfterHeaders,
    /// The connection is reset after the whole request was read.
    RstAfterBody,
    /// The response stops in the middle of its headers until [`Receiver::release`].
    SlowHeaders,
    /// The status is 200, and the response stops in the middle of its body until [`Receiver::release`].
    SlowBody,
    /// The status is 200, and the whole response is sent after [`Receiver::release`].
    Late,
    /// The receiver closes its sending side without a response, but continues to read.
    HalfClose,
    /// The status is 200, and the connection is closed in the middle of the body.
    ClosesInBody,
}

impl Manner {
    /// An empty response with this status.
    pub fn state(status: u16) -> Self {
        Self::Responds { status, headers: Vec::new(), body: Vec::new() }
    }

    /// A response with this status and a `Retry-After` header.
    pub fn retries(status: u16, retry_after: &str) -> Self {
        Self::Responds { status, headers: vec![("retry-after".into(), retry_after.into())], body: Vec::new() }
    }

    /// A redirect.
    pub fn redirects(status: u16, location: &str) -> Self {
        Self::Responds { status, headers: vec![("location".into(), location.into())], body: Vec::new() }
    }

    /// A response with status 200 and this body.
    pub fn body(body: impl Into<Vec<u8>>) -> Self {
        Self::Responds { status: 200, headers: Vec::new(), body: body.into() }
    }
}

/// A request that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    /// The number of the connection, counted from 0.
    pub connection: usize,
    pub method: String,
    pub path: String,
    /// The headers, with names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body, as far as it was read.
    pub body: Vec<u8>,
}

impl Received {
    /// The value of a header.
    pub fn header(&self, nombre: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == nombre).map(|(_, v)| v.as_str())
    }

    /// The body as JSON.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).expect("the body is JSON")
    }
}

/// The running receiver. Dropping it closes all connections.
pub struct Receiver {
    pub address: SocketAddr,
    schema: &'static str,
    script: Arc<Script<Manner, Received>>,
    task: AbortHandle,
}

impl Receiver {
    /// Starts a receiver without encryption that answers 200 until a test changes that.
    pub async fn start() -> Self {
        Self::open(None).await
    }

    /// Starts a receiver that uses TLS with this certificate.
    pub async fn with_tls(certificate: Certificate) -> Self {
        Self::open(Some(certificate)).await
    }

    async fn open(certificate: Option<Certificate>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let script = Arc::new(Script::new(Manner::Ok));
        let schema = if certificate.is_some() { "https" } else { "http" };
        let task = tokio::spawn(accept(listener, Arc::clone(&script), certificate.map(Arc::new)));
        Self { address, schema, script, task: task.abort_handle() }
    }

    pub fn url(&self) -> String {
        format!("{}://{}/gancho", self.schema, self.address)
    }

    /// Sets the treatment of the next requests, in order. Later requests get the treatment of [`Receiver::always`],
    /// which is 200 by default.
    pub fn manners(&self, manners: impl IntoIterator<Item = Manner>) {
        self.script.push(manners);
    }

    /// Sets the treatment of every request that the script does not cover.
    pub fn always(&self, manner: Manner) {
        self.script.always(manner);
    }

    /// Lets one stalled response continue, now or as soon as it stalls.
    pub fn release(&self) {
        self.script.release();
    }

    /// The requests so far.
    pub fn received(&self) -> Vec<Received> {
        self.script.all()
    }

    /// Waits until `n` requests arrived, and returns all of them.
    pub async fn await_requests(&self, n: usize) -> Vec<Received> {
        self.script.await_count(n).await
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.task.abort();
    }
}

type HttpScript = Script<Manner, Received>;

async fn accept(listener: TcpListener, script: Arc<HttpScript>, certificate: Option<Arc<Certificate>>) {
    // The set is dropped with this task, which closes its connections.
    let mut connections = JoinSet::new();
    let mut connection = 0;
    while let Ok((tcp, _)) = listener.accept().await {
        let (script, certificate) = (Arc::clone(&script), certificate.clone());
        connections.spawn(async move {
            let stream = Stream::Plain(tcp);
            if script.take_if(|m| *m == Manner::RstOnConnect).is_some() {
                return stream.rst();
            }
            let stream = match certificate {
                Some(certificate) => stream.encrypt(&certificate).await,
                None => Ok(stream),
            };
            if let Ok(stream) = stream {
                // A client that disconnects does not make the test fail.
                let _ = attend(BufReader::new(stream), &script, connection).await;
            }
        });
        connection += 1;
    }
}

async fn attend(mut stream: BufReader<Stream>, script: &HttpScript, connection: usize) -> io::Result<()> {
    while let Some(mut received) = read_head(&mut stream, connection).await? {
        let manner = script.take();
        if matches!(manner, Manner::RstOnConnect | Manner::RstAfterHeaders) {
            script.record(received);
            stream.into_inner().rst();
            return Ok(());
        }
        received.body = read_body(&mut stream, &received).await?;
        script.record(received);
        match manner {
            Manner::RstAfterBody => {
                stream.into_inner().rst();
                return Ok(());
            }
            Manner::HalfClose => {
                stream.shutdown().await?;
                // Reads until the client closes the connection.
                let _ = stream.read_to_end(&mut Vec::new()).await;
                return Ok(());
            }
            Manner::ClosesInBody => {
                stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nmedia resp").await?;
                return stream.shutdown().await;
            }
            Manner::SlowHeaders => {
                stream.write_all(b"HTTP/1.1 200 OK\r\nx-lenta: s").await?;
                script.wait().await;
                stream.write_all(b"i\r\ncontent-length: 0\r\n\r\n").await?;
            }
            Manner::SlowBody => {
                stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nmedio").await?;
                script.wait().await;
                stream.write_all(b"medio").await?;
            }
            Manner::Late => {
                script.wait().await;
                respond(&mut stream, 200, &[], b"").await?;
            }
            Manner::Responds { status, headers, body } => {
                respond(&mut stream, status, &headers, &body).await?;
            }
            Manner::Ok | Manner::RstOnConnect | Manner::RstAfterHeaders => {
                respond(&mut stream, 200, &[], br#"{"ok":true}"#).await?;
            }
        }
    }
    Ok(())
}

async fn respond(
    stream: &mut BufReader<Stream>,
    status: u16,
    headers: &[(String, String)],
    body: &[u8],
) -> io::Result<()> {
    let mut head = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n", body.len());
    for (nombre, value) in headers {
        head += &format!("{nombre}: {value}\r\n");
    }
    head += "\r\n";
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(body).await?;
    stream.flush().await
}

async fn read_head(stream: &mut BufReader<Stream>, connection: usize) -> io::Result<Option<Received>> {
    let mut line = String::new();
    if stream.read_line(&mut line).await? == 0 {
        return Ok(None);
    }
    let mut parts = line.split_whitespace().map(str::to_owned);
    let (method, path) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await?;
        let Some((nombre, value)) = line.trim_end().split_once(':') else { break };
        headers.push((nombre.to_lowercase(), value.trim().to_owned()));
    }
    Ok(Some(Received { connection, method, path, headers, body: Vec::new() }))
}

async fn read_body(stream: &mut BufReader<Stream>, received: &Received) -> io::Result<Vec<u8>> {
    if let Some(len) = received.header("content-length") {
        let mut body = vec![0; len.parse().map_err(io::Error::other)?];
        stream.read_exact(&mut body).await?;
        return Ok(body);
    }
    let mut body = Vec::new();
    if received.header("transfer-encoding").is_some() {
        loop {
            let mut line = String::new();
            stream.read_line(&mut line).await?;
            let len = usize::from_str_radix(line.trim(), 16).map_err(io::Error::other)?;
            let since = body.len();
            // A line break follows every chunk, including the last, empty one.
            body.resize(since + len + 2, 0);
            stream.read_exact(&mut body[since..]).await?;
            body.truncate(since + len);
            if len == 0 {
                break;
            }
        }
    }
    Ok(body)
}

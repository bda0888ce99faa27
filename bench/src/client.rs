//! One keep-alive connection. The request is handed over ready-made and the answer is read with as little work as
//! possible, because client and server share the machine: the client's work leaves the server less processor time.

use std::io;
use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::failure::Result;
use crate::http::{Head, parse_head};

/// A server to call.
#[derive(Clone, Debug)]
pub struct Target {
    pub addr: SocketAddr,
    pub key: String,
}

impl Target {
    /// The head of a request up to the blank line.
    pub fn head(&self, method: &str, path: &str, body_len: usize) -> String {
        format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
             Content-Length: {body_len}\r\n\r\n",
            self.addr, self.key
        )
    }
}

/// A connection and its read buffer.
pub struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
    filled: usize,
}

/// An answer, read to its end.
pub struct Answer {
    pub status: u16,
    pub closes: bool,
    body: std::ops::Range<usize>,
}

impl Connection {
    pub async fn open(addr: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(addr).await.map_err(|e| format!("{addr} does not answer: {e}"))?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, buffer: vec![0; 8 * 1024], filled: 0 })
    }

    /// Sends `head` and then `tail`, and reads the answer. A server may refuse a large body before it has read all of
    /// it: then writing fails, but its answer is still worth reading.
    pub async fn call(&mut self, head: &[u8], tail: &[u8]) -> Result<Answer> {
        let sent = self.send(head, tail).await;
        match self.receive().await {
            Ok(answer) => Ok(answer),
            Err(error) => Err(match sent {
                Err(sent) => format!("sending failed: {sent}").into(),
                Ok(()) => error,
            }),
        }
    }

    /// The body of the last answer.
    pub fn body(&self, answer: &Answer) -> &[u8] {
        &self.buffer[answer.body.clone()]
    }

    async fn send(&mut self, head: &[u8], tail: &[u8]) -> io::Result<()> {
        self.stream.write_all(head).await?;
        if tail.is_empty() { Ok(()) } else { self.stream.write_all(tail).await }
    }

    async fn receive(&mut self) -> Result<Answer> {
        self.filled = 0;
        let mut head: Option<Head> = None;
        loop {
            if let Some(head) = &head {
                let end = head.body_at + head.body_len;
                if self.filled == end {
                    return Ok(Answer { status: head.status, closes: head.closes, body: head.body_at..end });
                }
                if self.filled > end {
                    return Err("more bytes than Content-Length announces".into());
                }
                self.buffer.resize(self.buffer.len().max(end + 1), 0);
            } else if self.filled == self.buffer.len() {
                return Err("the head of the answer does not end".into());
            }
            let n = self.stream.read(&mut self.buffer[self.filled..]).await?;
            if n == 0 {
                return Err("the server closed the connection without an answer".into());
            }
            self.filled += n;
            if head.is_none() {
                head = parse_head(&self.buffer[..self.filled])?;
            }
        }
    }
}

/// One call outside a measurement: status and body.
pub fn call_once(target: &Target, method: &str, path: &str, body: &[u8]) -> Result<(u16, Vec<u8>)> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut connection = Connection::open(target.addr).await?;
        let answer = connection.call(target.head(method, path, body.len()).as_bytes(), body).await?;
        Ok((answer.status, connection.body(&answer).to_vec()))
    })
}

//! A client that can stop in the middle of a request, which no client library allows.

use crate::place::Server;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

pub struct Answer {
    pub status: u16,
    pub body: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

/// One request on a connection of its own.
pub fn call(server: &Server<'_>, method: &str, path: &str, body: &str) -> Answer {
    let head = format!("authorization: Bearer {}\r\nconnection: close\r\n", server.key);
    call_at(server.address(), method, path, &head, body)
}

pub fn call_at(address: &str, method: &str, path: &str, head: &str, body: &str) -> Answer {
    call_as("x", address, method, path, head, body)
}

/// Like [`call_at`], with another `Host` header.
pub fn call_as(host: &str, address: &str, method: &str, path: &str, head: &str, body: &str) -> Answer {
    let mut stream = connect(address);
    let length = body.len();
    let text =
        format!("{method} {path} HTTP/1.1\r\nhost: {host}\r\n{head}content-length: {length}\r\n\r\n{body}");
    stream.write_all(text.as_bytes()).unwrap();
    read_answer(&mut BufReader::new(stream))
}

fn connect(address: &str) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    stream
}

fn read_answer(stream: &mut BufReader<TcpStream>) -> Answer {
    let mut line = String::new();
    stream.read_line(&mut line).unwrap();
    let status = line.split(' ').nth(1).unwrap_or_else(|| panic!("no answer: {line:?}")).parse().unwrap();
    let mut length = 0;
    loop {
        line.clear();
        stream.read_line(&mut line).unwrap();
        if line.trim().is_empty() {
            break;
        }
        let (name, value) = line.split_once(':').unwrap();
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).unwrap();
    Answer { status, body: String::from_utf8(body).unwrap() }
}

/// A request whose answer was not read yet. It may be sent only in part so far.
pub struct InFlight {
    stream: BufReader<TcpStream>,
    rest: String,
}

impl InFlight {
    /// Sends the head of a new lead and waits until the server asks for the body.
    pub fn start(server: &Server<'_>) -> Self {
        let body = r#"{"nombre":"Ana","telefono":"612345678","email":"ana@ejemplo.es"}"#;
        let mut stream = connect(server.address());
        let head = format!(
            "POST /api/leads HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\nexpect: 100-continue\r\n\
             content-length: {}\r\n\r\n",
            server.key,
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut stream = BufReader::new(stream);
        assert_eq!(read_answer(&mut stream).status, 100);
        Self { stream, rest: body.to_owned() }
    }

    /// Sends a whole request and does not wait for its answer.
    pub fn send(server: &Server<'_>, path: &str, body: &str) -> Self {
        let mut stream = connect(server.address());
        let (key, length) = (&server.key, body.len());
        let text = format!(
            "POST {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {key}\r\ncontent-length: {length}\r\n\r\n{body}"
        );
        stream.write_all(text.as_bytes()).unwrap();
        Self { stream: BufReader::new(stream), rest: String::new() }
    }

    /// Reads the answer to a whole request.
    pub fn answer(self) -> Answer {
        self.finish()
    }

    /// Sends the body and reads the answer.
    pub fn finish(mut self) -> Answer {
        self.stream.get_mut().write_all(self.rest.as_bytes()).unwrap();
        read_answer(&mut self.stream)
    }
}

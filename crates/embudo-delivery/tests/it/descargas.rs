//! Fetches of URLs from outside: what is reached, what is not, and how long it may take.

mod encodings;
mod maneras;
mod nombres;

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use embudo_delivery::descarga::{Descargas, Reglas, Resolver};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// More than a fetch in these tests needs.
const LARGO: Duration = Duration::from_secs(8);

/// Rules that open these hosts.
fn reglas(permitidos: &[&str]) -> Reglas {
    Reglas::con(permitidos.iter().map(|p| p.parse().unwrap()).collect())
}

/// A server that does the same with every connection, and counts them. It ends with the test.
struct Servidor {
    direccion: SocketAddr,
    conexiones: Arc<AtomicUsize>,
    tarea: JoinHandle<()>,
}

impl Servidor {
    async fn arrancar<F>(en: &str, hacer: impl Fn(TcpStream) -> F + Send + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind(en).await.unwrap();
        let direccion = listener.local_addr().unwrap();
        let conexiones = Arc::new(AtomicUsize::new(0));
        let cuenta = Arc::clone(&conexiones);
        let tarea = tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                cuenta.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(hacer(socket));
            }
        });
        Self { direccion, conexiones, tarea }
    }

    /// Answers every request with these bytes and closes.
    async fn que_dice(respuesta: impl Into<Vec<u8>>) -> Self {
        let respuesta = Arc::new(respuesta.into());
        Self::arrancar("127.0.0.1:0", move |mut socket| {
            let respuesta = Arc::clone(&respuesta);
            async move {
                leer_cabeza(&mut socket).await;
                let _ = socket.write_all(&respuesta).await;
                let _ = socket.shutdown().await;
            }
        })
        .await
    }

    fn puerto(&self) -> u16 {
        self.direccion.port()
    }

    fn url(&self) -> String {
        format!("http://{}/foto.jpg?firma=SECRETO", self.direccion)
    }

    /// A client that may reach this server.
    fn descargas(&self) -> Descargas {
        Descargas::new(reglas(&[&self.direccion.to_string()])).unwrap()
    }

    /// How many connected. Connections are taken in order: once our own is counted, every earlier one is.
    async fn cuantas(&self) -> usize {
        let antes = self.conexiones.load(Ordering::SeqCst);
        let _propia = TcpStream::connect(self.direccion).await.unwrap();
        while self.conexiones.load(Ordering::SeqCst) == antes {
            tokio::task::yield_now().await;
        }
        self.conexiones.fetch_sub(1, Ordering::SeqCst) - 1
    }
}

impl Drop for Servidor {
    fn drop(&mut self) {
        self.tarea.abort();
    }
}

/// Reads a request's head and gives it.
async fn leer_cabeza(socket: &mut TcpStream) -> String {
    let mut cabeza = Vec::new();
    while !cabeza.ends_with(b"\r\n\r\n") {
        match socket.read_u8().await {
            Ok(byte) => cabeza.push(byte),
            Err(_) => break,
        }
    }
    String::from_utf8_lossy(&cabeza).into_owned()
}

/// Answers from a list, the last one for ever, and remembers what it was asked.
#[derive(Default)]
struct Guion {
    respuestas: Vec<Vec<IpAddr>>,
    preguntas: Mutex<Vec<String>>,
}

impl Guion {
    fn nuevo(respuestas: &[&[&str]]) -> Arc<Self> {
        let ips = |r: &&[&str]| -> Vec<IpAddr> { r.iter().map(|ip| ip.parse().unwrap()).collect() };
        Arc::new(Self { respuestas: respuestas.iter().map(ips).collect(), preguntas: Mutex::default() })
    }

    fn preguntas(&self) -> Vec<String> {
        self.preguntas.lock().unwrap().clone()
    }
}

#[async_trait]
impl Resolver for Guion {
    async fn resolve(&self, nombre: &str) -> io::Result<Vec<IpAddr>> {
        let mut preguntas = self.preguntas.lock().unwrap();
        preguntas.push(nombre.to_owned());
        let n = (preguntas.len() - 1).min(self.respuestas.len().saturating_sub(1));
        self.respuestas.get(n).cloned().ok_or_else(|| io::Error::other("no such name"))
    }
}

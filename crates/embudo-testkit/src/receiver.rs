//! A webhook receiver that misbehaves to order.
//!
//! A real HTTP/1.1 server on a free loopback port, written on the bare socket because no well-behaved library would
//! reset, stall or cut an answer in the middle. It records every request that it read.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpListener;
use tokio::task::{AbortHandle, JoinSet};

use crate::script::Script;
use crate::stream::{Certificate, Stream};

/// How one request is treated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Manner {
    /// 200.
    Ok,
    /// This answer, whole.
    Responde {
        /// Status.
        status: u16,
        /// Headers beside the usual ones.
        cabeceras: Vec<(String, String)>,
        /// Body.
        cuerpo: Vec<u8>,
    },
    /// The connection is reset before anything is read.
    RstAlConectar,
    /// Reset once the request's headers were read.
    RstTrasCabeceras,
    /// Reset once the whole request was read.
    RstTrasCuerpo,
    /// The answer's headers stop in the middle until [`Receiver::soltar`].
    CabecerasLentas,
    /// 200, and its body stops in the middle until [`Receiver::soltar`].
    CuerpoLento,
    /// 200, all of it after [`Receiver::soltar`].
    Tarde,
    /// The receiver's side is closed without an answer while it goes on listening.
    MedioCierre,
    /// 200, and the connection is closed in the middle of its body.
    CierraEnCuerpo,
}

impl Manner {
    /// An empty answer of this status.
    pub fn estado(status: u16) -> Self {
        Self::Responde { status, cabeceras: Vec::new(), cuerpo: Vec::new() }
    }

    /// This status with a `Retry-After`.
    pub fn reintenta(status: u16, retry_after: &str) -> Self {
        Self::Responde {
            status,
            cabeceras: vec![("retry-after".into(), retry_after.into())],
            cuerpo: Vec::new(),
        }
    }

    /// A redirection.
    pub fn redirige(status: u16, location: &str) -> Self {
        Self::Responde { status, cabeceras: vec![("location".into(), location.into())], cuerpo: Vec::new() }
    }

    /// 200 with this body.
    pub fn cuerpo(cuerpo: impl Into<Vec<u8>>) -> Self {
        Self::Responde { status: 200, cabeceras: Vec::new(), cuerpo: cuerpo.into() }
    }
}

/// A request that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    /// Which connection it came by, counted from 0.
    pub conexion: usize,
    /// Method.
    pub metodo: String,
    /// Path and query.
    pub ruta: String,
    /// Headers, names in lower case.
    pub cabeceras: Vec<(String, String)>,
    /// The body, as far as it was read.
    pub cuerpo: Vec<u8>,
}

impl Received {
    /// A header's value.
    pub fn cabecera(&self, nombre: &str) -> Option<&str> {
        self.cabeceras.iter().find(|(n, _)| n == nombre).map(|(_, v)| v.as_str())
    }

    /// The body as JSON.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.cuerpo).expect("the body is JSON")
    }
}

/// The receiver; dropping it closes everything.
pub struct Receiver {
    /// Where it listens.
    pub direccion: SocketAddr,
    esquema: &'static str,
    script: Arc<Script<Manner, Received>>,
    tarea: AbortHandle,
}

impl Receiver {
    /// Starts one in the clear that answers 200 until it is told otherwise.
    pub async fn arrancar() -> Self {
        Self::abrir(None).await
    }

    /// Starts one that speaks TLS under this certificate.
    pub async fn con_tls(certificado: Certificate) -> Self {
        Self::abrir(Some(certificado)).await
    }

    async fn abrir(certificado: Option<Certificate>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let direccion = listener.local_addr().unwrap();
        let script = Arc::new(Script::new(Manner::Ok));
        let esquema = if certificado.is_some() { "https" } else { "http" };
        let tarea = tokio::spawn(accept(listener, Arc::clone(&script), certificado.map(Arc::new)));
        Self { direccion, esquema, script, tarea: tarea.abort_handle() }
    }

    /// Its URL.
    pub fn url(&self) -> String {
        format!("{}://{}/gancho", self.esquema, self.direccion)
    }

    /// The manners of the next requests, in order; afterwards 200 again.
    pub fn manners(&self, maneras: impl IntoIterator<Item = Manner>) {
        self.script.push(maneras);
    }

    /// The manner of every request that no script covers.
    pub fn siempre(&self, manera: Manner) {
        self.script.siempre(manera);
    }

    /// Lets one stalled answer go on, now or when it stalls.
    pub fn soltar(&self) {
        self.script.soltar();
    }

    /// What came so far.
    pub fn received(&self) -> Vec<Received> {
        self.script.todo()
    }

    /// Waits until `n` requests came, and returns all.
    pub async fn await_requests(&self, n: usize) -> Vec<Received> {
        self.script.await_count(n).await
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.tarea.abort();
    }
}

type GuionHttp = Script<Manner, Received>;

async fn accept(listener: TcpListener, script: Arc<GuionHttp>, certificado: Option<Arc<Certificate>>) {
    // Ends with this task, and its connections with it.
    let mut conexiones = JoinSet::new();
    let mut conexion = 0;
    while let Ok((tcp, _)) = listener.accept().await {
        let (script, certificado) = (Arc::clone(&script), certificado.clone());
        conexiones.spawn(async move {
            let stream = Stream::Plain(tcp);
            if script.take_if(|m| *m == Manner::RstAlConectar).is_some() {
                return stream.rst();
            }
            let stream = match certificado {
                Some(certificado) => stream.cifrar(&certificado).await,
                None => Ok(stream),
            };
            if let Ok(stream) = stream {
                // A client that hangs up is no failure of the test.
                let _ = attend(BufReader::new(stream), &script, conexion).await;
            }
        });
        conexion += 1;
    }
}

async fn attend(mut stream: BufReader<Stream>, script: &GuionHttp, conexion: usize) -> io::Result<()> {
    while let Some(mut recibida) = read_head(&mut stream, conexion).await? {
        let manera = script.take();
        if matches!(manera, Manner::RstAlConectar | Manner::RstTrasCabeceras) {
            script.record(recibida);
            stream.into_inner().rst();
            return Ok(());
        }
        recibida.cuerpo = read_body(&mut stream, &recibida).await?;
        script.record(recibida);
        match manera {
            Manner::RstTrasCuerpo => {
                stream.into_inner().rst();
                return Ok(());
            }
            Manner::MedioCierre => {
                stream.shutdown().await?;
                // Listens until the client is gone.
                let _ = stream.read_to_end(&mut Vec::new()).await;
                return Ok(());
            }
            Manner::CierraEnCuerpo => {
                stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nmedia resp").await?;
                return stream.shutdown().await;
            }
            Manner::CabecerasLentas => {
                stream.write_all(b"HTTP/1.1 200 OK\r\nx-lenta: s").await?;
                script.esperar().await;
                stream.write_all(b"i\r\ncontent-length: 0\r\n\r\n").await?;
            }
            Manner::CuerpoLento => {
                stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nmedio").await?;
                script.esperar().await;
                stream.write_all(b"medio").await?;
            }
            Manner::Tarde => {
                script.esperar().await;
                respond(&mut stream, 200, &[], b"").await?;
            }
            Manner::Responde { status, cabeceras, cuerpo } => {
                respond(&mut stream, status, &cabeceras, &cuerpo).await?;
            }
            Manner::Ok | Manner::RstAlConectar | Manner::RstTrasCabeceras => {
                respond(&mut stream, 200, &[], br#"{"ok":true}"#).await?;
            }
        }
    }
    Ok(())
}

async fn respond(
    stream: &mut BufReader<Stream>,
    status: u16,
    cabeceras: &[(String, String)],
    cuerpo: &[u8],
) -> io::Result<()> {
    let mut cabeza = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n", cuerpo.len());
    for (nombre, valor) in cabeceras {
        cabeza += &format!("{nombre}: {valor}\r\n");
    }
    cabeza += "\r\n";
    stream.write_all(cabeza.as_bytes()).await?;
    stream.write_all(cuerpo).await?;
    stream.flush().await
}

async fn read_head(stream: &mut BufReader<Stream>, conexion: usize) -> io::Result<Option<Received>> {
    let mut linea = String::new();
    if stream.read_line(&mut linea).await? == 0 {
        return Ok(None);
    }
    let mut partes = linea.split_whitespace().map(str::to_owned);
    let (metodo, ruta) = (partes.next().unwrap_or_default(), partes.next().unwrap_or_default());
    let mut cabeceras = Vec::new();
    loop {
        let mut linea = String::new();
        stream.read_line(&mut linea).await?;
        let Some((nombre, valor)) = linea.trim_end().split_once(':') else { break };
        cabeceras.push((nombre.to_lowercase(), valor.trim().to_owned()));
    }
    Ok(Some(Received { conexion, metodo, ruta, cabeceras, cuerpo: Vec::new() }))
}

async fn read_body(stream: &mut BufReader<Stream>, recibida: &Received) -> io::Result<Vec<u8>> {
    if let Some(len) = recibida.cabecera("content-length") {
        let mut cuerpo = vec![0; len.parse().map_err(io::Error::other)?];
        stream.read_exact(&mut cuerpo).await?;
        return Ok(cuerpo);
    }
    let mut cuerpo = Vec::new();
    if recibida.cabecera("transfer-encoding").is_some() {
        loop {
            let mut linea = String::new();
            stream.read_line(&mut linea).await?;
            let len = usize::from_str_radix(linea.trim(), 16).map_err(io::Error::other)?;
            let desde = cuerpo.len();
            // Each chunk, the last and empty one too, is followed by a line break.
            cuerpo.resize(desde + len + 2, 0);
            stream.read_exact(&mut cuerpo[desde..]).await?;
            cuerpo.truncate(desde + len);
            if len == 0 {
                break;
            }
        }
    }
    Ok(cuerpo)
}

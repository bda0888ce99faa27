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

use crate::canal::{Canal, Certificado};
use crate::guion::Guion;

/// How one request is treated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Manera {
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
    /// The answer's headers stop in the middle until [`Receptor::soltar`].
    CabecerasLentas,
    /// 200, and its body stops in the middle until [`Receptor::soltar`].
    CuerpoLento,
    /// 200, all of it after [`Receptor::soltar`].
    Tarde,
    /// The receiver's side is closed without an answer while it goes on listening.
    MedioCierre,
    /// 200, and the connection is closed in the middle of its body.
    CierraEnCuerpo,
}

impl Manera {
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
pub struct Recibida {
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

impl Recibida {
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
pub struct Receptor {
    /// Where it listens.
    pub direccion: SocketAddr,
    esquema: &'static str,
    guion: Arc<Guion<Manera, Recibida>>,
    tarea: AbortHandle,
}

impl Receptor {
    /// Starts one in the clear that answers 200 until it is told otherwise.
    pub async fn arrancar() -> Self {
        Self::abrir(None).await
    }

    /// Starts one that speaks TLS under this certificate.
    pub async fn con_tls(certificado: Certificado) -> Self {
        Self::abrir(Some(certificado)).await
    }

    async fn abrir(certificado: Option<Certificado>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let direccion = listener.local_addr().unwrap();
        let guion = Arc::new(Guion::new(Manera::Ok));
        let esquema = if certificado.is_some() { "https" } else { "http" };
        let tarea = tokio::spawn(accept(listener, Arc::clone(&guion), certificado.map(Arc::new)));
        Self { direccion, esquema, guion, tarea: tarea.abort_handle() }
    }

    /// Its URL.
    pub fn url(&self) -> String {
        format!("{}://{}/gancho", self.esquema, self.direccion)
    }

    /// The manners of the next requests, in order; afterwards 200 again.
    pub fn maneras(&self, maneras: impl IntoIterator<Item = Manera>) {
        self.guion.push(maneras);
    }

    /// The manner of every request that no script covers.
    pub fn siempre(&self, manera: Manera) {
        self.guion.siempre(manera);
    }

    /// Lets one stalled answer go on, now or when it stalls.
    pub fn soltar(&self) {
        self.guion.soltar();
    }

    /// What came so far.
    pub fn recibidas(&self) -> Vec<Recibida> {
        self.guion.todo()
    }

    /// Waits until `n` requests came, and returns all.
    pub async fn await_requests(&self, n: usize) -> Vec<Recibida> {
        self.guion.await_count(n).await
    }
}

impl Drop for Receptor {
    fn drop(&mut self) {
        self.tarea.abort();
    }
}

type GuionHttp = Guion<Manera, Recibida>;

async fn accept(listener: TcpListener, guion: Arc<GuionHttp>, certificado: Option<Arc<Certificado>>) {
    // Ends with this task, and its connections with it.
    let mut conexiones = JoinSet::new();
    let mut conexion = 0;
    while let Ok((tcp, _)) = listener.accept().await {
        let (guion, certificado) = (Arc::clone(&guion), certificado.clone());
        conexiones.spawn(async move {
            let canal = Canal::Claro(tcp);
            if guion.take_if(|m| *m == Manera::RstAlConectar).is_some() {
                return canal.rst();
            }
            let canal = match certificado {
                Some(certificado) => canal.cifrar(&certificado).await,
                None => Ok(canal),
            };
            if let Ok(canal) = canal {
                // A client that hangs up is no failure of the test.
                let _ = attend(BufReader::new(canal), &guion, conexion).await;
            }
        });
        conexion += 1;
    }
}

async fn attend(mut canal: BufReader<Canal>, guion: &GuionHttp, conexion: usize) -> io::Result<()> {
    while let Some(mut recibida) = read_head(&mut canal, conexion).await? {
        let manera = guion.take();
        if matches!(manera, Manera::RstAlConectar | Manera::RstTrasCabeceras) {
            guion.record(recibida);
            canal.into_inner().rst();
            return Ok(());
        }
        recibida.cuerpo = read_body(&mut canal, &recibida).await?;
        guion.record(recibida);
        match manera {
            Manera::RstTrasCuerpo => {
                canal.into_inner().rst();
                return Ok(());
            }
            Manera::MedioCierre => {
                canal.shutdown().await?;
                // Listens until the client is gone.
                let _ = canal.read_to_end(&mut Vec::new()).await;
                return Ok(());
            }
            Manera::CierraEnCuerpo => {
                canal.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nmedia resp").await?;
                return canal.shutdown().await;
            }
            Manera::CabecerasLentas => {
                canal.write_all(b"HTTP/1.1 200 OK\r\nx-lenta: s").await?;
                guion.esperar().await;
                canal.write_all(b"i\r\ncontent-length: 0\r\n\r\n").await?;
            }
            Manera::CuerpoLento => {
                canal.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nmedio").await?;
                guion.esperar().await;
                canal.write_all(b"medio").await?;
            }
            Manera::Tarde => {
                guion.esperar().await;
                respond(&mut canal, 200, &[], b"").await?;
            }
            Manera::Responde { status, cabeceras, cuerpo } => {
                respond(&mut canal, status, &cabeceras, &cuerpo).await?;
            }
            Manera::Ok | Manera::RstAlConectar | Manera::RstTrasCabeceras => {
                respond(&mut canal, 200, &[], br#"{"ok":true}"#).await?;
            }
        }
    }
    Ok(())
}

async fn respond(
    canal: &mut BufReader<Canal>,
    status: u16,
    cabeceras: &[(String, String)],
    cuerpo: &[u8],
) -> io::Result<()> {
    let mut cabeza = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n", cuerpo.len());
    for (nombre, valor) in cabeceras {
        cabeza += &format!("{nombre}: {valor}\r\n");
    }
    cabeza += "\r\n";
    canal.write_all(cabeza.as_bytes()).await?;
    canal.write_all(cuerpo).await?;
    canal.flush().await
}

async fn read_head(canal: &mut BufReader<Canal>, conexion: usize) -> io::Result<Option<Recibida>> {
    let mut linea = String::new();
    if canal.read_line(&mut linea).await? == 0 {
        return Ok(None);
    }
    let mut partes = linea.split_whitespace().map(str::to_owned);
    let (metodo, ruta) = (partes.next().unwrap_or_default(), partes.next().unwrap_or_default());
    let mut cabeceras = Vec::new();
    loop {
        let mut linea = String::new();
        canal.read_line(&mut linea).await?;
        let Some((nombre, valor)) = linea.trim_end().split_once(':') else { break };
        cabeceras.push((nombre.to_lowercase(), valor.trim().to_owned()));
    }
    Ok(Some(Recibida { conexion, metodo, ruta, cabeceras, cuerpo: Vec::new() }))
}

async fn read_body(canal: &mut BufReader<Canal>, recibida: &Recibida) -> io::Result<Vec<u8>> {
    if let Some(len) = recibida.cabecera("content-length") {
        let mut cuerpo = vec![0; len.parse().map_err(io::Error::other)?];
        canal.read_exact(&mut cuerpo).await?;
        return Ok(cuerpo);
    }
    let mut cuerpo = Vec::new();
    if recibida.cabecera("transfer-encoding").is_some() {
        loop {
            let mut linea = String::new();
            canal.read_line(&mut linea).await?;
            let len = usize::from_str_radix(linea.trim(), 16).map_err(io::Error::other)?;
            let desde = cuerpo.len();
            // Each chunk, the last and empty one too, is followed by a line break.
            cuerpo.resize(desde + len + 2, 0);
            canal.read_exact(&mut cuerpo[desde..]).await?;
            cuerpo.truncate(desde + len);
            if len == 0 {
                break;
            }
        }
    }
    Ok(cuerpo)
}

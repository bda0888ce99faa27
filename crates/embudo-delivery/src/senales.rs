//! The bodies of the three signals (contract §4), written in pieces.
//!
//! Where a photo's text comes from, and whether a link stands in for it, is the caller's business ([`FuenteFotos`]):
//! this module only keeps the JSON right around it.

use std::sync::{Arc, LazyLock};

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::Simd;
use base64::engine::general_purpose::PAD;
use bytes::Bytes;
use embudo_domain::senal::{MensajeriaSenal, PdfSenal, PerfilSenal};
use embudo_domain::{FotoId, LeadId};
use futures_util::StreamExt as _;
use futures_util::stream;
use serde::Serialize;

use crate::cuerpo::{Corriente, Cuerpo, ErrorFuente, Piezas};

/// Bytes turned into one piece of base64; a multiple of 3, so that pieces join without padding.
const TROZO: usize = 96 * 1024;

static BASE64: LazyLock<Simd> = LazyLock::new(|| Simd::standard(PAD));

/// What stands in a payload for a photo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImagenTexto {
    /// This very text: a URL as received, or a link of ours.
    Texto(String),
    /// `prefijo` and the base64 of these bytes, encoded while it is sent.
    Base64 {
        /// Everything up to the comma.
        prefijo: String,
        /// The picture.
        bytes: Bytes,
    },
    /// `prefijo` and this payload as received.
    Crudo {
        /// Everything up to the comma.
        prefijo: String,
        /// The received payload, UTF-8.
        contenido: Bytes,
    },
}

/// Where the pictures of a profile come from, one at a time and twice for each attempt.
#[async_trait]
pub trait FuenteFotos: Send + Sync + 'static {
    /// What stands for this photo; the same each time while an attempt lasts. `None` leaves it out: it was removed
    /// after the signal was written down.
    async fn imagen(&self, lead: LeadId, foto: FotoId) -> Result<Option<ImagenTexto>, ErrorFuente>;
}

/// The body of "profile complete" (contract §4).
pub fn perfil(senal: &PerfilSenal, fuente: Arc<dyn FuenteFotos>) -> Cuerpo {
    Cuerpo::Piezas(Arc::new(Guion { lead: senal.lead_id, pasos: pasos_de(senal), fuente: Some(fuente) }))
}

/// The body of "PDF delivery" (contract §4).
pub fn pdf(senal: &PdfSenal, pdf: Bytes) -> Cuerpo {
    let PdfSenal { lead_id, telefono, nombre, empresa, filename } = senal;
    let antes = format!(
        r#"{{"leadId":{},"telefono":{},"nombre":{},"empresa":{},"pdfBase64":""#,
        json(lead_id),
        json(telefono),
        json(nombre),
        json(empresa)
    );
    let despues = format!(r#"","filename":{}}}"#, json(filename));
    let pasos = vec![Paso::Texto(antes.into()), Paso::Base64(pdf), Paso::Texto(despues.into())];
    Cuerpo::Piezas(Arc::new(Guion { lead: *lead_id, pasos: pasos.into(), fuente: None }))
}

/// The body of "conversation start" (contract §4).
pub fn mensajeria(senal: &MensajeriaSenal) -> Cuerpo {
    json(senal).into()
}

#[derive(Clone)]
enum Paso {
    /// Text as it is sent.
    Texto(Bytes),
    /// An array of photos begins.
    Lista,
    /// An element of the array.
    Foto(FotoId),
    /// The inside of a string.
    Base64(Bytes),
}

struct Guion {
    lead: LeadId,
    pasos: Arc<[Paso]>,
    fuente: Option<Arc<dyn FuenteFotos>>,
}

fn pasos_de(senal: &PerfilSenal) -> Arc<[Paso]> {
    let PerfilSenal { lead_id, cliente, reforma, empresa, zonas } = senal;
    let mut pasos = Vec::new();
    let mut texto = format!(
        r#"{{"leadId":{},"cliente":{},"reforma":{},"empresa":{},"zonas":["#,
        json(lead_id),
        json(cliente),
        json(reforma),
        json(empresa)
    );
    for (n, z) in zonas.iter().enumerate() {
        let coma = if n == 0 { "" } else { "," };
        texto +=
            &format!(r#"{coma}{{"zona":{},"notas":{},"fotos":{{"antes":["#, json(&z.zona), json(&z.notas));
        for (lista, cierre) in [(&z.fotos.antes, r#"],"despues":["#), (&z.fotos.despues, "]}}")] {
            if !lista.is_empty() {
                pasos.push(Paso::Texto(std::mem::take(&mut texto).into()));
                pasos.push(Paso::Lista);
                pasos.extend(lista.iter().map(|f| Paso::Foto(f.foto_id)));
            }
            texto += cierre;
        }
    }
    texto += "]}";
    pasos.push(Paso::Texto(texto.into()));
    pasos.into()
}

impl Piezas for Guion {
    fn abrir(self: Arc<Self>) -> Corriente {
        let estado = (self, 0, true);
        let trozos = stream::try_unfold(estado, |(guion, n, primera)| async move {
            let Some(paso) = guion.pasos.get(n) else { return Ok::<_, ErrorFuente>(None) };
            let (trozos, primera) = match paso {
                Paso::Texto(texto) => (Trozos::uno(texto.clone()), primera),
                Paso::Lista => (Trozos::nada(), true),
                Paso::Base64(bytes) => (base64(bytes.clone()), primera),
                Paso::Foto(foto) => match guion.imagen(*foto).await? {
                    Some(imagen) => (elemento(imagen, primera)?, false),
                    None => (Trozos::nada(), primera),
                },
            };
            Ok(Some((trozos, (guion, n + 1, primera))))
        });
        let piezas = trozos.map(|trozos| match trozos {
            Ok(Trozos(trozos)) => stream::iter(trozos).map(Ok).boxed(),
            Err(error) => stream::iter([Err(error)]).boxed(),
        });
        piezas.flatten().boxed()
    }
}

impl Guion {
    async fn imagen(&self, foto: FotoId) -> Result<Option<ImagenTexto>, ErrorFuente> {
        match &self.fuente {
            Some(fuente) => fuente.imagen(self.lead, foto).await,
            None => Ok(None),
        }
    }
}

/// Consecutive pieces, each made when it is its turn.
struct Trozos(Box<dyn Iterator<Item = Bytes> + Send>);

impl Trozos {
    fn nada() -> Self {
        Self(Box::new(std::iter::empty()))
    }

    fn uno(texto: Bytes) -> Self {
        Self(Box::new(std::iter::once(texto)))
    }
}

/// An element of an array of strings.
fn elemento(imagen: ImagenTexto, primera: bool) -> Result<Trozos, ErrorFuente> {
    let coma = if primera { "" } else { "," };
    let (prefijo, resto) = match imagen {
        ImagenTexto::Texto(texto) => (texto, Trozos::nada()),
        ImagenTexto::Base64 { prefijo, bytes } => (prefijo, base64(bytes)),
        ImagenTexto::Crudo { prefijo, contenido } => (prefijo, escapado(contenido)?),
    };
    let abre = Bytes::from(format!("{coma}\"{}", escape(&prefijo)));
    Ok(Trozos(Box::new(std::iter::once(abre).chain(resto.0).chain([Bytes::from_static(b"\"")]))))
}

fn base64(bytes: Bytes) -> Trozos {
    let desdes = (0..bytes.len()).step_by(TROZO);
    Trozos(Box::new(desdes.map(move |desde| {
        let hasta = bytes.len().min(desde + TROZO);
        Bytes::from(BASE64.encode(&bytes[desde..hasta]))
    })))
}

/// A received payload may hold line breaks and tabs, which JSON wants escaped.
fn escapado(contenido: Bytes) -> Result<Trozos, ErrorFuente> {
    let error = |_| ErrorFuente("la imagen guardada no es el texto recibido".to_owned());
    let texto = String::from_utf8(contenido.into()).map_err(error)?;
    let mut desde = 0;
    Ok(Trozos(Box::new(std::iter::from_fn(move || {
        let hasta = texto.floor_char_boundary(desde + TROZO);
        let trozo = &texto[std::mem::replace(&mut desde, hasta)..hasta];
        (!trozo.is_empty()).then(|| Bytes::from(escape(trozo)))
    }))))
}

/// A value as JSON text.
fn json<T: Serialize>(valor: &T) -> String {
    serde_json::to_string(valor).expect("signals are made of texts, numbers and lists")
}

/// A text as it stands between the quotes of a JSON string.
fn escape(texto: &str) -> String {
    let entero = json(&texto);
    entero[1..entero.len() - 1].to_owned()
}

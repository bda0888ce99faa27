//! The bodies of the signals (contract §4), written in pieces.
//!
//! The caller decides where a photo's text comes from, and whether a link replaces it ([`FotoSource`]): this module
//! only writes the JSON around it.

use std::sync::{Arc, LazyLock};

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::Simd;
use base64::engine::general_purpose::PAD;
use bytes::Bytes;
use embudo_domain::signal::{MensajeriaSignal, PdfSignal, PerfilSignal, ReplySignal};
use embudo_domain::{FotoId, LeadId};
use futures_util::StreamExt as _;
use futures_util::stream;
use serde::Serialize;

use crate::body::{BodyStream, Pieces, SignedBody, SourceError};

/// Bytes turned into one piece of base64; a multiple of 3, so that pieces join without padding.
const CHUNK: usize = 96 * 1024;

static BASE64: LazyLock<Simd> = LazyLock::new(|| Simd::standard(PAD));

/// How a photo appears in a payload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImageText {
    /// This text as it is: a URL as received, or a link of ours.
    Text(String),
    /// `prefix` and the base64 of these bytes, encoded while it is sent.
    Base64 {
        /// Everything up to the comma.
        prefix: String,
        bytes: Bytes,
    },
    /// `prefix` and this payload as received.
    Raw {
        /// Everything up to the comma.
        prefix: String,
        /// The received payload, UTF-8.
        content: Bytes,
    },
}

/// Where the pictures of a profile come from, one at a time and twice for each attempt.
#[async_trait]
pub trait FotoSource: Send + Sync + 'static {
    /// How this photo appears; the same each time during an attempt. `None` leaves it out: it was removed
    /// after the signal was stored.
    async fn image(&self, lead: LeadId, foto: FotoId) -> Result<Option<ImageText>, SourceError>;
}

/// The body of "profile complete" (contract §4).
pub fn perfil(signal: &PerfilSignal, source: Arc<dyn FotoSource>) -> SignedBody {
    SignedBody::Pieces(Arc::new(Outline {
        lead: signal.lead_id,
        steps: pieces_of(signal),
        source: Some(source),
    }))
}

/// The body of "PDF delivery" (contract §4).
pub fn pdf(signal: &PdfSignal, pdf: Bytes) -> SignedBody {
    let PdfSignal { lead_id, telefono, nombre, empresa, filename } = signal;
    let before = format!(
        r#"{{"leadId":{},"telefono":{},"nombre":{},"empresa":{},"pdfBase64":""#,
        json(lead_id),
        json(telefono),
        json(nombre),
        json(empresa)
    );
    let after = format!(r#"","filename":{}}}"#, json(filename));
    let steps = vec![Piece::Text(before.into()), Piece::Base64(pdf), Piece::Text(after.into())];
    SignedBody::Pieces(Arc::new(Outline { lead: *lead_id, steps: steps.into(), source: None }))
}

/// The body of "conversation start" (contract §4).
pub fn mensajeria(signal: &MensajeriaSignal) -> SignedBody {
    json(signal).into()
}

/// The body of "reply by hand" (contract §4).
pub fn reply(signal: &ReplySignal) -> SignedBody {
    json(signal).into()
}

#[derive(Clone)]
enum Piece {
    /// Text that is sent unchanged.
    Text(Bytes),
    /// An array of photos begins.
    List,
    /// An element of the array.
    Foto(FotoId),
    /// Base64 inside a string.
    Base64(Bytes),
}

struct Outline {
    lead: LeadId,
    steps: Arc<[Piece]>,
    source: Option<Arc<dyn FotoSource>>,
}

fn pieces_of(signal: &PerfilSignal) -> Arc<[Piece]> {
    let PerfilSignal { lead_id, cliente, reforma, empresa, zonas } = signal;
    let mut steps = Vec::new();
    let mut text = format!(
        r#"{{"leadId":{},"cliente":{},"reforma":{},"empresa":{},"zonas":["#,
        json(lead_id),
        json(cliente),
        json(reforma),
        json(empresa)
    );
    for (n, z) in zonas.iter().enumerate() {
        let comma = if n == 0 { "" } else { "," };
        text +=
            &format!(r#"{comma}{{"zona":{},"notas":{},"fotos":{{"antes":["#, json(&z.zona), json(&z.notas));
        for (list, close) in [(&z.fotos.before, r#"],"despues":["#), (&z.fotos.after, "]}}")] {
            if !list.is_empty() {
                steps.push(Piece::Text(std::mem::take(&mut text).into()));
                steps.push(Piece::List);
                steps.extend(list.iter().map(|f| Piece::Foto(f.foto_id)));
            }
            text += close;
        }
    }
    text += "]}";
    steps.push(Piece::Text(text.into()));
    steps.into()
}

impl Pieces for Outline {
    fn open(self: Arc<Self>) -> BodyStream {
        let state = (self, 0, true);
        let chunks = stream::try_unfold(state, |(script, n, first)| async move {
            let Some(step) = script.steps.get(n) else { return Ok::<_, SourceError>(None) };
            let (chunks, first) = match step {
                Piece::Text(text) => (Chunks::one(text.clone()), first),
                Piece::List => (Chunks::nothing(), true),
                Piece::Base64(bytes) => (base64(bytes.clone()), first),
                Piece::Foto(foto) => match script.image(*foto).await? {
                    Some(image) => (element(image, first)?, false),
                    None => (Chunks::nothing(), first),
                },
            };
            Ok(Some((chunks, (script, n + 1, first))))
        });
        let parts = chunks.map(|chunks| match chunks {
            Ok(Chunks(chunks)) => stream::iter(chunks).map(Ok).boxed(),
            Err(error) => stream::iter([Err(error)]).boxed(),
        });
        parts.flatten().boxed()
    }
}

impl Outline {
    async fn image(&self, foto: FotoId) -> Result<Option<ImageText>, SourceError> {
        match &self.source {
            Some(source) => source.image(self.lead, foto).await,
            None => Ok(None),
        }
    }
}

/// Consecutive pieces, each made only when it is needed.
struct Chunks(Box<dyn Iterator<Item = Bytes> + Send>);

impl Chunks {
    fn nothing() -> Self {
        Self(Box::new(std::iter::empty()))
    }

    fn one(text: Bytes) -> Self {
        Self(Box::new(std::iter::once(text)))
    }
}

/// An element of an array of strings.
fn element(image: ImageText, first: bool) -> Result<Chunks, SourceError> {
    let comma = if first { "" } else { "," };
    let (prefix, rest) = match image {
        ImageText::Text(text) => (text, Chunks::nothing()),
        ImageText::Base64 { prefix, bytes } => (prefix, base64(bytes)),
        ImageText::Raw { prefix, content } => (prefix, escaped(content)?),
    };
    let opens = Bytes::from(format!("{comma}\"{}", escape(&prefix)));
    Ok(Chunks(Box::new(std::iter::once(opens).chain(rest.0).chain([Bytes::from_static(b"\"")]))))
}

fn base64(bytes: Bytes) -> Chunks {
    let sources = (0..bytes.len()).step_by(CHUNK);
    Chunks(Box::new(sources.map(move |since| {
        let until = bytes.len().min(since + CHUNK);
        Bytes::from(BASE64.encode(&bytes[since..until]))
    })))
}

/// A received payload may hold line breaks and tabs, which JSON wants escaped.
fn escaped(content: Bytes) -> Result<Chunks, SourceError> {
    let error = |_| SourceError("la imagen guardada no es el texto recibido".to_owned());
    let text = String::from_utf8(content.into()).map_err(error)?;
    let mut since = 0;
    Ok(Chunks(Box::new(std::iter::from_fn(move || {
        let until = text.floor_char_boundary(since + CHUNK);
        let chunk = &text[std::mem::replace(&mut since, until)..until];
        (!chunk.is_empty()).then(|| Bytes::from(escape(chunk)))
    }))))
}

fn json<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("signals are made of texts, numbers and lists")
}

/// A text escaped for a JSON string, without the quotes around it.
fn escape(text: &str) -> String {
    let integer = json(&text);
    integer[1..integer.len() - 1].to_owned()
}

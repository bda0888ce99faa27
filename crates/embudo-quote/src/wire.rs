//! The protocol between the server and the processes that draw, through pipes: a JSON frame, then the bytes whose
//! lengths the frame gives. Pictures are sent as raw bytes, so the server neither copies nor encodes them.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::time::Duration;

use bytes::Bytes;
use embudo_domain::FotoId;
use embudo_domain::presupuesto::{Document, PresupuestoNumber, Validity};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::pdf_request::{AcceptedNote, Foto, Norma, PdfRequest};
use crate::template::Template;

/// The limits of a process that draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// The maximum time for a quote.
    pub time: Duration,
    /// The maximum address space in bytes, program included.
    pub memory: u64,
    pub pdf: u64,
}

impl Default for Limits {
    /// 10 seconds, 1 GiB, 32 MiB.
    fn default() -> Self {
        Self { time: Duration::from_secs(10), memory: 1 << 30, pdf: 32 << 20 }
    }
}

/// The question, which is followed by the bytes of logo, photos and template.
#[derive(Serialize, Deserialize)]
pub(crate) struct Question {
    pub(crate) limits: Limits,
    /// The maximum number of quotes that the process draws.
    pub(crate) quotes: u32,
    number: Option<PresupuestoNumber>,
    version: u32,
    issued: String,
    until: String,
    document: Document,
    page_url: Option<String>,
    accepted: Option<AcceptedNote>,
    logo: Option<usize>,
    fotos: Vec<SentFoto>,
    template: Option<SentTemplate>,
}

#[derive(Serialize, Deserialize)]
struct SentFoto {
    id: FotoId,
    width: u32,
    height: u32,
    bytes: usize,
}

#[derive(Serialize, Deserialize)]
struct SentTemplate {
    principal: String,
    files: Vec<(String, usize)>,
}

/// The answer, which is followed by the bytes of the PDF.
#[derive(Serialize, Deserialize)]
pub(crate) enum Answer {
    Drawn { norma: Norma, notices: Vec<String>, bytes: u64 },
    Failure(String),
}

/// The maximum length of a frame. A longer frame is refused: no quote has so much content.
const FRAME: u32 = 64 << 20;

impl Question {
    /// The question about a quote, and the bytes that follow it.
    pub(crate) fn new(
        request: &PdfRequest,
        template: Option<&Template>,
        limits: Limits,
        quotes: u32,
    ) -> (Self, Vec<Bytes>) {
        let mut parts: Vec<Bytes> = request.logo.iter().cloned().collect();
        let mut fotos = Vec::new();
        for (id, foto) in &request.fotos {
            if let Foto::Image { jpeg, width, height } = foto {
                fotos.push(SentFoto { id: *id, width: *width, height: *height, bytes: jpeg.len() });
                parts.push(jpeg.clone());
            }
        }
        let template = template.map(|template| {
            parts.extend(template.files.iter().map(|(_, data)| data.clone()));
            let files = template.files.iter().map(|(path, data)| (path.clone(), data.len())).collect();
            SentTemplate { principal: template.principal.clone(), files }
        });
        let question = Self {
            limits,
            quotes,
            number: request.number,
            version: request.version,
            issued: request.validity.issued.to_string(),
            until: request.validity.until.to_string(),
            document: request.document.clone(),
            page_url: request.page_url.clone(),
            accepted: request.accepted.clone(),
            logo: request.logo.as_ref().map(Bytes::len),
            fotos,
            template,
        };
        (question, parts)
    }

    /// Reads the bytes that follow the question.
    pub(crate) fn receive(self, input: &mut impl Read) -> io::Result<(PdfRequest, Option<Template>)> {
        let mut part = |length: usize| -> io::Result<Bytes> {
            let mut data = vec![0; length];
            input.read_exact(&mut data)?;
            Ok(data.into())
        };
        let logo = self.logo.map(&mut part).transpose()?;
        let mut fotos = HashMap::with_capacity(self.fotos.len());
        for SentFoto { id, width, height, bytes } in self.fotos {
            fotos.insert(id, Foto::Image { jpeg: part(bytes)?, width, height });
        }
        let template = match self.template {
            None => None,
            Some(SentTemplate { principal, files }) => {
                let files = files.into_iter().map(|(path, bytes)| Ok((path, part(bytes)?)));
                Some(Template { principal, files: files.collect::<io::Result<_>>()? })
            }
        };
        let day = |text: &str| text.parse::<Date>().map_err(io::Error::other);
        let request = PdfRequest {
            number: self.number,
            version: self.version,
            validity: Validity { issued: day(&self.issued)?, until: day(&self.until)? },
            document: self.document,
            logo,
            fotos,
            page_url: self.page_url,
            accepted: self.accepted,
        };
        Ok((request, template))
    }
}

pub(crate) fn write_frame<T: Serialize>(to: &mut impl Write, what: &T) -> io::Result<()> {
    let json = serde_json::to_vec(what)?;
    let length = u32::try_from(json.len()).map_err(io::Error::other)?;
    to.write_all(&length.to_be_bytes())?;
    to.write_all(&json)
}

/// The next frame; `None` at the end of the input.
pub(crate) fn read_frame<T: for<'de> Deserialize<'de>>(from: &mut impl Read) -> io::Result<Option<T>> {
    let mut length = [0; 4];
    match from.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        read => read?,
    }
    let length = u32::from_be_bytes(length);
    if length > FRAME {
        return Err(io::Error::other("not a message of ours"));
    }
    let mut json = Vec::new();
    from.take(u64::from(length)).read_to_end(&mut json)?;
    Ok(Some(serde_json::from_slice(&json)?))
}

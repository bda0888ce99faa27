//! The photo step as browsers without JavaScript send it: notes and photos in one body.
//!
//! Anybody with a pass may send such a body, so its cost is bounded. The number of parts is limited, there is one note
//! for each zone, and the body is parsed and hashed outside the threads that answer other requests.

use bytes::Bytes;
use embudo_domain::{Digest, Zona};
use futures_util::stream;
use tokio::runtime::Handle;

use super::material::{MAX_FOTOS, MAX_NOTA};
use crate::parts::{Refusal, clean};

/// The maximum number of photos of a lead, plus every field of the form: two file fields and one text field for each
/// zone, and a button.
const MAX_PARTS: usize = MAX_FOTOS + 3 * Zona::WORDS.len() + 1;
/// How many bytes are kept of a note that is too long. They are enough to show the note again, so that the person can
/// shorten it.
const MAX_NOTA_BYTES: usize = 8 * MAX_NOTA;

/// The contents of the form.
#[derive(Debug, Default)]
pub(super) struct SentForm {
    /// The text in the box of each zone. Empty if the person emptied the box.
    pub notas: Vec<(Zona, String)>,
    /// The photos, with their digests.
    pub fotos: Vec<(Zona, Bytes, Digest)>,
    /// Whether the person saves in order to add more on the same page, instead of continuing.
    pub continue_here: bool,
}

/// Reads a body of this media type. Fields are `nota-<zona>` and `foto-<zona>`. An unused file field arrives as an
/// empty file.
pub(super) async fn read(kind: &str, body: Bytes) -> Result<SentForm, Refusal> {
    let limit = multer::parse_boundary(kind).map_err(|_| Refusal::NotUnderstood)?;
    let thread = Handle::current();
    let job = tokio::task::spawn_blocking(move || thread.block_on(split(limit, body)));
    job.await.expect("the task is not cancelled; a panic in it is this request's panic")
}

async fn split(limit: String, body: Bytes) -> Result<SentForm, Refusal> {
    let body = stream::once(async { Ok::<_, std::convert::Infallible>(body) });
    let mut parts = multer::Multipart::new(body, limit);
    let mut sent = SentForm::default();
    let mut how_many = 0;
    while let Some(part) = parts.next_field().await.map_err(|_| Refusal::NotUnderstood)? {
        how_many += 1;
        if how_many > MAX_PARTS {
            return Err(Refusal::Big);
        }
        let nombre = part.name().unwrap_or_default().to_owned();
        let bytes = part.bytes().await.map_err(|_| Refusal::NotUnderstood)?;
        if let Some(zona) = nombre.strip_prefix("foto-").and_then(Zona::parse) {
            if !bytes.is_empty() {
                let digest = Digest::of(&bytes);
                sent.fotos.push((zona, bytes, digest));
            }
        } else if let Some(zona) = nombre.strip_prefix("nota-").and_then(Zona::parse) {
            let text = clean(&String::from_utf8_lossy(&bytes[..bytes.len().min(MAX_NOTA_BYTES)]));
            sent.notas.retain(|(z, _)| *z != zona);
            sent.notas.push((zona, text));
        } else if nombre == "seguir" {
            sent.continue_here = true;
        }
    }
    Ok(sent)
}

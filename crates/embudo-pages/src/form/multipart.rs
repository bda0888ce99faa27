//! The form of step 5 as browsers without the module send it: notes and photos in one body.
//!
//! Anybody with a pass may send it, so its cost is bounded: a number of parts, one note a zone, and the work of parting
//! and hashing it stays off the threads that answer everybody else.

use bytes::Bytes;
use embudo_domain::{Digest, Zona};
use futures_util::stream;
use tokio::runtime::Handle;

use super::material::{MAX_FOTOS, MAX_NOTA};
use crate::parts::{Refusal, clean};

/// Every photo that a lead may have, and every field that the form has: two of files and one of text a zone, and a
/// button.
const MAX_PARTS: usize = MAX_FOTOS + 3 * Zona::WORDS.len() + 1;
/// What is looked at of a note that is too long: enough to be shown again and shortened.
const MAX_NOTA_BYTES: usize = 8 * MAX_NOTA;

/// What the form brought.
#[derive(Debug, Default)]
pub(super) struct SentForm {
    /// What stands in the box of each zone now; empty where it was emptied.
    pub notas: Vec<(Zona, String)>,
    /// Photos with their marks.
    pub fotos: Vec<(Zona, Bytes, Digest)>,
    /// Saved to go on adding.
    pub continue_here: bool,
}

/// Reads a body of this media type. Fields are `nota-<zona>` and `foto-<zona>`; a file field left empty comes as an
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

//! Photos that a person adds to a lead, with the same use case as the API's ingestion.

use axum::extract::Request;
use bytes::Bytes;
use embudo_domain::Zona;
use embudo_domain::image::{Content, Image};
use embudo_domain::ingesta::{FotoItem, Item, Momento};
use embudo_domain::lead::Lead;
use embudo_server::ReadBody;
use futures_util::stream;
use http::header::CONTENT_TYPE;
use tokio::runtime::Handle;

use crate::WebState;
use crate::form::{MAX_FOTO_BYTES, kind_of};
use crate::panel::Signed;
use crate::panel::form_state::FormState;
use crate::parts::{Refusal, clean, read_public};

/// The maximum number of photos in one form.
const MAX_AT_ONCE: usize = 40;

#[derive(Default)]
struct Sent {
    zona: String,
    momento: String,
    fotos: Vec<Bytes>,
}

/// Saves the valid photos of a form. Returns the errors of the others.
pub(in crate::panel) async fn keep_fotos(
    state: &WebState,
    signed: &Signed,
    lead: &Lead,
    request: Request,
) -> Result<FormState, Refusal> {
    let (parts, body) = request.into_parts();
    let ReadBody { bytes, permit } =
        read_public(state, &parts, body, state.settings.max_upload_bytes).await?;
    let kind = parts.headers.get(CONTENT_TYPE).and_then(|v| v.to_str().ok()).unwrap_or_default();
    let sent = read(kind, bytes).await?;
    let zona = Zona::parse(&sent.zona);
    let momento = Momento::parse(&sent.momento).unwrap_or(Momento::Before);
    let (mut items, mut form) = (Vec::new(), FormState::default());
    for bytes in sent.fotos {
        if bytes.len() > MAX_FOTO_BYTES {
            form.add("fotos", "Una foto pesa más de 15 MB: prueba con otra más pequeña.");
            continue;
        }
        match kind_of(&bytes) {
            Ok(kind) => items.push(foto(bytes, kind, zona, momento)),
            Err(mistake) => form.add("fotos", mistake),
        }
    }
    if items.is_empty() && form.is_good() {
        form.add("fotos", "Elige al menos una foto.");
    }
    if !items.is_empty() {
        let (app, lead, actor) = (state.app.clone(), lead.clone(), signed.actor());
        let task =
            embudo_trace::spawn(async move { app.leads().add_photos(&lead, items, zona, &actor).await });
        task.await.expect("the task is not cancelled; a panic in it is this request's panic")?;
    }
    drop(permit);
    Ok(form)
}

fn foto(bytes: Bytes, kind: &str, zona: Option<Zona>, momento: Momento) -> Item {
    let prefix = format!("data:image/{kind};base64,");
    let image = Image::DataUri { prefix, content: Content::Canonical(bytes.into()) };
    Item::Foto(FotoItem { image, zona, momento, orden: None })
}

/// Parses a form. A large body is parsed outside the threads that answer other requests. A body that is not multipart,
/// so without a file, counts as an empty form.
async fn read(kind: &str, body: Bytes) -> Result<Sent, Refusal> {
    let Ok(limit) = multer::parse_boundary(kind) else { return Ok(Sent::default()) };
    let thread = Handle::current();
    let job = tokio::task::spawn_blocking(move || thread.block_on(split(limit, body)));
    job.await.expect("the task is not cancelled; a panic in it is this request's panic")
}

async fn split(limit: String, body: Bytes) -> Result<Sent, Refusal> {
    let body = stream::once(async { Ok::<_, std::convert::Infallible>(body) });
    let mut parts = multer::Multipart::new(body, limit);
    let mut sent = Sent::default();
    let mut how_many = 0;
    while let Some(part) = parts.next_field().await.map_err(|_| Refusal::NotUnderstood)? {
        how_many += 1;
        if how_many > MAX_AT_ONCE + 2 {
            return Err(Refusal::Big);
        }
        let name = part.name().unwrap_or_default().to_owned();
        let bytes = part.bytes().await.map_err(|_| Refusal::NotUnderstood)?;
        let word = || clean(&String::from_utf8_lossy(&bytes[..bytes.len().min(100)]));
        match name.as_str() {
            "zona" => sent.zona = word(),
            "momento" => sent.momento = word(),
            "fotos" if !bytes.is_empty() => sent.fotos.push(bytes),
            _ => {}
        }
    }
    Ok(sent)
}

//! Uploads of photos and notes: one raw photo sent by the JavaScript module, or the whole form sent without JavaScript.
//! Both are saved through the ingestion use case.

use axum::extract::{Path, Request, State};
use axum::response::IntoResponse;
use bytes::Bytes;
use embudo_app::KnownBy;
use embudo_domain::foto::StoredImage;
use embudo_domain::image::{Content, Image};
use embudo_domain::ingesta::{FotoItem, Ingesta, Item, Momento};
use embudo_domain::{Digest, Zona};
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderValue, StatusCode, Uri};
use serde_json::json;

use super::fotos::show_with;
use super::material::{MAX_FOTO_BYTES, MAX_FOTOS, MAX_NOTA, kind_of, nota_of, own};
use super::multipart;
use super::step::{Errors, Opened, PageResult, Step};
use crate::WebState;
use crate::parts::{ClientAddress, FormFields, Refusal, read_fields, read_public, redirect, wants_json};
use embudo_server::ReadBody;

/// `POST /f/:slug/:pase/fotos/subir?zona=…` with a photo as its body. Answers with the photo's id in JSON.
pub(crate) async fn upload_one(
    State(state): State<WebState>,
    Path((slug, pass)): Path<(String, String)>,
    ClientAddress(ip): ClientAddress,
    uri: Uri,
    request: Request,
) -> PageResult {
    let open = Opened::open(&state, &slug, &pass).await?;
    let query = read_fields(uri.query().unwrap_or_default().as_bytes());
    let zona = zona_of(&query, &open);
    let (parts, body) = request.into_parts();
    // The quota is counted before the body is read, because a rejected photo has used the same bandwidth.
    state.quotas.fotos(ip, 1).await?;
    let ReadBody { bytes, permit } = read_public(&state, &parts, body, MAX_FOTO_BYTES).await?;
    let kind = match kind_of(&bytes) {
        Ok(kind) => kind,
        Err(mensaje) => return Ok(is_no_good(&mensaje)),
    };
    let digest = Digest::of(&bytes);
    // The module sends a photo again if the first answer was lost. The same bytes in the same zone are the same photo.
    if let Some(id) = is_already(&open, digest, zona) {
        return Ok(upload(&open, &id));
    }
    if own(&open.record).count() >= MAX_FOTOS {
        return Ok(is_no_good("Ya tenemos 40 fotos: con esas nos sobra. Borra alguna si quieres cambiarla."));
    }
    save(&state, &open, vec![foto(bytes, kind, zona)]).await?;
    drop(permit);
    let after = Opened::open(&state, &slug, &pass).await?;
    let id = is_already(&after, digest, zona).ok_or(Refusal::Internal)?;
    Ok(upload(&after, &id))
}

fn is_already(open: &Opened, digest: Digest, zona: Zona) -> Option<String> {
    let same =
        |image: &StoredImage| matches!(image, StoredImage::Canonical { bytes, .. } if *bytes == digest);
    own(&open.record).find(|f| f.zona == zona && same(&f.image)).map(|f| f.id.to_string())
}

fn upload(open: &Opened, id: &str) -> axum::response::Response {
    let href = format!("{}/fotos/{id}", open.form.base);
    respond(StatusCode::CREATED, &json!({ "id": id, "href": href }))
}

fn is_no_good(mensaje: &str) -> axum::response::Response {
    respond(StatusCode::UNPROCESSABLE_ENTITY, &json!({ "texto": mensaje }))
}

fn respond(status: StatusCode, body: &serde_json::Value) -> axum::response::Response {
    let mut response = (status, body.to_string()).into_response();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// `POST /f/:slug/:pase/fotos`: all notes and photos of the form.
pub(crate) async fn form(
    State(state): State<WebState>,
    Path((slug, pass)): Path<(String, String)>,
    ClientAddress(ip): ClientAddress,
    request: Request,
) -> PageResult {
    let open = Opened::open(&state, &slug, &pass).await?;
    let (parts, body) = request.into_parts();
    let limit = state.settings.max_upload_bytes;
    // A form counts as one photo before it is read. Its further photos are counted afterwards.
    state.quotas.fotos(ip, 1).await?;
    let ReadBody { bytes, permit } = read_public(&state, &parts, body, limit).await?;
    let kind = parts.headers.get(CONTENT_TYPE).and_then(|v| v.to_str().ok()).unwrap_or_default();
    let sent = multipart::read(kind, bytes).await?;
    let mut errors = Errors::default();
    let long = save_notas(&state, &open, sent.notas, &mut errors).await?;
    let mut new_ones = Vec::new();
    for (zona, bytes, digest) in sent.fotos {
        if bytes.len() > MAX_FOTO_BYTES {
            errors.note_down("fotos", "Una foto pesa más de 15 MB: prueba con otra más pequeña.");
            continue;
        }
        match kind_of(&bytes) {
            Ok(kind) if is_already(&open, digest, zona).is_none() => new_ones.push(foto(bytes, kind, zona)),
            Ok(_) => {}
            Err(mensaje) => errors.note_down("fotos", mensaje),
        }
    }
    if own(&open.record).count() + new_ones.len() > MAX_FOTOS {
        errors.note_down("fotos", "Podemos guardar hasta 40 fotos: elige las que mejor lo enseñen.");
        new_ones.clear();
    }
    if new_ones.len() > 1 {
        state.quotas.fotos(ip, u32::try_from(new_ones.len() - 1).unwrap_or(u32::MAX)).await?;
    }
    if !new_ones.is_empty() {
        save(&state, &open, new_ones).await?;
    }
    drop(permit);
    if errors.has() {
        // Valid values were saved. Notes that are too long are shown again, so that the person can shorten them.
        let open = Opened::open(&state, &slug, &pass).await?;
        return show_with(&state, open, &long, errors).await;
    }
    let step = if sent.continue_here { Step::Fotos } else { Step::Summary };
    let place = open.form.path(step);
    // The module sends the form itself, so that the page and the typed text remain if the connection fails.
    if wants_json(&parts.headers) {
        return Ok(respond(StatusCode::OK, &json!({ "a": place })));
    }
    Ok(redirect(&place))
}

/// Saves the notes that changed. Returns the notes that are too long.
async fn save_notas(
    state: &WebState,
    open: &Opened,
    notas: Vec<(Zona, String)>,
    errors: &mut Errors,
) -> Result<Vec<(Zona, String)>, Refusal> {
    let mut long = Vec::new();
    for (zona, text) in notas {
        if text.chars().count() > MAX_NOTA {
            errors.note_down(format!("nota-{zona}"), "Esa nota es muy larga: resúmela en 4.000 letras.");
            long.push((zona, text));
        } else if nota_of(&open.record, zona).unwrap_or_default() != text {
            state.app.forms().save_nota(open.record.lead.id, zona, &text).await?;
        }
    }
    Ok(long)
}

fn zona_of(fields: &FormFields, open: &Opened) -> Zona {
    Zona::parse(&fields.text("zona")).unwrap_or_else(|| Zona::assumed(open.record.lead.perfil.tipo_reforma))
}

fn foto(bytes: Bytes, kind: &str, zona: Zona) -> Item {
    let image = Image::DataUri {
        prefix: format!("data:image/{kind};base64,"),
        content: Content::Canonical(bytes.into()),
    };
    Item::Foto(FotoItem { image, zona: Some(zona), momento: Momento::Before, orden: None })
}

/// Calls the same use case as `POST /api/leads/:id/ingesta`. It has several steps; the spawned task finishes them even
/// if the client disconnects.
async fn save(state: &WebState, open: &Opened, items: Vec<Item>) -> Result<(), Refusal> {
    let ingesta = Ingesta { items, perfil_completo: false, finalizar: false };
    let (app, lead) = (state.app.clone(), open.record.lead.id);
    let job = embudo_trace::spawn(async move { app.ingesta().ingest(lead, ingesta, KnownBy::Nothing).await });
    job.await.expect("the task is not cancelled; a panic in it is this request's panic")?;
    Ok(())
}

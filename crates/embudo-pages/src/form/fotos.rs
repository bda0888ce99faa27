//! Step 6: photos and notes by zone. Also shows and deletes one photo, with the form's pass.

use askama::Template;
use axum::extract::{Path, State};
use axum::response::IntoResponse;
use embudo_app::Size;
use embudo_blobs::BlobReader;
use embudo_domain::foto::StoredImage;
use embudo_domain::{FotoId, LeadId, Zona};
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, StatusCode};

use super::material::{FORMATS, MAX_FOTOS, nota_of, own};
use super::step::{Errors, Opened, PageResult, Step, StepView, Visitor};

use super::words::{self, ZONAS, ZonaWords};
use crate::WebState;
use crate::parts::{Frame, Refusal, redirect, render_page, wants_json};
use embudo_server::blob;

const TITLE: &str = "¿Nos enseñas cómo está ahora?";
const HARMLESS: &[&str] = &["image/jpeg", "image/png", "image/webp", "image/gif", "image/avif", "image/heic"];

#[derive(Template)]
#[template(path = "form/fotos.html")]
struct FotosPage {
    frame: Frame,
    view: StepView,
    errors: Errors,
    base: String,
    /// The zones that the form asks about, and the zones that the person may add.
    main: Vec<ZonaView>,
    others: Vec<ZonaView>,
    maximum: usize,
    formats: &'static str,
}

/// One zone, with its saved photos and note.
struct ZonaView {
    words: &'static ZonaWords,
    fotos: Vec<FotoView>,
    /// The text in the box of the note: the text that was typed but could not be saved, or else the saved note.
    nota: String,
}

struct FotoView {
    id: String,
    href: String,
    legible: bool,
}

/// `GET /f/:slug/:pase/fotos`.
pub(crate) async fn show(
    State(state): State<WebState>,
    Path((slug, pass)): Path<(String, String)>,
) -> PageResult {
    let open = Opened::open(&state, &slug, &pass).await?;
    show_with(&state, open, &[], Errors::default()).await
}

/// Shows the page with notes that were typed but not saved.
pub(super) async fn show_with(
    state: &WebState,
    open: Opened,
    typed_ones: &[(Zona, String)],
    errors: Errors,
) -> PageResult {
    let kind = Zona::assumed(open.record.lead.perfil.tipo_reforma);
    let (mut main, mut others) = (Vec::new(), Vec::new());
    for words in &ZONAS {
        let zona = zona_view(&open, words, typed_ones);
        let principal = match kind {
            // For a whole dwelling, the form asks about each room.
            Zona::Integral => words.zona != Zona::Integral,
            kind => words.zona == kind,
        };
        let something = !zona.fotos.is_empty() || !zona.nota.is_empty();
        if principal || something {
            main.push(zona);
        } else if words.zona != Zona::Integral {
            others.push(zona);
        }
    }
    let base = open.form.base.clone();
    let visitor = Visitor::from(open);
    let page = FotosPage {
        base,
        view: StepView::new(state, &visitor, Step::Fotos).await?,
        frame: visitor
            .into_frame(errors.title(TITLE))
            .with(&["formulario.css"], &["formulario.js", "fotos.js"]),
        errors,
        main,
        others,
        maximum: MAX_FOTOS,
        formats: FORMATS,
    };
    Ok(render_page(page.errors.status(), page.view.visibility, &page.frame, &page))
}

fn zona_view(open: &Opened, words: &'static ZonaWords, typed_ones: &[(Zona, String)]) -> ZonaView {
    let zona = words.zona;
    let fotos = own(&open.record).filter(|f| f.zona == zona).map(|f| FotoView {
        id: f.id.to_string(),
        href: format!("{}/fotos/{}", open.form.base, f.id),
        legible: f.image.legible() && !matches!(f.image, StoredImage::Url(_)),
    });
    let typed = typed_ones.iter().find(|(z, _)| *z == zona).map(|(_, t)| t.as_str());
    let nota = typed.or_else(|| nota_of(&open.record, zona)).unwrap_or_default().to_owned();
    ZonaView { words, fotos: fotos.collect(), nota }
}

/// `GET /f/:slug/:pase/fotos/:foto`.
pub(crate) async fn image(
    State(state): State<WebState>,
    Path((slug, pass, foto)): Path<(String, String, String)>,
) -> PageResult {
    let open = Opened::open(&state, &slug, &pass).await?;
    let foto = FotoId::parse(&foto).filter(|id| own(&open.record).any(|f| f.id == *id));
    let foto = foto.ok_or(Refusal::NotFound)?;
    let (kind, bytes) = thumbnail(&state, open.record.lead.id, foto).await?;
    let mut response = blob(bytes).into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; sandbox"));
    // The bytes of an id never change. `private` keeps them in this person's browser, because the address contains the
    // pass.
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, max-age=3600"));
    Ok(response)
}

/// A photo small enough for a list. If the photo cannot be decoded, the original is returned, because the browser may
/// be able to show it.
async fn thumbnail(
    state: &WebState,
    lead: LeadId,
    foto: FotoId,
) -> Result<(&'static str, BlobReader), Refusal> {
    let original = state.app.store.foto(lead, foto).await?;
    if matches!(original.image, StoredImage::Url(_)) {
        return Err(Refusal::NotFound);
    }
    if let Ok(list) = state.app.photos().ready(lead, foto, Size::Thumbnail).await? {
        return Ok(("image/jpeg", list));
    }
    let bytes = state.app.photos().bytes(lead, foto).await?.ok_or(Refusal::NotFound)?;
    let kind = HARMLESS.iter().find(|t| **t == bytes.kind).copied();
    Ok((kind.unwrap_or("application/octet-stream"), bytes.bytes))
}

/// `POST /f/:slug/:pase/fotos/:foto/borrar`.
pub(crate) async fn delete(
    State(state): State<WebState>,
    Path((slug, pass, foto)): Path<(String, String, String)>,
    headers: HeaderMap,
) -> PageResult {
    let open = Opened::open(&state, &slug, &pass).await?;
    let foto = FotoId::parse(&foto).filter(|id| own(&open.record).any(|f| f.id == *id));
    if let Some(foto) = foto {
        state.app.photos().remove(open.record.lead.id, foto).await?;
    }
    // The person may press the button twice, so deleting a photo for the second time also succeeds.
    if wants_json(&headers) {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    Ok(redirect(&open.form.path(Step::Fotos)))
}

/// The texts about one zone for the template.
impl ZonaView {
    fn alt(&self, n: &usize) -> String {
        format!("Foto {} de {}", n, words::zona(self.words.zona).yours)
    }

    fn field_nota(&self) -> String {
        format!("nota-{}", self.words.zona)
    }
}

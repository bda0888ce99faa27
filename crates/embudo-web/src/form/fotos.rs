//! Step 5: photos and notes by zone; a photo by the form's pass, and its removal.

use askama::Template;
use axum::extract::{Path, State};
use axum::response::IntoResponse;
use embudo_app::Tamano;
use embudo_blobs::BlobReader;
use embudo_domain::ficha::{Ficha, ImagenGuardada, Nota};
use embudo_domain::ingesta::Momento;
use embudo_domain::{FotoId, LeadId, NotaId, Zona};
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, StatusCode};

use super::step::{Abierto, Errores, Paso, Respuesta, Visitor, Vista};
use super::upload::{FORMATOS, MAX_FOTOS};
use super::words::{self, PalabrasZona, ZONAS};
use crate::WebState;
use crate::parts::{Frame, Refusal, pagina, quiere_json, redirigir};
use embudo_door::blob;

const TITULO: &str = "¿Nos enseñas cómo está ahora?";
const INOFENSIVAS: &[&str] =
    &["image/jpeg", "image/png", "image/webp", "image/gif", "image/avif", "image/heic"];

#[derive(Template)]
#[template(path = "form/fotos.html")]
struct Pagina {
    frame: Frame,
    vista: Vista,
    errores: Errores,
    base: String,
    /// The zones asked about, and those that one may add.
    principales: Vec<ZonaVista>,
    otras: Vec<ZonaVista>,
    maximo: usize,
    formatos: &'static str,
}

/// One zone with what is kept of it.
struct ZonaVista {
    palabras: &'static PalabrasZona,
    fotos: Vec<FotoVista>,
    /// What stands in its box: what was typed and could not be saved yet, or what is kept.
    nota: String,
}

struct FotoVista {
    id: String,
    href: String,
    legible: bool,
}

/// `GET /f/:slug/:pase/fotos`.
pub(crate) async fn mostrar(
    State(estado): State<WebState>,
    Path((slug, pase)): Path<(String, String)>,
) -> Respuesta {
    let abierto = Abierto::abrir(&estado, &slug, &pase).await?;
    mostrar_con(&estado, abierto, &[], Errores::default()).await
}

/// The page with notes that were typed and not saved.
pub(super) async fn mostrar_con(
    estado: &WebState,
    abierto: Abierto,
    tecleadas: &[(Zona, String)],
    errores: Errores,
) -> Respuesta {
    let tipo = Zona::supuesta(abierto.ficha.lead.perfil.tipo_reforma);
    let (mut principales, mut otras) = (Vec::new(), Vec::new());
    for palabras in &ZONAS {
        let zona = zona_vista(&abierto, palabras, tecleadas);
        let principal = match tipo {
            // A whole dwelling is looked at room by room.
            Zona::Integral => palabras.zona != Zona::Integral,
            tipo => palabras.zona == tipo,
        };
        let algo = !zona.fotos.is_empty() || !zona.nota.is_empty();
        if principal || algo {
            principales.push(zona);
        } else if palabras.zona != Zona::Integral {
            otras.push(zona);
        }
    }
    let base = abierto.form.base.clone();
    let visitor = Visitor::from(abierto);
    let pagina_ = Pagina {
        base,
        vista: Vista::new(estado, &visitor, Paso::Fotos).await?,
        frame: visitor
            .into_frame(errores.titulo(TITULO))
            .con(&["formulario.css"], &["formulario.js", "fotos.js"]),
        errores,
        principales,
        otras,
        maximo: MAX_FOTOS,
        formatos: FORMATOS,
    };
    Ok(pagina(pagina_.errores.status(), pagina_.vista.visibilidad, &pagina_.frame, &pagina_))
}

fn zona_vista(abierto: &Abierto, palabras: &'static PalabrasZona, tecleadas: &[(Zona, String)]) -> ZonaVista {
    let zona = palabras.zona;
    let fotos = propias(&abierto.ficha).filter(|f| f.zona == zona).map(|f| FotoVista {
        id: f.id.to_string(),
        href: format!("{}/fotos/{}", abierto.form.base, f.id),
        legible: f.imagen.legible() && !matches!(f.imagen, ImagenGuardada::Url(_)),
    });
    let tecleada = tecleadas.iter().find(|(z, _)| *z == zona).map(|(_, t)| t.as_str());
    let nota = tecleada.or_else(|| nota_de(&abierto.ficha, zona)).unwrap_or_default().to_owned();
    ZonaVista { palabras, fotos: fotos.collect(), nota }
}

/// The notes that the form wrote. What came from elsewhere is not the form's to show or to change.
pub(super) fn notas_propias(ficha: &Ficha) -> impl Iterator<Item = &Nota> {
    let lead = ficha.lead.id;
    ficha.notas.iter().filter(move |n| n.zona.is_some_and(|zona| n.id == NotaId::del_formulario(lead, zona)))
}

/// What the form's note about a zone says.
pub(super) fn nota_de(ficha: &Ficha, zona: Zona) -> Option<&str> {
    notas_propias(ficha).find(|n| n.zona == Some(zona)).map(|n| n.texto.as_str())
}

/// The photos that a client sends: those of the place as it is. Renders are not the form's to show or to remove.
pub(super) fn propias(ficha: &Ficha) -> impl Iterator<Item = &embudo_domain::ficha::Foto> {
    ficha.fotos.iter().filter(|f| f.momento == Momento::Antes)
}

/// `GET /f/:slug/:pase/fotos/:foto`.
pub(crate) async fn imagen(
    State(estado): State<WebState>,
    Path((slug, pase, foto)): Path<(String, String, String)>,
) -> Respuesta {
    let abierto = Abierto::abrir(&estado, &slug, &pase).await?;
    let foto = FotoId::parse(&foto).filter(|id| propias(&abierto.ficha).any(|f| f.id == *id));
    let foto = foto.ok_or(Refusal::NoExiste)?;
    let (tipo, bytes) = miniatura(&estado, abierto.ficha.lead.id, foto).await?;
    let mut response = blob(bytes).into_response();
    let cabeceras = response.headers_mut();
    cabeceras.insert(CONTENT_TYPE, HeaderValue::from_static(tipo));
    cabeceras.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; sandbox"));
    // Bytes never change under an id; the pass in the address keeps it to this person's browser.
    cabeceras.insert(CACHE_CONTROL, HeaderValue::from_static("private, max-age=3600"));
    Ok(response)
}

/// A photo small enough for a list. One that we cannot read is shown as it came: the browser may know how.
async fn miniatura(
    estado: &WebState,
    lead: LeadId,
    foto: FotoId,
) -> Result<(&'static str, BlobReader), Refusal> {
    let original = estado.app.store.foto(lead, foto).await?;
    if matches!(original.imagen, ImagenGuardada::Url(_)) {
        return Err(Refusal::NoExiste);
    }
    if let Ok(lista) = estado.app.photos().ready(lead, foto, Tamano::Miniatura).await? {
        return Ok(("image/jpeg", lista));
    }
    let bytes = estado.app.photos().bytes(lead, foto).await?.ok_or(Refusal::NoExiste)?;
    let tipo = INOFENSIVAS.iter().find(|t| **t == bytes.tipo).copied();
    Ok((tipo.unwrap_or("application/octet-stream"), bytes.bytes))
}

/// `POST /f/:slug/:pase/fotos/:foto/borrar`.
pub(crate) async fn borrar(
    State(estado): State<WebState>,
    Path((slug, pase, foto)): Path<(String, String, String)>,
    headers: HeaderMap,
) -> Respuesta {
    let abierto = Abierto::abrir(&estado, &slug, &pase).await?;
    let foto = FotoId::parse(&foto).filter(|id| propias(&abierto.ficha).any(|f| f.id == *id));
    if let Some(foto) = foto {
        estado.app.store.delete_foto(abierto.ficha.lead.id, foto).await?;
    }
    // One that is gone already is as good as removed: the button may be pressed twice.
    if quiere_json(&headers) {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    Ok(redirigir(&abierto.form.ruta(Paso::Fotos)))
}

/// «tu cocina», for the alternative text of a photo.
impl ZonaVista {
    fn alt(&self, n: &usize) -> String {
        format!("Foto {} de {}", n, words::zona(self.palabras.zona).tuya)
    }

    fn campo_nota(&self) -> String {
        format!("nota-{}", self.palabras.zona)
    }
}

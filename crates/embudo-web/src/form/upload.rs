//! Photos and notes coming in: one raw photo from the module, or the whole form without it. Both go through ingestion.

use axum::extract::{Path, Request, State};
use axum::response::IntoResponse;
use bytes::Bytes;
use embudo_app::KnownBy;
use embudo_domain::ficha::ImagenGuardada;
use embudo_domain::imagen::{Contenido, Imagen};
use embudo_domain::ingesta::{FotoItem, Ingesta, Item, Momento};
use embudo_domain::{Huella, Zona};
use embudo_fotos::{Formato, Motivo};
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderValue, StatusCode, Uri};
use serde_json::json;

use super::fotos::{mostrar_con, nota_de, propias};
use super::multipart;
use super::step::{Abierto, Errores, Paso, Respuesta};
use crate::WebState;
use crate::parts::{Campos, Cliente, Refusal, leer_campos, quiere_json, read_public, redirigir};
use embudo_door::ReadBody;

/// The largest photo.
const MAX_FOTO_BYTES: usize = 15 * 1024 * 1024;
/// What may be sent, in words.
pub(super) const FORMATOS: &str = "JPG o PNG";
/// How many photos of the place a lead may have.
pub(super) const MAX_FOTOS: usize = 40;
/// The longest note.
pub(super) const MAX_NOTA: usize = 4_000;

/// `POST /f/:slug/:pase/fotos/subir?zona=…` with a photo as its body: JSON with its id.
pub(crate) async fn una(
    State(estado): State<WebState>,
    Path((slug, pase)): Path<(String, String)>,
    Cliente(ip): Cliente,
    uri: Uri,
    request: Request,
) -> Respuesta {
    let abierto = Abierto::abrir(&estado, &slug, &pase).await?;
    let consulta = leer_campos(uri.query().unwrap_or_default().as_bytes());
    let zona = zona_de(&consulta, &abierto);
    let (parts, body) = request.into_parts();
    // Counted before it is read: what comes to nothing has cost its bytes all the same.
    estado.quotas.fotos(ip, 1, estado.app.ahora())?;
    let ReadBody { bytes, permit } = read_public(&estado, &parts, body, MAX_FOTO_BYTES).await?;
    let tipo = match tipo_de(&bytes) {
        Ok(tipo) => tipo,
        Err(mensaje) => return Ok(no_vale(&mensaje)),
    };
    let huella = Huella::of(&bytes);
    // A photo that comes again, because the answer to the first try was lost, is the same photo.
    if let Some(id) = ya_esta(&abierto, huella, zona) {
        return Ok(subida(&abierto, &id));
    }
    if propias(&abierto.ficha).count() >= MAX_FOTOS {
        return Ok(no_vale("Ya tenemos 40 fotos: con esas nos sobra. Borra alguna si quieres cambiarla."));
    }
    guardar(&estado, &abierto, vec![foto(bytes, tipo, zona)]).await?;
    drop(permit);
    let despues = Abierto::abrir(&estado, &slug, &pase).await?;
    let id = ya_esta(&despues, huella, zona).ok_or(Refusal::Interno)?;
    Ok(subida(&despues, &id))
}

fn ya_esta(abierto: &Abierto, huella: Huella, zona: Zona) -> Option<String> {
    let misma = |imagen: &ImagenGuardada| matches!(imagen, ImagenGuardada::Canonica { bytes, .. } if *bytes == huella);
    propias(&abierto.ficha).find(|f| f.zona == zona && misma(&f.imagen)).map(|f| f.id.to_string())
}

fn subida(abierto: &Abierto, id: &str) -> axum::response::Response {
    let href = format!("{}/fotos/{id}", abierto.form.base);
    responder(StatusCode::CREATED, &json!({ "id": id, "href": href }))
}

fn no_vale(mensaje: &str) -> axum::response::Response {
    responder(StatusCode::UNPROCESSABLE_ENTITY, &json!({ "texto": mensaje }))
}

fn responder(status: StatusCode, cuerpo: &serde_json::Value) -> axum::response::Response {
    let mut response = (status, cuerpo.to_string()).into_response();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// `POST /f/:slug/:pase/fotos`: every note and photo of the form.
pub(crate) async fn formulario(
    State(estado): State<WebState>,
    Path((slug, pase)): Path<(String, String)>,
    Cliente(ip): Cliente,
    request: Request,
) -> Respuesta {
    let abierto = Abierto::abrir(&estado, &slug, &pase).await?;
    let (parts, body) = request.into_parts();
    let limite = estado.settings.max_upload_bytes;
    // A form counts as one photo before it is read, and for those it brings beyond one afterwards.
    estado.quotas.fotos(ip, 1, estado.app.ahora())?;
    let ReadBody { bytes, permit } = read_public(&estado, &parts, body, limite).await?;
    let tipo = parts.headers.get(CONTENT_TYPE).and_then(|v| v.to_str().ok()).unwrap_or_default();
    let enviado = multipart::leer(tipo, bytes).await?;
    let mut errores = Errores::default();
    let largas = guardar_notas(&estado, &abierto, enviado.notas, &mut errores).await?;
    let mut nuevas = Vec::new();
    for (zona, bytes, huella) in enviado.fotos {
        if bytes.len() > MAX_FOTO_BYTES {
            errores.anotar("fotos", "Una foto pesa más de 15 MB: prueba con otra más pequeña.");
            continue;
        }
        match tipo_de(&bytes) {
            Ok(tipo) if ya_esta(&abierto, huella, zona).is_none() => nuevas.push(foto(bytes, tipo, zona)),
            Ok(_) => {}
            Err(mensaje) => errores.anotar("fotos", mensaje),
        }
    }
    if propias(&abierto.ficha).count() + nuevas.len() > MAX_FOTOS {
        errores.anotar("fotos", "Podemos guardar hasta 40 fotos: elige las que mejor lo enseñen.");
        nuevas.clear();
    }
    if nuevas.len() > 1 {
        estado.quotas.fotos(ip, u32::try_from(nuevas.len() - 1).unwrap_or(u32::MAX), estado.app.ahora())?;
    }
    if !nuevas.is_empty() {
        guardar(&estado, &abierto, nuevas).await?;
    }
    drop(permit);
    if errores.hay() {
        // What was right is kept; what was too long comes back to be shortened.
        let abierto = Abierto::abrir(&estado, &slug, &pase).await?;
        return mostrar_con(&estado, abierto, &largas, errores).await;
    }
    let paso = if enviado.seguir_aqui { Paso::Fotos } else { Paso::Resumen };
    if paso == Paso::Resumen {
        estado.app.forms().completed(abierto.ficha.lead.id).await?;
    }
    let lugar = abierto.form.ruta(paso);
    // The module sends the form itself, so that a broken line leaves the page and what was typed in place.
    if quiere_json(&parts.headers) {
        return Ok(responder(StatusCode::OK, &json!({ "a": lugar })));
    }
    Ok(redirigir(&lugar))
}

/// Keeps the notes that changed; returns those that are too long.
async fn guardar_notas(
    estado: &WebState,
    abierto: &Abierto,
    notas: Vec<(Zona, String)>,
    errores: &mut Errores,
) -> Result<Vec<(Zona, String)>, Refusal> {
    let mut largas = Vec::new();
    for (zona, texto) in notas {
        if texto.chars().count() > MAX_NOTA {
            errores.anotar(format!("nota-{zona}"), "Esa nota es muy larga: resúmela en 4.000 letras.");
            largas.push((zona, texto));
        } else if nota_de(&abierto.ficha, zona).unwrap_or_default() != texto {
            estado.app.forms().save_nota(abierto.ficha.lead.id, zona, &texto).await?;
        }
    }
    Ok(largas)
}

fn zona_de(campos: &Campos, abierto: &Abierto) -> Zona {
    Zona::parse(&campos.texto("zona"))
        .unwrap_or_else(|| Zona::supuesta(abierto.ficha.lead.perfil.tipo_reforma))
}

/// The media type by the bytes (what the browser says of a file is not asked), or what to tell whoever sent it. Browsers turn
/// what they can show into JPEG before it comes here, so an iPhone's HEIC only arrives from those that cannot.
fn tipo_de(bytes: &[u8]) -> Result<&'static str, String> {
    let mensaje = match embudo_fotos::inspect(bytes) {
        Ok(Formato::Jpeg) => return Ok("jpeg"),
        Ok(Formato::Png) => return Ok("png"),
        Ok(Formato::WebP) => return Ok("webp"),
        Ok(Formato::Gif) => return Ok("gif"),
        Err(Motivo::Heic | Motivo::Avif) => {
            "Esta foto está en un formato que no podemos abrir (HEIC o AVIF). Guárdala como JPG, o haz una captura de ella."
        }
        Err(Motivo::Danada) => "Esta foto está dañada o incompleta. Prueba a elegirla otra vez, o con otra.",
        Err(
            Motivo::DemasiadosPixeles
            | Motivo::DemasiadoLarga
            | Motivo::DemasiadaMemoria
            | Motivo::DemasiadasCapas,
        ) => "Esta foto es demasiado grande. Prueba con una más pequeña.",
        Err(_) => {
            return Err(format!("Este archivo no es una foto que podamos abrir. Prueba con {FORMATOS}."));
        }
    };
    Err(mensaje.to_owned())
}

fn foto(bytes: Bytes, tipo: &str, zona: Zona) -> Item {
    let imagen = Imagen::DataUri {
        prefijo: format!("data:image/{tipo};base64,"),
        contenido: Contenido::Canonico(bytes.into()),
    };
    Item::Foto(FotoItem { imagen, zona: Some(zona), momento: Momento::Antes, orden: None })
}

/// The same use case as `POST /api/leads/:id/ingesta`. It has steps, so it goes on without its client.
async fn guardar(estado: &WebState, abierto: &Abierto, items: Vec<Item>) -> Result<(), Refusal> {
    let ingesta = Ingesta { items, perfil_completo: false, finalizar: false };
    let (app, lead) = (estado.app.clone(), abierto.ficha.lead.id);
    let trabajo = tokio::spawn(async move { app.ingesta().ingest(lead, ingesta, KnownBy::Nothing).await });
    trabajo.await.expect("the task is not cancelled; a panic in it is this request's panic")?;
    Ok(())
}

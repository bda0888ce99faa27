//! Photos and notes coming in: one raw photo from the module, or the whole form without it. Both go through ingestion.

use axum::extract::{Path, Request, State};
use axum::response::IntoResponse;
use bytes::Bytes;
use embudo_app::{Llamada, Senales};
use embudo_domain::ficha::ImagenGuardada;
use embudo_domain::imagen::{Contenido, Imagen};
use embudo_domain::ingesta::{FotoItem, Ingesta, Item, Momento, TextoItem};
use embudo_domain::{Huella, Zona};
use embudo_fotos::{Formato, Motivo};
use futures_util::stream;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderValue, StatusCode, Uri};
use serde_json::json;

use super::fotos::{mostrar_con, propias};
use super::vista::{Abierto, Errores, Paso, Respuesta};
use crate::Estado;
use crate::puerta::{CuerpoLeido, read_body};
use crate::web::piezas::{Campos, Cliente, Fallo, leer_campos, redirigir};

/// The largest photo.
const MAX_FOTO_BYTES: usize = 15 * 1024 * 1024;
/// How many photos of the place a lead may have.
pub(super) const MAX_FOTOS: usize = 40;
/// The longest note.
const MAX_NOTA: usize = 4_000;

/// `POST /f/:slug/:pase/fotos/subir?zona=…` with a photo as its body: JSON with its id.
pub(crate) async fn una(
    State(estado): State<Estado>,
    Path((slug, pase)): Path<(String, String)>,
    Cliente(ip): Cliente,
    uri: Uri,
    request: Request,
) -> Respuesta {
    let abierto = Abierto::abrir(&estado, &slug, &pase).await?;
    let consulta = leer_campos(uri.query().unwrap_or_default().as_bytes());
    let zona = zona_de(&consulta, &abierto);
    let (parts, body) = request.into_parts();
    let CuerpoLeido { bytes, permiso } =
        read_body(&parts.headers, body, MAX_FOTO_BYTES, &estado.ajustes.presupuesto).await?;
    let Some(tipo) = tipo_de(&bytes) else {
        return Ok(no_vale("Este archivo no es una foto que podamos abrir. Prueba con JPG, PNG o HEIC."));
    };
    let huella = Huella::de(&bytes);
    // A photo that comes again, because the answer to the first try was lost, is the same photo.
    if let Some(id) = ya_esta(&abierto, huella, zona) {
        return Ok(subida(&abierto, &id));
    }
    if propias(&abierto.ficha).count() >= MAX_FOTOS {
        return Ok(no_vale("Ya tenemos 40 fotos: con esas nos sobra. Borra alguna si quieres cambiarla."));
    }
    estado.cuotas.fotos(ip, 1, estado.app.ahora())?;
    guardar(&estado, &abierto, vec![foto(bytes, tipo, zona)]).await?;
    drop(permiso);
    let despues = Abierto::abrir(&estado, &slug, &pase).await?;
    let id = ya_esta(&despues, huella, zona).ok_or(Fallo::Interno)?;
    Ok(subida(&despues, &id))
}

fn ya_esta(abierto: &Abierto, huella: Huella, zona: Zona) -> Option<String> {
    let misma = |imagen: &ImagenGuardada| matches!(imagen, ImagenGuardada::Canonica { bytes, .. } if *bytes == huella);
    propias(&abierto.ficha).find(|f| f.zona == zona && misma(&f.imagen)).map(|f| f.id.to_string())
}

fn subida(abierto: &Abierto, id: &str) -> axum::response::Response {
    let href = format!("{}/fotos/{id}", abierto.base);
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
    State(estado): State<Estado>,
    Path((slug, pase)): Path<(String, String)>,
    Cliente(ip): Cliente,
    request: Request,
) -> Respuesta {
    let abierto = Abierto::abrir(&estado, &slug, &pase).await?;
    let (parts, body) = request.into_parts();
    let limite = estado.ajustes.max_ingesta_bytes;
    let CuerpoLeido { bytes, permiso } =
        read_body(&parts.headers, body, limite, &estado.ajustes.presupuesto).await?;
    let tipo = parts.headers.get(CONTENT_TYPE).and_then(|v| v.to_str().ok()).unwrap_or_default();
    let enviado = leer(tipo, bytes).await?;
    let mut errores = Errores::default();
    let mut items = Vec::new();
    for (zona, texto) in &enviado.notas {
        if texto.chars().count() > MAX_NOTA {
            errores.anotar("nota", "Esa nota es muy larga: resúmela en 4.000 letras.");
        } else if !abierto.ficha.notas.iter().any(|n| n.zona == Some(*zona) && n.texto == *texto) {
            items.push(Item::Texto(TextoItem { texto: texto.clone(), zona: Some(*zona) }));
        }
    }
    let mut nuevas = 0;
    for (zona, bytes) in enviado.fotos {
        if bytes.len() > MAX_FOTO_BYTES {
            errores.anotar("fotos", "Una foto pesa más de 15 MB: prueba con otra más pequeña.");
            continue;
        }
        let Some(tipo) = tipo_de(&bytes) else {
            errores
                .anotar("fotos", "Un archivo no es una foto que podamos abrir: prueba con JPG, PNG o HEIC.");
            continue;
        };
        if ya_esta(&abierto, Huella::de(&bytes), zona).is_none() {
            nuevas += 1;
            items.push(foto(bytes, tipo, zona));
        }
    }
    if propias(&abierto.ficha).count() + nuevas > MAX_FOTOS {
        errores.anotar("fotos", "Podemos guardar hasta 40 fotos: elige las que mejor lo enseñen.");
        items.retain(|item| matches!(item, Item::Texto(_)));
        nuevas = 0;
    }
    if nuevas > 0 {
        estado.cuotas.fotos(ip, u32::try_from(nuevas).unwrap_or(u32::MAX), estado.app.ahora())?;
    }
    if !items.is_empty() {
        guardar(&estado, &abierto, items).await?;
    }
    drop(permiso);
    if errores.hay() {
        // What was right is kept; what was too long comes back to be shortened.
        let largas: Vec<_> =
            enviado.notas.into_iter().filter(|(_, t)| t.chars().count() > MAX_NOTA).collect();
        let abierto = Abierto::abrir(&estado, &slug, &pase).await?;
        return mostrar_con(&estado, abierto, &largas, errores).await;
    }
    let paso = if enviado.seguir_aqui { Paso::Fotos } else { Paso::Resumen };
    Ok(redirigir(&abierto.ruta(paso)))
}

/// What the form brought.
#[derive(Default)]
struct Enviado {
    notas: Vec<(Zona, String)>,
    fotos: Vec<(Zona, Bytes)>,
    /// Saved to go on adding.
    seguir_aqui: bool,
}

/// Fields are `nota-<zona>` and `foto-<zona>`, one of each per zone; a file field left empty comes as an empty file.
async fn leer(tipo: &str, cuerpo: Bytes) -> Result<Enviado, Fallo> {
    let limite = multer::parse_boundary(tipo).map_err(|_| Fallo::NoEntendido)?;
    let partes = stream::once(async { Ok::<_, std::convert::Infallible>(cuerpo) });
    let mut partes = multer::Multipart::new(partes, limite);
    let mut enviado = Enviado::default();
    while let Some(parte) = partes.next_field().await.map_err(|_| Fallo::NoEntendido)? {
        let nombre = parte.name().unwrap_or_default().to_owned();
        let bytes = parte.bytes().await.map_err(|_| Fallo::NoEntendido)?;
        if bytes.is_empty() {
            continue;
        }
        if let Some(zona) = nombre.strip_prefix("foto-").and_then(Zona::desde) {
            enviado.fotos.push((zona, bytes));
        } else if let Some(zona) = nombre.strip_prefix("nota-").and_then(Zona::desde) {
            let crudo = String::from_utf8_lossy(&bytes).into_owned();
            let texto = Campos(vec![(nombre.clone(), crudo)]).texto(&nombre);
            if !texto.is_empty() {
                enviado.notas.push((zona, texto));
            }
        } else if nombre == "seguir" {
            enviado.seguir_aqui = true;
        }
    }
    Ok(enviado)
}

fn zona_de(campos: &Campos, abierto: &Abierto) -> Zona {
    Zona::desde(&campos.texto("zona"))
        .unwrap_or_else(|| Zona::supuesta(abierto.ficha.lead.perfil.tipo_reforma))
}

/// The media type by the first bytes: what the browser says of a file is not asked.
fn tipo_de(bytes: &[u8]) -> Option<&'static str> {
    match Formato::de(bytes) {
        Ok(Formato::Jpeg) => Some("jpeg"),
        Ok(Formato::Png) => Some("png"),
        Ok(Formato::WebP) => Some("webp"),
        Ok(Formato::Gif) => Some("gif"),
        // Telephones send these; they are kept and shown as soon as they can be read.
        Err(Motivo::Heic) => Some("heic"),
        Err(Motivo::Avif) => Some("avif"),
        Err(_) => None,
    }
}

fn foto(bytes: Bytes, tipo: &str, zona: Zona) -> Item {
    let imagen = Imagen::DataUri {
        prefijo: format!("data:image/{tipo};base64,"),
        contenido: Contenido::Canonico(bytes.into()),
    };
    Item::Foto(FotoItem { imagen, zona: Some(zona), momento: Momento::Antes, orden: None })
}

/// The same use case as `POST /api/leads/:id/ingesta`. It has steps, so it goes on without its client.
async fn guardar(estado: &Estado, abierto: &Abierto, items: Vec<Item>) -> Result<(), Fallo> {
    let ingesta = Ingesta { items, perfil_completo: false, finalizar: false };
    let (app, lead) = (estado.app.clone(), abierto.ficha.lead.id);
    let nada = |_: Senales| embudo_store::Respuesta { status: 200, location: None, cuerpo: String::new() };
    let trabajo = tokio::spawn(async move { app.ingest(lead, ingesta, Llamada::SinClave(None), nada).await });
    trabajo.await.expect("the task is not cancelled; a panic in it is this request's panic")?;
    Ok(())
}

//! The files that pages need: styles, modules, drawings. They are part of the program and never change while it runs.
//!
//! All of them stand under one version, the hash of their contents, so that modules can import each other by relative names and
//! browsers may keep everything for ever.

use std::fmt::Write as _;
use std::sync::LazyLock;

use axum::body::Body;
use axum::extract::Path;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, VARY};
use http::{HeaderMap, HeaderValue};
use sha2::{Digest as _, Sha256};

use super::Refusal;
use embudo_door::{accepts_gzip, pack_well};

/// One file, ready to be sent.
struct Recurso {
    nombre: &'static str,
    tipo: &'static str,
    bytes: &'static [u8],
    gzip: Bytes,
}

macro_rules! recursos {
    ($($nombre:literal $tipo:literal),+ $(,)?) => {
        const FUENTES: &[(&str, &str, &[u8])] =
            &[$(($nombre, $tipo, include_bytes!(concat!("../../assets/", $nombre)))),+];
    };
}

recursos! {
    "base.css" "text/css; charset=utf-8",
    "formulario.css" "text/css; charset=utf-8",
    "formulario.js" "text/javascript; charset=utf-8",
    "fotos.js" "text/javascript; charset=utf-8",
    "iconos.svg" "image/svg+xml",
    "dibujos.svg" "image/svg+xml",
    "favicon.svg" "image/svg+xml",
    "presupuesto.css" "text/css; charset=utf-8",
    "presupuesto.js" "text/javascript; charset=utf-8",
    "presupuesto.svg" "image/svg+xml",
}

static RECURSOS: LazyLock<Vec<Recurso>> = LazyLock::new(|| {
    FUENTES
        .iter()
        .map(|&(nombre, tipo, bytes)| Recurso { nombre, tipo, bytes, gzip: pack_well(bytes).into() })
        .collect()
});

static VERSION: LazyLock<String> = LazyLock::new(|| {
    let mut todo = Sha256::new();
    for (nombre, tipo, bytes) in FUENTES {
        for parte in [nombre.as_bytes(), tipo.as_bytes(), bytes] {
            todo.update(parte.len().to_be_bytes());
            todo.update(parte);
        }
    }
    corta(&todo.finalize())
});

/// The first bytes of a hash, enough to tell versions apart.
pub(crate) fn corta(hash: &[u8]) -> String {
    let mut texto = String::new();
    for byte in &hash[..6] {
        let _ = write!(texto, "{byte:02x}");
    }
    texto
}

/// The address of a file.
pub(crate) fn ruta(nombre: &str) -> String {
    debug_assert!(FUENTES.iter().any(|f| f.0 == nombre), "{nombre} is no file of ours");
    format!("/recursos/{}/{nombre}", *VERSION)
}

/// `GET /recursos/:version/:nombre`.
pub(crate) async fn serve(
    Path((version, nombre)): Path<(String, String)>,
    pedido: HeaderMap,
) -> Result<Response, Refusal> {
    let recurso = RECURSOS.iter().find(|r| r.nombre == nombre).ok_or(Refusal::NoExiste)?;
    let acepta_gzip = accepts_gzip(&pedido);
    let cuerpo = if acepta_gzip { recurso.gzip.clone() } else { Bytes::from_static(recurso.bytes) };
    let mut response = Body::from(cuerpo).into_response();
    let cabeceras = response.headers_mut();
    cabeceras.insert(CONTENT_TYPE, HeaderValue::from_static(recurso.tipo));
    cabeceras.insert(VARY, HeaderValue::from_static("accept-encoding"));
    if acepta_gzip {
        cabeceras.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    // A page from before an update may still ask for the old version: it gets the new file and keeps nothing.
    let guardar = if version == *VERSION { "public, max-age=31536000, immutable" } else { "no-cache" };
    cabeceras.insert(CACHE_CONTROL, HeaderValue::from_static(guardar));
    Ok(response)
}

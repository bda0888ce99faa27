//! The files that pages need: styles, modules, drawings. They are compiled into the program and never change while it
//! runs.
//!
//! All addresses contain one version, the hash of all contents. So modules can import each other by relative names, and
//! browsers may cache the files for ever.

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
use embudo_server::{accepts_gzip, pack_well};

/// One file, ready to be sent.
struct Asset {
    nombre: &'static str,
    kind: &'static str,
    bytes: &'static [u8],
    gzip: Bytes,
}

macro_rules! assets {
    ($($nombre:literal $kind:literal),+ $(,)?) => {
        const FILES: &[(&str, &str, &[u8])] =
            &[$(($nombre, $kind, include_bytes!(concat!("../../assets/", $nombre)))),+];
    };
}

assets! {
    "base.css" "text/css; charset=utf-8",
    "formulario.css" "text/css; charset=utf-8",
    "formulario.js" "text/javascript; charset=utf-8",
    "fotos.js" "text/javascript; charset=utf-8",
    "iconos.svg" "image/svg+xml",
    "buscador.js" "text/javascript; charset=utf-8",
    "comparador.js" "text/javascript; charset=utf-8",
    "cuadros.css" "text/css; charset=utf-8",
    "dibujos.svg" "image/svg+xml",
    "dispositivos.js" "text/javascript; charset=utf-8",
    "favicon.svg" "image/svg+xml",
    "vivo.js" "text/javascript; charset=utf-8",
    "visitas.css" "text/css; charset=utf-8",
    "editor.css" "text/css; charset=utf-8",
    "editor.js" "text/javascript; charset=utf-8",
    "empresa.css" "text/css; charset=utf-8",
    "empresa.js" "text/javascript; charset=utf-8",
    "errores.js" "text/javascript; charset=utf-8",
    "envios.css" "text/css; charset=utf-8",
    "icono-192.png" "image/png",
    "icono-512.png" "image/png",
    "inbox.css" "text/css; charset=utf-8",
    "inbox.js" "text/javascript; charset=utf-8",
    "lead.css" "text/css; charset=utf-8",
    "lead.js" "text/javascript; charset=utf-8",
    "sin-guardar.js" "text/javascript; charset=utf-8",
    "seguir.js" "text/javascript; charset=utf-8",
    "opciones.js" "text/javascript; charset=utf-8",
    "elegir.js" "text/javascript; charset=utf-8",
    "panel.css" "text/css; charset=utf-8",
    "panel.js" "text/javascript; charset=utf-8",
    "panel.svg" "image/svg+xml",
    "presupuesto.css" "text/css; charset=utf-8",
    "presupuesto.js" "text/javascript; charset=utf-8",
    "presupuesto.svg" "image/svg+xml",
    "resumen.css" "text/css; charset=utf-8",
    "tarifa.css" "text/css; charset=utf-8",
}

static ASSETS: LazyLock<Vec<Asset>> = LazyLock::new(|| {
    FILES
        .iter()
        .map(|&(nombre, kind, bytes)| Asset { nombre, kind, bytes, gzip: pack_well(bytes).into() })
        .collect()
});

static VERSION: LazyLock<String> = LazyLock::new(|| {
    let mut all = Sha256::new();
    for (nombre, kind, bytes) in FILES {
        for part in [nombre.as_bytes(), kind.as_bytes(), bytes] {
            all.update(part.len().to_be_bytes());
            all.update(part);
        }
    }
    short(&all.finalize())
});

/// The first bytes of a hash, which are enough to tell versions apart.
pub(crate) fn short(hash: &[u8]) -> String {
    let mut text = String::new();
    for byte in &hash[..6] {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// The address of a file.
pub(crate) fn path(nombre: &str) -> String {
    debug_assert!(FILES.iter().any(|f| f.0 == nombre), "{nombre} is no file of ours");
    format!("/recursos/{}/{nombre}", *VERSION)
}

/// `GET /recursos/:version/:nombre`.
pub(crate) async fn serve(
    Path((version, nombre)): Path<(String, String)>,
    requested: HeaderMap,
) -> Result<Response, Refusal> {
    let asset = ASSETS.iter().find(|r| r.nombre == nombre).ok_or(Refusal::NotFound)?;
    let accepts_gzip = accepts_gzip(&requested);
    let body = if accepts_gzip { asset.gzip.clone() } else { Bytes::from_static(asset.bytes) };
    let mut response = Body::from(body).into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(asset.kind));
    headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    if accepts_gzip {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    // A page that was loaded before an update may still ask for the old version. It gets the new file, which is not
    // cached under the old address.
    let save = if version == *VERSION { "public, max-age=31536000, immutable" } else { "no-cache" };
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(save));
    Ok(response)
}

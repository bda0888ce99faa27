//! The layer around every page: refusals become pages, and the headers that all answers carry.

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::header::{REFERRER_POLICY, STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderMap, HeaderName, HeaderValue};

use super::{Casa, Fallo, quiere_json};
use crate::Estado;
use crate::puerta::Par;

/// Headers of every answer, unless the answer has its own.
const CABECERAS: [(HeaderName, &str); 5] = [
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    // An address may hold a pass: it goes to nobody, not even to the page behind the next link.
    (REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (
        HeaderName::from_static("permissions-policy"),
        "camera=(self), geolocation=(), microphone=(), payment=(), browsing-topics=()",
    ),
];

pub(crate) async fn capa(State(estado): State<Estado>, request: Request, next: Next) -> Response {
    let segura = es_https(&estado, &request);
    let slug = slug_en(request.uri().path());
    let datos = quiere_json(request.headers());
    let mut response = next.run(request).await;
    if let Some(fallo) = response.extensions_mut().remove::<Fallo>() {
        let casa = match &slug {
            Some(slug) => Casa::de_slug(&estado, slug).await,
            None => Err(Fallo::NoExiste),
        };
        let casa = match casa {
            Ok(casa) => Some(casa),
            Err(Fallo::NoExiste) => Casa::por_defecto(&estado).await.ok(),
            Err(_) => None,
        };
        response = if datos { fallo.datos() } else { fallo.pagina(casa) };
    }
    let cabeceras = response.headers_mut();
    for (nombre, valor) in CABECERAS {
        cabeceras.entry(nombre).or_insert(HeaderValue::from_static(valor));
    }
    if segura {
        cabeceras.insert(STRICT_TRANSPORT_SECURITY, HeaderValue::from_static("max-age=31536000"));
    }
    response
}

/// The company's name in `/f/:slug/…`.
fn slug_en(ruta: &str) -> Option<String> {
    let resto = ruta.strip_prefix("/f/")?;
    Some(resto.split('/').next().unwrap_or_default().to_owned())
}

/// Whether the person came by https: the proxy in front says so, and it is one that we believe.
fn es_https(estado: &Estado, request: &Request) -> bool {
    let peer = request.extensions().get::<Par>().map(|par| par.0.ip().to_canonical());
    let creido = peer.is_some_and(|ip| estado.ajustes.proxies.iter().any(|red| red.contains(&ip)));
    creido && forwarded_https(request.headers())
}

fn forwarded_https(headers: &HeaderMap) -> bool {
    headers.get("x-forwarded-proto").is_some_and(|v| v.as_bytes().eq_ignore_ascii_case(b"https"))
}

//! The layer around every page: refusals become pages, and the headers that all answers carry.

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::header::{REFERRER_POLICY, STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderName, HeaderValue};

use super::{Refusal, Storefront, quiere_json};
use crate::WebState;
use embudo_door::{accepts_gzip, compress};

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

/// What the layer needs of a request after it was handled.
struct Pedido {
    segura: bool,
    ruta: String,
    datos: bool,
    gzip: bool,
}

impl Pedido {
    fn de(estado: &WebState, request: &Request) -> Self {
        Self {
            segura: estado.callers.by_https(request.extensions(), request.headers()),
            ruta: request.uri().path().to_owned(),
            datos: quiere_json(request.headers()),
            gzip: accepts_gzip(request.headers()),
        }
    }
}

pub(crate) async fn layer(State(estado): State<WebState>, request: Request, next: Next) -> Response {
    let pedido = Pedido::de(&estado, &request);
    let response = next.run(request).await;
    compress(terminar(&estado, &pedido, response).await, pedido.gzip).await
}

/// What no route knows: a page where people look for pages, `elsewhere`'s answer where programs call.
pub(crate) async fn unknown(
    State(estado): State<WebState>,
    request: Request,
    elsewhere: fn() -> Response,
) -> Response {
    let pedido = Pedido::de(&estado, &request);
    if !["/f/", "/p/", "/c/"].iter().any(|lugar| pedido.ruta.starts_with(lugar)) {
        return elsewhere();
    }
    compress(terminar(&estado, &pedido, Refusal::NoExiste.into_response()).await, pedido.gzip).await
}

/// Turns a refusal into its page and adds the headers.
async fn terminar(estado: &WebState, pedido: &Pedido, mut response: Response) -> Response {
    if let Some(refusal) = response.extensions_mut().remove::<Refusal>() {
        response =
            if pedido.datos { refusal.datos() } else { refusal.pagina(casa_de(estado, &pedido.ruta).await) };
    }
    let cabeceras = response.headers_mut();
    for (nombre, valor) in CABECERAS {
        cabeceras.entry(nombre).or_insert(HeaderValue::from_static(valor));
    }
    if pedido.segura {
        cabeceras.insert(STRICT_TRANSPORT_SECURITY, HeaderValue::from_static("max-age=31536000"));
    }
    response
}

/// The company in whose look a refusal is told: that of the address, else the default one, or none without storage.
async fn casa_de(estado: &WebState, ruta: &str) -> Option<Storefront> {
    let storefront = match slug_en(ruta) {
        Some(slug) => Storefront::de_slug(estado, slug).await,
        None => Err(Refusal::NoExiste),
    };
    match storefront {
        Ok(storefront) => Some(storefront),
        Err(Refusal::NoExiste) => Storefront::por_defecto(estado).await.ok(),
        Err(_) => None,
    }
}

/// The company's name in `/f/:slug/…`.
fn slug_en(ruta: &str) -> Option<&str> {
    ruta.strip_prefix("/f/")?.split('/').next()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_sample_for_nginx_passes_on_what_is_read_here() {
        let guide = include_str!("../../../../docs/operating.md");
        for header in
            ["Host $host", "X-Forwarded-Proto $scheme", "X-Forwarded-For $proxy_add_x_forwarded_for"]
        {
            assert!(guide.contains(&format!("proxy_set_header {header};")), "{header}");
        }
    }
}

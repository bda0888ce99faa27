//! The frame around every page, and the answer that carries it.

use askama::Template;
use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, LOCATION};
use http::{HeaderName, HeaderValue, StatusCode};

use super::{Storefront, assets, brand_files};

const CROSS_ORIGIN_RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// What `frame.html` needs. A template that extends it has a field `frame`.
pub(crate) struct Frame {
    /// The page's title; the company's name is added.
    pub titulo: String,
    /// The company and its brand.
    pub storefront: Storefront,
    /// Further style sheets of ours, by file name.
    pub estilos: &'static [&'static str],
    /// Modules of ours, by file name.
    pub modulos: &'static [&'static str],
}

/// Who may keep and find a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Visibilidad {
    /// The same for everybody: search engines may find it.
    Publica,
    /// The same for everybody, on the way to something personal: going back shows what was typed, search engines do not find it.
    Anonima,
    /// Somebody's own: kept nowhere, found by nobody.
    Personal,
}

impl Frame {
    /// A frame without further files.
    pub fn new(storefront: Storefront, titulo: impl Into<String>) -> Self {
        Self { titulo: titulo.into(), storefront, estilos: &[], modulos: &[] }
    }

    /// With these style sheets and modules of ours.
    pub fn con(self, estilos: &'static [&'static str], modulos: &'static [&'static str]) -> Self {
        Self { estilos, modulos, ..self }
    }

    /// The address of a file of ours, for templates.
    pub fn recurso(&self, nombre: &str) -> String {
        assets::ruta(nombre)
    }

    /// The address of the company's style sheet.
    pub fn hoja(&self) -> String {
        brand_files::ruta(&self.storefront)
    }

    /// The start of the company's form.
    pub fn inicio(&self) -> String {
        format!("/f/{}", self.storefront.empresa.slug)
    }

    /// The address of its logo, if it has one.
    pub fn logo(&self) -> Option<String> {
        self.storefront.logo.as_ref().map(|v| format!("/f/{}/logo.png?v={v}", self.storefront.empresa.slug))
    }

    /// Its telephone as a link: digits and a plus only.
    pub fn telefono_enlace(&self) -> Option<String> {
        let telefono = self.storefront.marca.telefono.as_deref()?;
        let cifras: String = telefono.chars().filter(|c| c.is_ascii_digit() || *c == '+').collect();
        (cifras.len() >= 3).then(|| format!("tel:{cifras}"))
    }
}

/// A page. Whoever renders it says who may see it.
pub(crate) fn pagina(
    status: StatusCode,
    visibilidad: Visibilidad,
    frame: &Frame,
    plantilla: &impl Template,
) -> Response {
    let html = plantilla.render().expect("writing a template to memory does not fail");
    let mut response = (status, html).into_response();
    let cabeceras = response.headers_mut();
    cabeceras.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    let guardar = match visibilidad {
        Visibilidad::Publica | Visibilidad::Anonima => "no-cache",
        Visibilidad::Personal => "no-store",
    };
    cabeceras.insert(CACHE_CONTROL, HeaderValue::from_static(guardar));
    if visibilidad != Visibilidad::Publica {
        cabeceras.insert(HeaderName::from_static("x-robots-tag"), HeaderValue::from_static("noindex"));
    }
    let origenes = origenes(&frame.storefront);
    if !origenes.is_empty() {
        // A page that others may frame must also pass where those demand it of what they embed.
        cabeceras.insert(CROSS_ORIGIN_RESOURCE_POLICY, HeaderValue::from_static("cross-origin"));
    }
    cabeceras.insert(CONTENT_SECURITY_POLICY, politica(&origenes));
    response
}

/// On to another page of ours (`303`).
pub(crate) fn redirigir(ruta: &str) -> Response {
    let mut response = StatusCode::SEE_OTHER.into_response();
    let lugar = HeaderValue::from_str(ruta).expect("our own addresses are ASCII");
    response.headers_mut().insert(LOCATION, lugar);
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Everything from here, nothing inline, framed only where the company allows it.
fn politica(origenes: &str) -> HeaderValue {
    let marcos = if origenes.is_empty() { "'none'" } else { origenes };
    let csp = format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; \
         form-action 'self'; base-uri 'none'; frame-ancestors {marcos}"
    );
    HeaderValue::from_str(&csp).expect("origins were checked to be plain")
}

/// The origins that may frame the company's pages. What is not an origin is left out: it would change the policy's meaning.
fn origenes(storefront: &Storefront) -> String {
    let sanos = storefront.marca.origenes.iter().filter(|o| es_origen(o));
    sanos.map(String::as_str).collect::<Vec<_>>().join(" ")
}

fn es_origen(texto: &str) -> bool {
    let Some(lugar) = texto.strip_prefix("https://").or_else(|| texto.strip_prefix("http://")) else {
        return false;
    };
    let sano = |b: u8| b.is_ascii_alphanumeric() || b".-:*[]".contains(&b);
    !lugar.is_empty() && lugar.bytes().all(sano)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_origins_reach_the_policy() {
        assert!(es_origen("https://www.ejemplo.es") && es_origen("http://localhost:8080"));
        for mal in
            ["", "https://", "*", "'self'", "https://a.es; script-src *", "https://a.es/x", "ftp://a.es"]
        {
            assert!(!es_origen(mal), "{mal}");
        }
        assert!(politica("").to_str().expect("ASCII").ends_with("frame-ancestors 'none'"));
    }
}

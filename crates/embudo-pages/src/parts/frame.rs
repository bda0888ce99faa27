//! The HTML frame around the pages of clients, and the responses that contain pages.

use askama::Template;
use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, LOCATION};
use http::{HeaderName, HeaderValue, StatusCode};

use super::{Storefront, assets, brand_files};

const CROSS_ORIGIN_RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// The data of `frame.html`. A template that extends it has a field `frame`.
pub(crate) struct Frame {
    /// The page's title; the company's name is added.
    pub title: String,
    /// The company and its brand.
    pub storefront: Storefront,
    /// Additional style sheets of ours, by file name.
    pub styles: &'static [&'static str],
    /// JavaScript modules of ours, by file name.
    pub modules: &'static [&'static str],
    /// Whether a person of the company is looking at a client's page. That person cannot act there.
    pub is_preview: bool,
}

/// Who may cache and index a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Visibility {
    /// The page is the same for everybody. Search engines may index it.
    Public,
    /// A page before the personal ones, with a secret of its own. The browser may keep it, so that going back shows it
    /// as it was; shared caches may not, and search engines must not index it.
    Anonymous,
    /// A page with personal data. No cache keeps it, and search engines must not index it.
    Personal,
}

impl Frame {
    /// A frame without additional files.
    pub fn new(storefront: Storefront, title: impl Into<String>) -> Self {
        Self { title: title.into(), storefront, styles: &[], modules: &[], is_preview: false }
    }

    /// Adds these style sheets and modules of ours.
    pub fn with(self, styles: &'static [&'static str], modules: &'static [&'static str]) -> Self {
        Self { styles, modules, ..self }
    }

    pub fn previewed(self, is_preview: bool) -> Self {
        Self { is_preview, ..self }
    }

    /// The address of a file of ours, for templates.
    pub fn asset(&self, nombre: &str) -> String {
        assets::path(nombre)
    }

    /// The address of the company's style sheet.
    pub fn style_sheet(&self) -> String {
        brand_files::path(&self.storefront)
    }

    /// The start of the company's form.
    pub fn start(&self) -> String {
        format!("/f/{}", self.storefront.empresa.slug)
    }

    /// The address of the company's logo, if it has one.
    pub fn logo(&self) -> Option<String> {
        self.storefront.logo.as_ref().map(|v| format!("/f/{}/logo.png?v={v}", self.storefront.empresa.slug))
    }

    /// The company's telephone as a link: only digits and a plus sign.
    pub fn phone_link(&self) -> Option<String> {
        let telefono = self.storefront.brand.telefono.as_deref()?;
        let digits: String = telefono.chars().filter(|c| c.is_ascii_digit() || *c == '+').collect();
        (digits.len() >= 3).then(|| format!("tel:{digits}"))
    }
}

/// Renders a page. The caller decides its visibility.
pub(crate) fn render_page(
    status: StatusCode,
    visibility: Visibility,
    frame: &Frame,
    template: &impl Template,
) -> Response {
    let mut response = html(status, template);
    let headers = response.headers_mut();
    let save = match visibility {
        Visibility::Public => "no-cache",
        Visibility::Anonymous => "private, no-cache",
        Visibility::Personal => "no-store",
    };
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(save));
    if visibility != Visibility::Public {
        headers.insert(HeaderName::from_static("x-robots-tag"), HeaderValue::from_static("noindex"));
    }
    let origins = origins(&frame.storefront);
    if !origins.is_empty() {
        // Other sites may frame this page. Those that require a resource policy of embedded content must be able to
        // load it.
        headers.insert(CROSS_ORIGIN_RESOURCE_POLICY, HeaderValue::from_static("cross-origin"));
    }
    headers.insert(CONTENT_SECURITY_POLICY, policy(&origins));
    response
}

/// Renders a page that only the person who asked may see: no cache keeps it, no search engine indexes it, no other site
/// may frame it.
pub(crate) fn private_page(status: StatusCode, template: &impl Template) -> Response {
    let mut response = html(status, template);
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(HeaderName::from_static("x-robots-tag"), HeaderValue::from_static("noindex"));
    headers.insert(CONTENT_SECURITY_POLICY, policy(""));
    response
}

fn html(status: StatusCode, template: &impl Template) -> Response {
    let html = template.render().expect("writing a template to memory does not fail");
    let mut response = (status, html).into_response();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    response
}

/// Redirects to another page of ours (`303`).
pub(crate) fn redirect(path: &str) -> Response {
    let mut response = StatusCode::SEE_OTHER.into_response();
    let place = HeaderValue::from_str(path).expect("our own addresses are ASCII");
    response.headers_mut().insert(LOCATION, place);
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// The content security policy: resources only from this server, nothing inline, and frames only on the sites that the
/// company allows.
pub(super) fn policy(origins: &str) -> HeaderValue {
    let frame_ancestors = if origins.is_empty() { "'none'" } else { origins };
    let csp = format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; \
         manifest-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors {frame_ancestors}"
    );
    HeaderValue::from_str(&csp).expect("origins were checked to be plain")
}

/// The origins that may frame the company's pages. A text that is not an origin is left out, because it would change
/// the meaning of the policy.
fn origins(storefront: &Storefront) -> String {
    let healthy = storefront.brand.origins.iter().filter(|o| is_origin(o));
    healthy.map(String::as_str).collect::<Vec<_>>().join(" ")
}

fn is_origin(text: &str) -> bool {
    let Some(place) = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")) else {
        return false;
    };
    let healthy = |b: u8| b.is_ascii_alphanumeric() || b".-:*[]".contains(&b);
    !place.is_empty() && place.bytes().all(healthy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_origins_reach_the_policy() {
        assert!(is_origin("https://www.ejemplo.es") && is_origin("http://localhost:8080"));
        for wrong in
            ["", "https://", "*", "'self'", "https://a.es; script-src *", "https://a.es/x", "ftp://a.es"]
        {
            assert!(!is_origin(wrong), "{wrong}");
        }
        assert!(policy("").to_str().expect("ASCII").ends_with("frame-ancestors 'none'"));
    }
}

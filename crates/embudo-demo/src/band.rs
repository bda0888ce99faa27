//! The banner on every page that says that this is a demo. It is inserted from outside, so that the product does not
//! need to know about the demo.

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::header::{ACCEPT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderValue, StatusCode};

/// The maximum size of a page.
const MAX_PAGE: usize = 16 * 1024 * 1024;

const STYLE: &str = r#"<link rel="stylesheet" href="/demo/demo.css">"#;

/// The host on which a page is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The panel's host on this machine, which also has the demo's own pages.
    Here,
    /// The host for the client's pages.
    Client,
}

impl Place {
    fn band(self) -> &'static str {
        match self {
            Self::Here => {
                r#"<aside class="demo-banda" aria-label="Demo"><strong>DEMO</strong><span>Datos inventados. Nada sale de este equipo.</span><a href="/demo">Cosas que probar</a><a href="/demo/correo">Correo</a><a href="/demo/mensajes">Mensajes</a></aside>"#
            }
            Self::Client => {
                r#"<aside class="demo-banda" aria-label="Demo"><strong>DEMO</strong><span>Datos inventados. Nada sale de este equipo.</span></aside>"#
            }
        }
    }
}

/// The middleware around all responses.
pub async fn band(State(client_host): State<String>, mut request: Request, next: Next) -> Response {
    let host = request.headers().get(http::header::HOST).and_then(|host| host.to_str().ok());
    let is_demo = request.uri().path().starts_with("/demo") || request.uri().path().starts_with("/panel");
    let place = if host == Some(client_host.as_str()) && !is_demo { Place::Client } else { Place::Here };
    // The banner cannot be inserted into a compressed page. Compression is not needed on the same machine.
    request.headers_mut().remove(ACCEPT_ENCODING);
    let response = next.run(request).await;
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if !kind.starts_with("text/html") || response.extensions().get::<Bare>().is_some() {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let Ok(page) = to_bytes(body, MAX_PAGE).await else {
        parts.status = StatusCode::INTERNAL_SERVER_ERROR;
        return Response::from_parts(parts, Body::empty());
    };
    let page = with_band(&String::from_utf8_lossy(&page), place);
    parts.headers.insert(CONTENT_LENGTH, HeaderValue::from(page.len()));
    Response::from_parts(parts, Body::from(page))
}

/// Marks a response that is shown inside another page, such as a mail, and needs no banner.
#[derive(Debug, Clone, Copy)]
pub struct Bare;

/// The beginning of the link that jumps to the content of a page. It must stay the first link.
const SKIP_LINK: &str = "<a class=\"salto\"";

/// Inserts the style sheet into the head and the banner at the top of the body. A fragment stays unchanged.
fn with_band(page: &str, place: Place) -> String {
    let Some(head) = page.find("</head>") else { return page.to_owned() };
    let Some(body) =
        page[head..].find("<body").and_then(|at| Some(head + at + page[head + at..].find('>')? + 1))
    else {
        return page.to_owned();
    };
    let start = page[body..].trim_start();
    let body = match start.strip_prefix(SKIP_LINK).and_then(|rest| rest.find("</a>")) {
        Some(at) => page.len() - start.len() + SKIP_LINK.len() + at + "</a>".len(),
        None => body,
    };
    [&page[..head], STYLE, &page[head..body], place.band(), &page[body..]].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_band_is_the_first_thing_of_a_page() {
        let page = "<html><head><title>a</title></head>\n<body class=\"x\">\n<p>b</p></body></html>";
        let with = with_band(page, Place::Client);
        assert!(with.contains(&format!("{STYLE}</head>")), "{with}");
        assert!(with.contains("<body class=\"x\"><aside class=\"demo-banda\""), "{with}");
        let page = "<head></head><body>\n<a class=\"salto\" href=\"#a\">Saltar</a>\n<p>b</p></body>";
        assert!(
            with_band(page, Place::Here).contains("Saltar</a><aside "),
            "{}",
            with_band(page, Place::Here)
        );
        assert!(!with_band(page, Place::Client).contains("/demo/correo"));
        assert!(with_band(page, Place::Here).contains("/demo/correo"));
    }

    #[test]
    fn a_fragment_stays_as_it_is() {
        for fragment in ["<li>a</li>", "", "<head></head>", "<body>"] {
            assert_eq!(with_band(fragment, Place::Here), fragment);
        }
    }
}

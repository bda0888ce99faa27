//! The band that says on every page that it is a demo. It is put in from outside, so that the product knows nothing
//! of it.

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::header::{ACCEPT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderValue, StatusCode};

/// The largest page.
const MAX_PAGE: usize = 16 * 1024 * 1024;

const STYLE: &str = r#"<link rel="stylesheet" href="/demo/demo.css">"#;

/// Where a page is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// On this machine, where the demo's own pages are too.
    Here,
    /// For the client's eyes.
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

/// A layer around everything that is served.
pub async fn band(State(client_host): State<String>, mut request: Request, next: Next) -> Response {
    let host = request.headers().get(http::header::HOST).and_then(|host| host.to_str().ok());
    let is_demo = request.uri().path().starts_with("/demo") || request.uri().path().starts_with("/panel");
    let place = if host == Some(client_host.as_str()) && !is_demo { Place::Client } else { Place::Here };
    // A packed page would have to be unpacked first, and nothing is far away.
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

/// Marks an answer that is no page of its own: a mail within one.
#[derive(Debug, Clone, Copy)]
pub struct Bare;

/// How the link begins that jumps to a page's content. It must stay the first one.
const SKIP_LINK: &str = "<a class=\"salto\"";

/// The page with the style in its head and the band at the top of its body; a fragment stays as it is.
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

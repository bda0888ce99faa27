//! `GET /f/:slug/privacidad`: the company's privacy policy, its own or the shipped one.

use askama::Template;
use axum::extract::{Path, State};
use http::StatusCode;

use super::VERSION_TEXTOS;
use super::step::Respuesta;
use crate::WebState;
use crate::parts::{Frame, Storefront, Visibilidad, pagina};

#[derive(Template)]
#[template(path = "form/privacy.html")]
struct Pagina {
    frame: Frame,
    /// The paragraphs of the company's own text.
    propia: Option<Vec<String>>,
    version: &'static str,
}

impl Pagina {
    fn responsable(&self) -> &str {
        let storefront = &self.frame.storefront;
        storefront.marca.razon_social.as_deref().unwrap_or(&storefront.empresa.nombre)
    }
}

pub(crate) async fn mostrar(State(estado): State<WebState>, Path(slug): Path<String>) -> Respuesta {
    let storefront = Storefront::de_slug(&estado, &slug).await?;
    let propia = storefront.marca.politica.as_deref().map(parrafos);
    let pagina_ = Pagina {
        frame: Frame::new(storefront, "Política de privacidad").con(&["formulario.css"], &[]),
        propia,
        version: VERSION_TEXTOS,
    };
    Ok(pagina(StatusCode::OK, Visibilidad::Publica, &pagina_.frame, &pagina_))
}

/// Empty lines part paragraphs.
fn parrafos(texto: &str) -> Vec<String> {
    let texto = texto.replace("\r\n", "\n");
    texto.split("\n\n").map(|p| p.trim().to_owned()).filter(|p| !p.is_empty()).collect()
}

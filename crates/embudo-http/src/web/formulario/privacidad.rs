//! `GET /f/:slug/privacidad`: the company's privacy policy, its own or the shipped one.

use askama::Template;
use axum::extract::{Path, State};
use http::StatusCode;

use super::VERSION_TEXTOS;
use super::vista::Respuesta;
use crate::Estado;
use crate::web::piezas::{Casa, Marco, Visibilidad, pagina};

#[derive(Template)]
#[template(path = "formulario/privacidad.html")]
struct Pagina {
    marco: Marco,
    /// The paragraphs of the company's own text.
    propia: Option<Vec<String>>,
    version: &'static str,
}

impl Pagina {
    fn responsable(&self) -> &str {
        let casa = &self.marco.casa;
        casa.marca.razon_social.as_deref().unwrap_or(&casa.empresa.nombre)
    }
}

pub(crate) async fn mostrar(State(estado): State<Estado>, Path(slug): Path<String>) -> Respuesta {
    let casa = Casa::de_slug(&estado, &slug).await?;
    let propia = casa.marca.politica.as_deref().map(parrafos);
    let pagina_ = Pagina {
        marco: Marco::new(casa, "Política de privacidad").con(&["formulario.css"], &[]),
        propia,
        version: VERSION_TEXTOS,
    };
    Ok(pagina(StatusCode::OK, Visibilidad::Publica, &pagina_.marco, &pagina_))
}

/// Empty lines part paragraphs.
fn parrafos(texto: &str) -> Vec<String> {
    let texto = texto.replace("\r\n", "\n");
    texto.split("\n\n").map(|p| p.trim().to_owned()).filter(|p| !p.is_empty()).collect()
}

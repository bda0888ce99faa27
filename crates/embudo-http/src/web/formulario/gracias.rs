//! The end of the form: what happens next.

use askama::Template;
use axum::extract::{Path, State};
use http::{StatusCode, Uri};

use super::palabras;
use super::vista::{Abierto, Respuesta};
use crate::Estado;
use crate::web::piezas::{Casa, Marco, Visibilidad, leer_campos, pagina};

#[derive(Template)]
#[template(path = "formulario/gracias.html")]
struct Pagina {
    marco: Marco,
    titulo: String,
    textos: Vec<String>,
    /// Back to the form, and to what was consented to.
    enlaces: Option<(String, String)>,
}

/// `GET /f/:slug/:pase/gracias?por=…`.
pub(crate) async fn mostrar(
    State(estado): State<Estado>,
    Path((slug, pase)): Path<(String, String)>,
    uri: Uri,
) -> Respuesta {
    let abierto = Abierto::abrir(&estado, &slug, &pase).await?;
    let lead = &abierto.ficha.lead;
    let nombre = palabras::nombre_de_pila(&lead.nombre);
    let telefono = palabras::telefono(&lead.telefono_e164);
    let por = leer_campos(uri.query().unwrap_or_default().as_bytes()).texto("por");
    let (titulo, texto) = match por.as_str() {
        "mensajeria" => (
            format!("¡Hecho, {nombre}! Seguimos por mensajería"),
            format!(
                "Te escribiremos al {telefono}. Puedes contestar cuando te venga bien y mandar ahí más fotos o dudas."
            ),
        ),
        "llamada" => (
            format!("¡Hecho, {nombre}! Te llamamos"),
            format!(
                "Te llamaremos al {telefono} en horario de trabajo. Si no puedes cogerlo, volvemos a intentarlo."
            ),
        ),
        _ => (
            format!("¡Gracias, {nombre}!"),
            "Ya tenemos lo que nos has contado. Lo miramos con calma y te respondemos.".to_owned(),
        ),
    };
    let textos = vec![texto, format!("El presupuesto te llegará a {}.", lead.email)];
    let retirada = format!("/c/{}", estado.app.pase_consentimientos(lead.id));
    let enlaces = Some((format!("{}/resumen", abierto.base), retirada));
    let pagina_ = Pagina {
        marco: Marco::new(abierto.casa, "Gracias").con(&["formulario.css"], &[]),
        titulo,
        textos,
        enlaces,
    };
    Ok(pagina(StatusCode::OK, Visibilidad::Personal, &pagina_.marco, &pagina_))
}

/// `GET /f/:slug/gracias`: the same for nobody in particular. Programs that fill hidden fields end here.
pub(crate) async fn sin_lead(State(estado): State<Estado>, Path(slug): Path<String>) -> Respuesta {
    let casa = Casa::de_slug(&estado, &slug).await?;
    let pagina_ = Pagina {
        marco: Marco::new(casa, "Gracias").con(&["formulario.css"], &[]),
        titulo: "¡Gracias!".to_owned(),
        textos: vec!["Ya tenemos lo que nos has contado. Lo miramos con calma y te respondemos.".to_owned()],
        enlaces: None,
    };
    Ok(pagina(StatusCode::OK, Visibilidad::Personal, &pagina_.marco, &pagina_))
}

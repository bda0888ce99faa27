//! `/c/:pase`: what a person has consented to, and its withdrawal, as easy as giving it.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use askama::Template;
use axum::extract::{Path, Request, State};
use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::ficha::Ficha;
use http::StatusCode;

use super::VERSION_TEXTOS;
use super::step::Respuesta;
use crate::WebState;
use crate::parts::{Frame, Refusal, Storefront, Visibilidad, campos_de, pagina, redirigir};

#[derive(Template)]
#[template(path = "form/withdrawal.html")]
struct Pagina {
    frame: Frame,
    accion: String,
    vigentes: Vec<Vigente>,
    retirado: bool,
}

/// A consent in force, in words.
struct Vigente {
    clave: String,
    texto: String,
}

/// `GET /c/:pase`.
pub(crate) async fn mostrar(
    State(estado): State<WebState>,
    Path(pase): Path<String>,
    uri: http::Uri,
) -> Respuesta {
    let (ficha, storefront) = abrir(&estado, &pase).await?;
    let pagina_ = Pagina {
        accion: format!("/c/{pase}"),
        vigentes: vigentes(&ficha)
            .iter()
            .map(|c| Vigente { clave: clave(c), texto: texto(c, storefront.marca.mensajeria()) })
            .collect(),
        retirado: uri.query() == Some("hecho"),
        frame: Frame::new(storefront, "Tus permisos").con(&["formulario.css"], &[]),
    };
    Ok(pagina(StatusCode::OK, Visibilidad::Personal, &pagina_.frame, &pagina_))
}

/// `POST /c/:pase` with `que=<finalidad>` or `que=todo`.
pub(crate) async fn retirar(
    State(estado): State<WebState>,
    Path(pase): Path<String>,
    request: Request,
) -> Respuesta {
    let (ficha, _) = abrir(&estado, &pase).await?;
    let que = campos_de(&estado, request).await?.texto("que");
    let retirados: Vec<Consentimiento> = vigentes(&ficha)
        .into_iter()
        .filter(|c| que == "todo" || clave(c) == que)
        .map(|c| Consentimiento {
            otorgado: false,
            otorgado_en: None,
            texto_version: VERSION_TEXTOS.to_owned(),
            fuente: Some("pagina_de_permisos".to_owned()),
            ..c.clone()
        })
        .collect();
    if !retirados.is_empty() {
        estado.app.forms().record_consentimientos(ficha.lead.id, retirados).await?;
    }
    Ok(redirigir(&format!("/c/{pase}?hecho")))
}

async fn abrir(estado: &WebState, pase: &str) -> Result<(Ficha, Storefront), Refusal> {
    let lead = estado.app.form_passes().read_consentimientos(pase)?;
    let ficha = estado.app.store.ficha(lead).await?;
    let storefront = Storefront::de_empresa(estado, ficha.lead.empresa.clone()).await?;
    Ok((ficha, storefront))
}

/// The last word on each purpose and channel, where it is yes. That a notice was shown is no consent.
fn vigentes(ficha: &Ficha) -> Vec<&Consentimiento> {
    let mut ultimos: Vec<&Consentimiento> = Vec::new();
    let mut donde: HashMap<String, usize> = HashMap::new();
    for c in &ficha.consentimientos {
        match donde.entry(clave(c)) {
            Entry::Occupied(n) => ultimos[*n.get()] = c,
            Entry::Vacant(n) => {
                n.insert(ultimos.len());
                ultimos.push(c);
            }
        }
    }
    ultimos.retain(|c| c.otorgado && c.finalidad != "informacion_privacidad");
    ultimos
}

fn clave(c: &Consentimiento) -> String {
    match &c.canal {
        Some(canal) => format!("{}-{canal}", c.finalidad),
        None => c.finalidad.clone(),
    }
}

fn texto(c: &Consentimiento, mensajeria: &str) -> String {
    match (c.finalidad.as_str(), c.canal.as_deref()) {
        ("comercial", Some("email")) => "Recibir ideas y ofertas por correo".to_owned(),
        ("comercial", _) => "Recibir ideas y ofertas".to_owned(),
        ("contacto", Some("mensajeria")) => {
            format!("Que te escribamos por {mensajeria} sobre tu presupuesto")
        }
        ("contacto", Some("llamada")) => "Que te llamemos sobre tu presupuesto".to_owned(),
        _ => "Otro permiso que nos diste".to_owned(),
    }
}

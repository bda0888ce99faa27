//! `/c/:pase`: shows what a person has consented to. Withdrawing a consent is as easy as giving it.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use askama::Template;
use axum::extract::{Path, Request, State};
use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::record::LeadRecord;
use http::StatusCode;

use super::TEXTS_VERSION;
use super::step::PageResult;
use crate::WebState;
use crate::panel::works_at;
use crate::parts::{Frame, Refusal, Storefront, Visibility, fields_of, redirect, render_page};

#[derive(Template)]
#[template(path = "form/withdrawal.html")]
struct WithdrawalPage {
    frame: Frame,
    action: String,
    granted: Vec<Granted>,
    withdrawn: bool,
}

/// A consent in force, in words.
struct Granted {
    key: String,
    text: String,
}

/// `GET /c/:pase`.
pub(crate) async fn show(
    State(state): State<WebState>,
    Path(pass): Path<String>,
    request: Request,
) -> PageResult {
    let (record, storefront) = open(&state, &pass).await?;
    let parts = request.into_parts().0;
    let is_preview = works_at(&state, &parts, record.lead.empresa.id).await?;
    let page = WithdrawalPage {
        action: format!("/c/{pass}"),
        granted: granted(&record)
            .iter()
            .map(|c| Granted { key: key(c), text: text(c, storefront.brand.mensajeria()) })
            .collect(),
        withdrawn: parts.uri.query() == Some("hecho"),
        frame: Frame::new(storefront, "Tus permisos").with(&["formulario.css"], &[]).previewed(is_preview),
    };
    Ok(render_page(StatusCode::OK, Visibility::Personal, &page.frame, &page))
}

/// `POST /c/:pase` with `que=<finalidad>` or `que=todo`.
pub(crate) async fn withdraw(
    State(state): State<WebState>,
    Path(pass): Path<String>,
    request: Request,
) -> PageResult {
    let (record, _) = open(&state, &pass).await?;
    let (parts, body) = request.into_parts();
    if works_at(&state, &parts, record.lead.empresa.id).await? {
        return Err(Refusal::Preview);
    }
    let what = fields_of(&state, Request::from_parts(parts, body)).await?.text("que");
    let withdrawn: Vec<Consentimiento> = granted(&record)
        .into_iter()
        .filter(|c| what == "todo" || key(c) == what)
        .map(|c| Consentimiento {
            granted: false,
            otorgado_en: None,
            texto_version: TEXTS_VERSION.to_owned(),
            source: Some("pagina_de_permisos".to_owned()),
            ..c.clone()
        })
        .collect();
    if !withdrawn.is_empty() {
        state.app.forms().record_consentimientos(record.lead.id, withdrawn).await?;
    }
    Ok(redirect(&format!("/c/{pass}?hecho")))
}

async fn open(state: &WebState, pass: &str) -> Result<(LeadRecord, Storefront), Refusal> {
    let lead = state.app.form_passes().read_consentimientos(pass)?;
    let record = state.app.store.record(lead).await?;
    let storefront = Storefront::of_empresa(state, record.lead.empresa.clone()).await?;
    Ok((record, storefront))
}

/// For each purpose and channel, the latest consent if it was granted. A record that a notice was shown is not a
/// consent.
fn granted(record: &LeadRecord) -> Vec<&Consentimiento> {
    let mut last: Vec<&Consentimiento> = Vec::new();
    let mut positions: HashMap<String, usize> = HashMap::new();
    for c in &record.consentimientos {
        match positions.entry(key(c)) {
            Entry::Occupied(n) => last[*n.get()] = c,
            Entry::Vacant(n) => {
                n.insert(last.len());
                last.push(c);
            }
        }
    }
    last.retain(|c| c.granted && !c.is_notice());
    last
}

fn key(c: &Consentimiento) -> String {
    match &c.channel {
        Some(channel) => format!("{}-{channel}", c.purpose),
        None => c.purpose.clone(),
    }
}

fn text(c: &Consentimiento, mensajeria: &str) -> String {
    match (c.purpose.as_str(), c.channel.as_deref()) {
        ("comercial", Some("email")) => "Recibir ideas y ofertas por correo".to_owned(),
        ("comercial", _) => "Recibir ideas y ofertas".to_owned(),
        ("contacto", Some("mensajeria")) => {
            format!("Que te escribamos por {mensajeria} sobre tu presupuesto")
        }
        ("contacto", Some("llamada")) => "Que te llamemos sobre tu presupuesto".to_owned(),
        _ => "Otro permiso que nos diste".to_owned(),
    }
}

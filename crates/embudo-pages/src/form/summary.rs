//! Step 7: the answers, shown as a letter to be sent. Afterwards the person chooses how to continue: by messaging or by
//! telephone.

use askama::Template;
use axum::extract::{Path, State};
use embudo_app::MessageWish;
use embudo_domain::money::Cents;
use embudo_domain::perfil::Calidad;
use embudo_domain::{LeadId, Zona};
use http::StatusCode;

use super::TEXTS_VERSION;
use super::material::{own, own_notas};
use super::step::{FROM_THE_LETTER, Opened, PageResult, Step, StepView, Visitor};
use super::thanks::WAITS;
use super::words;
use crate::WebState;
use crate::parts::{ClientAddress, Frame, Refusal, network, redirect, render_page};

#[derive(Template)]
#[template(path = "form/summary.html")]
struct FormSummaryPage {
    frame: Frame,
    view: StepView,
    base: String,
    letter: Letter,
    /// Whether the form was sent before.
    is_sent: bool,
    /// Whether quotes go out by mail.
    by_mail: bool,
}

impl FormSummaryPage {
    fn change(&self, step: &str) -> String {
        format!("{}/{step}{FROM_THE_LETTER}", self.base)
    }
}

/// The contents of the letter. Unknown answers are left out.
struct Letter {
    nombre: String,
    what: &'static str,
    metros: Option<String>,
    calidad: Option<&'static str>,
    estructural: Option<bool>,
    deadline: Option<&'static str>,
    presupuesto: Option<String>,
    tastes: Option<String>,
    attachments: Option<String>,
    email: String,
    telefono: String,
}

impl Letter {
    fn of(open: &Opened) -> Self {
        let (lead, perfil) = (&open.record.lead, &open.record.lead.perfil);
        Self {
            nombre: lead.first_name(),
            what: words::zona(Zona::assumed(perfil.tipo_reforma)).yours,
            metros: perfil.m2_suelo.map(words::metros),
            calidad: perfil.calidad_global.map(Calidad::in_sentence),
            estructural: perfil.estructural,
            deadline: perfil.urgencia.map(words::urgencia),
            presupuesto: perfil.presupuesto_target_cents.map(|c| Cents(c).short()),
            tastes: perfil.taste_text.clone(),
            attachments: attachments(own(&open.record).count(), own_notas(&open.record).count()),
            email: lead.email.clone(),
            telefono: words::telefono(&lead.telefono_e164),
        }
    }
}

/// «3 fotos y una nota».
fn attachments(fotos: usize, notas: usize) -> Option<String> {
    let count = |n: usize, a: &str, several: &str| match n {
        0 => None,
        1 => Some(a.to_owned()),
        n => Some(format!("{n} {several}")),
    };
    match (count(fotos, "una foto", "fotos"), count(notas, "una nota", "notas")) {
        (Some(f), Some(n)) => Some(format!("{f} y {n}")),
        (f, n) => f.or(n),
    }
}

/// `GET /f/:slug/:pase/resumen`.
pub(crate) async fn show(
    State(state): State<WebState>,
    Path((slug, pass)): Path<(String, String)>,
) -> PageResult {
    let open = Opened::open(&state, &slug, &pass).await?;
    let (base, letter) = (open.form.base.clone(), Letter::of(&open));
    let by_mail = state.app.forms().what_follows(&open.record.lead).await?.mails_quote();
    let is_sent = state.app.forms().is_completed(open.record.lead.id).await?;
    let visitor = Visitor::from(open);
    let view = StepView::new(&state, &visitor, Step::Summary).await?;
    let frame = visitor.into_frame("Tu resumen".to_owned());
    let page = FormSummaryPage { frame, view, base, letter, is_sent, by_mail };
    Ok(render_page(StatusCode::OK, page.view.visibility, &page.frame, &page))
}

/// `POST /f/:slug/:pase/enviar`: sends the form. Sending it twice has the same effect as sending it once.
pub(crate) async fn send(
    State(state): State<WebState>,
    Path((slug, pass)): Path<(String, String)>,
) -> PageResult {
    let open = Opened::open(&state, &slug, &pass).await?;
    complete(&state, open.record.lead.id).await?;
    Ok(redirect(&format!("{}/gracias", open.form.base)))
}

/// Marks the form as completed and mails the receipt. The spawned task finishes both even if the client disconnects.
async fn complete(state: &WebState, lead: LeadId) -> Result<(), Refusal> {
    let app = state.app.clone();
    let job = embudo_trace::spawn(async move {
        app.forms().completed(lead).await?;
        app.forms().send_receipt(lead).await
    });
    job.await.expect("the task is not cancelled; a panic in it is this request's panic")?;
    Ok(())
}

/// `POST /f/:slug/:pase/mensajeria`: the lead wants to continue by messaging. Pressing the button twice counts once.
pub(crate) async fn mensajeria(
    State(state): State<WebState>,
    Path((slug, pass)): Path<(String, String)>,
    ClientAddress(ip): ClientAddress,
) -> PageResult {
    let open = Opened::open(&state, &slug, &pass).await?;
    complete(&state, open.record.lead.id).await?;
    // The work has several steps. The spawned task finishes them even if the client disconnects.
    let (app, lead) = (state.app.clone(), open.record.lead.id);
    let from = network(ip);
    let job =
        embudo_trace::spawn(async move { app.forms().go_on_by_mensajeria(lead, TEXTS_VERSION, &from).await });
    let wish = job.await.expect("the task is not cancelled; a panic in it is this request's panic")?;
    let by = if wish == MessageWish::Started { "mensajeria" } else { WAITS };
    Ok(redirect(&format!("{}/gracias?por={by}", open.form.base)))
}

/// `POST /f/:slug/:pase/llamada`: the lead prefers a telephone call.
pub(crate) async fn call(
    State(state): State<WebState>,
    Path((slug, pass)): Path<(String, String)>,
) -> PageResult {
    let open = Opened::open(&state, &slug, &pass).await?;
    complete(&state, open.record.lead.id).await?;
    state.app.forms().ask_for_call(open.record.lead.id, TEXTS_VERSION).await?;
    Ok(redirect(&format!("{}/gracias?por=llamada", open.form.base)))
}

#[cfg(test)]
mod tests {
    use super::attachments;

    #[test]
    fn counted_in_words() {
        assert_eq!(attachments(0, 0), None);
        assert_eq!(attachments(1, 0).as_deref(), Some("una foto"));
        assert_eq!(attachments(3, 1).as_deref(), Some("3 fotos y una nota"));
        assert_eq!(attachments(0, 2).as_deref(), Some("2 notas"));
    }
}

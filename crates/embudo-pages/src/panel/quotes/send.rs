//! `/panel/presupuestos/:id/enviar`: shows the recipient, the channels and the amount before sending, and sends the
//! quote.

use askama::Template;
use axum::extract::{Request, State};
use embudo_app::Sent;
use embudo_domain::checklist::missing_on_quotes;
use embudo_domain::job::Destination;
use embudo_domain::role::Permission;
use http::StatusCode;

use super::actions::{LOST, STALE};
use super::differences::compose;
use super::fields::Mistakes;
use super::revision::FormRevision;
use super::sums::{Money, Outdated, Sums};
use super::{OpenQuote, STYLES, read_draft};
use crate::WebState;
use crate::panel::form_state::FormState;
use crate::panel::kit::phone::Phone;
use crate::panel::{PanelFrame, PanelResult, Section};
use crate::parts::{Refusal, fields_of, private_page};

#[derive(Template)]
#[template(path = "panel/quotes/send.html")]
struct SendQuotePage {
    frame: PanelFrame,
    form: FormState,
    base: String,
    nombre: String,
    telefono: Phone,
    email: String,
    by_mail: bool,
    by_messaging: bool,
    until_days: u16,
    sums: Sums,
    /// The errors that keep the draft from being sent, each with the field of the editor to correct.
    mistakes: Vec<(String, String)>,
    /// The data of the company that are missing and required.
    missing: Vec<&'static str>,
    /// Whether this person may fill in the missing data.
    can_fill: bool,
    /// Optional data that are missing and that a client would expect.
    hints: Vec<(&'static str, &'static str)>,
    /// Whether somebody chose in the editor whether the quote is binding.
    is_decided: bool,
}

impl SendQuotePage {
    /// Whether the person may still make the quote binding.
    fn can_bind(&self) -> bool {
        self.sums.money.as_ref().is_some_and(|money| !money.is_binding) && !self.is_decided
    }

    fn can_send(&self) -> bool {
        self.missing.is_empty() && self.mistakes.is_empty()
    }
}

/// `GET /panel/presupuestos/:id/enviar`.
pub(crate) async fn show(open: OpenQuote) -> PanelResult {
    page(&open, StatusCode::OK, FormState::default()).await
}

async fn page(open: &OpenQuote, status: StatusCode, form: FormState) -> PanelResult {
    let Some(stored) = open.draft() else { return Ok(open.to("")) };
    let (state, lead, draft) = (&open.state, &open.record.lead, read_draft(stored)?);
    let ingredients = open.ingredients().await?;
    let composed = compose(&draft, &open.record, &ingredients);
    let (money, wrong) = match &composed {
        Ok(document) => {
            let money = Money::of(Some(&draft), document).seen_in(open);
            let money = money.priced_by(ingredients.base().tarifa, &draft, document);
            (Some(money), Mistakes::default())
        }
        Err(invalid) => (None, Mistakes::of_draft(invalid, &draft)),
    };
    let mut hints = Vec::new();
    if draft.terms.nif.is_none() {
        hints.push(("terminos.nifCliente", "el NIF del cliente"));
    }
    if draft.terms.site.is_none() {
        hints.push(("terminos.direccionObra", "la dirección de la obra"));
    }
    if draft.terms.payments.is_empty() {
        hints.push(("pagos", "un plan de pagos"));
    }
    let frame = PanelFrame::new(state, &open.signed, "Enviar el presupuesto", Section::Quotes).await?;
    let page = SendQuotePage {
        frame: frame.with(STYLES, &["editor.js"]),
        form,
        base: open.path(),
        nombre: lead.name(),
        telefono: Phone::of(&lead.telefono_e164),
        email: lead.email.clone(),
        by_mail: lead.mail().is_some() && state.app.outbound.mail.is_some(),
        by_messaging: lead.e164().is_some()
            && state.app.receivers(lead.empresa.id).await?.has(Destination::Pdf),
        until_days: composed.as_ref().map_or(0, |document| document.valid_days),
        mistakes: wrong.iter().cloned().collect(),
        sums: Sums::new(open.form_revision(stored), String::new(), true, money, &Mistakes::default())
            .beside(Outdated::of(&draft, open, &ingredients)),
        missing: missing(open).await?,
        can_fill: open.signed.may_in(lead.empresa.id, Permission::RunCompany),
        hints,
        is_decided: draft.character.is_some(),
    };
    Ok(private_page(status, &page))
}

/// The data of the company that are missing. They are required before a person sends a quote.
async fn missing(open: &OpenQuote) -> Result<Vec<&'static str>, Refusal> {
    let empresa = &open.record.lead.empresa;
    let brand = open.state.app.store.brand(empresa.id).await?.brand;
    Ok(missing_on_quotes(empresa, &brand))
}

/// `POST /panel/presupuestos/:id/enviar`.
pub(crate) async fn send(State(state): State<WebState>, open: OpenQuote, request: Request) -> PanelResult {
    let Some(stored) = open.draft() else { return Ok(open.to("")) };
    let fields = fields_of(&state, request).await?;
    let unable = StatusCode::UNPROCESSABLE_ENTITY;
    let Some(seen) = FormRevision::parse(fields.raw("revision")) else {
        return page(&open, unable, FormState::wrong("", LOST)).await;
    };
    if !missing(&open).await?.is_empty() {
        return page(&open, unable, FormState::default()).await;
    }
    if !seen.is_of(stored) {
        return page(&open, StatusCode::CONFLICT, FormState::wrong("", STALE)).await;
    }
    // Sending has several steps. The spawned task finishes them even if the client disconnects.
    let (app, seen, actor) = (state.app.clone(), open.seen(stored), open.signed.actor());
    let is_binding = fields.raw("vinculante") == "si";
    let task = embudo_trace::spawn(async move {
        match is_binding {
            true => app.quotes().send_binding(seen, &actor).await,
            false => app.quotes().send(seen, &actor).await,
        }
    });
    match task.await.expect("the task is not cancelled; a panic in it is this request's panic")? {
        Sent::Done(_) => Ok(open.to("?hecho=enviado")),
        // The form was sent twice, or somebody else sent the quote. Its page shows that.
        Sent::Gone => Ok(open.to("")),
        Sent::Stale(_) => page(&open, StatusCode::CONFLICT, FormState::wrong("", STALE)).await,
        Sent::Invalid(_) => page(&open, unable, FormState::default()).await,
    }
}

//! `/r/:pase`: a client stops the reminders, with the button of the page or with the one-click unsubscribe of a mail
//! program (RFC 8058).

use askama::Template;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use embudo_domain::consentimiento::{REMINDERS, allows_reminders};
use embudo_domain::record::LeadRecord;
use http::StatusCode;

use super::step::PageResult;
use crate::WebState;
use crate::panel::works_at;
use crate::parts::{Frame, Refusal, Storefront, Visibility, pages, render_page};

// These routes are not among the form's routes, whose same-origin check would refuse the requests of mail programs.
pages! {
    "/r/{pase}" => get show, post refuse;
}

#[derive(Template)]
#[template(path = "form/reminders.html")]
struct ReminderRefusalPage {
    frame: Frame,
    action: String,
    is_refused: bool,
}

impl ReminderRefusalPage {
    fn new(storefront: Storefront, pass: &str) -> Self {
        let frame = Frame::new(storefront, "Recordatorios").with(&["formulario.css"], &[]);
        Self { frame, action: format!("/r/{pass}"), is_refused: false }
    }

    fn answer(&self) -> Response {
        render_page(StatusCode::OK, Visibility::Personal, &self.frame, self)
    }
}

/// `GET /r/:pase`. A `GET` changes nothing, because programs follow links that no person clicked.
pub(crate) async fn show(
    State(state): State<WebState>,
    Path(pass): Path<String>,
    request: Request,
) -> PageResult {
    let (record, storefront) = open(&state, &pass).await?;
    let is_preview = works_at(&state, &request.into_parts().0, record.lead.empresa.id).await?;
    let own: Vec<_> = record.consentimientos.into_iter().filter(|c| c.purpose == REMINDERS).collect();
    let mut page = ReminderRefusalPage {
        is_refused: !allows_reminders(&own),
        ..ReminderRefusalPage::new(storefront, &pass)
    };
    page.frame.is_preview = is_preview;
    Ok(page.answer())
}

/// `POST /r/:pase`, with any body. The answer is the page itself, because mail programs do not follow redirects.
pub(crate) async fn refuse(
    State(state): State<WebState>,
    Path(pass): Path<String>,
    request: Request,
) -> PageResult {
    let (record, storefront) = open(&state, &pass).await?;
    if works_at(&state, &request.into_parts().0, record.lead.empresa.id).await? {
        return Err(Refusal::Preview);
    }
    state.app.forms().refuse_reminders(&record).await?;
    Ok(ReminderRefusalPage { is_refused: true, ..ReminderRefusalPage::new(storefront, &pass) }.answer())
}

async fn open(state: &WebState, pass: &str) -> Result<(LeadRecord, Storefront), Refusal> {
    let lead = state.app.form_passes().read_consentimientos(pass)?;
    let record = state.app.store.record(lead).await?;
    let storefront = Storefront::of_empresa(state, record.lead.empresa.clone()).await?;
    Ok((record, storefront))
}

//! The quote as the client sees it, or the draft as the client would see it: page and PDF. Only people of the company
//! can open this preview. It must not be cached, and nothing can be answered there.

use http::Uri;

use super::{OpenQuote, Paper, read_draft};
use crate::panel::PanelResult;
use crate::panel::kit::papers::unkept_pdf;
use crate::parts::{Refusal, read_fields, redirect};
use crate::quote;

/// `GET /panel/presupuestos/:id/pagina`.
pub(crate) async fn page(open: OpenQuote, uri: Uri) -> PanelResult {
    let stored = match open.paper {
        Paper::Quote(quote) => {
            let query = read_fields(uri.query().unwrap_or_default().as_bytes());
            return quote::preview_page(&open.state, open.record.lead.empresa, *quote, &query).await;
        }
        Paper::Draft(ref stored) => stored,
    };
    match open.state.app.quotes().preview(&open.record, &read_draft(stored)?).await? {
        Ok(document) => quote::draft_page(&open.state, &open.record.lead, document).await,
        // The editor shows the errors.
        Err(_) if open.can_write() => Ok(open.to("/enviar")),
        Err(_) => Ok(redirect(&format!("/panel/leads/{}", open.record.lead.id))),
    }
}

/// `GET /panel/presupuestos/:id/pdf`.
pub(crate) async fn pdf(open: OpenQuote) -> PanelResult {
    let stored = match &open.paper {
        Paper::Quote(quote) => {
            return Ok(redirect(&format!("/panel/leads/{}/presupuestos/{}", quote.lead, quote.number)));
        }
        Paper::Draft(stored) => stored,
    };
    let Ok(document) = open.state.app.quotes().preview(&open.record, &read_draft(stored)?).await? else {
        return Ok(open.to("/enviar"));
    };
    // The task goes on even if the client disconnects, so that it always gives back its place in the limit of
    // concurrent drawings.
    let (app, by, record) = (open.state.app.clone(), open.signed.open.user.id, open.record);
    let task = embudo_trace::spawn(async move { app.quotes().draw_draft(by, &record, document).await });
    Ok(unkept_pdf("inline; filename=\"borrador.pdf\"", task.await.map_err(|_| Refusal::Internal)??))
}

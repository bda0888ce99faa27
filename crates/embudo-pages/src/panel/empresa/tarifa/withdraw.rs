//! `/panel/empresa/tarifa/retirar`: withdraws a version that is not in force yet.

use askama::Template;
use axum::extract::{Request, State};
use embudo_domain::words;
use embudo_store::empresas::Withdrawal;
use http::{StatusCode, Uri};

use super::{PATH, Shelf, TABS, Tabs, frame};
use crate::WebState;
use crate::panel::{PanelFrame, PanelResult, Signed};
use crate::parts::{fields_of, private_page, read_fields, redirect};

#[derive(Template)]
#[template(path = "panel/empresa/tarifa/withdraw.html")]
struct WithdrawTarifaPage {
    frame: PanelFrame,
    tabs: Tabs,
    version: String,
    since: String,
}

impl WithdrawTarifaPage {
    fn back(&self) -> &'static str {
        PATH
    }
}

pub(crate) async fn ask(State(state): State<WebState>, signed: Signed, uri: Uri) -> PanelResult {
    let query = read_fields(uri.query().unwrap_or_default().as_bytes());
    let shelf = Shelf::of(&state, &signed).await?;
    let found = shelf.find(query.raw("version"));
    let Some(version) = found.filter(|v| state.app.tarifas().is_withdrawable(v.since)) else {
        return Ok(redirect(&format!("{PATH}?hecho=no-retirada")));
    };
    let page = WithdrawTarifaPage {
        frame: frame(&state, &signed, "Retirar una versión").await?,
        tabs: TABS,
        version: version.version.clone(),
        since: words::day(version.since),
    };
    Ok(private_page(StatusCode::OK, &page))
}

pub(crate) async fn withdraw(State(state): State<WebState>, signed: Signed, request: Request) -> PanelResult {
    let shelf = Shelf::of(&state, &signed).await?;
    let fields = fields_of(&state, request).await?;
    let done = match shelf.find(fields.raw("version")) {
        Some(version) => {
            state.app.tarifas().withdraw(shelf.empresa, version.clone(), &signed.actor()).await?
        }
        None => Withdrawal::Missing,
    };
    let word = if done == Withdrawal::Done { "retirada" } else { "no-retirada" };
    Ok(redirect(&format!("{PATH}?hecho={word}")))
}

//! `/panel/empresa/tarifa/importar`: a table as a file, or pasted; every mistake with its line.

use askama::Template;
use axum::extract::{Request, State};
use embudo_domain::data::DataError;
use http::StatusCode;

use super::posted::{MAX_TEXT, read_form, text_of};
use super::proposal::Proposal;
use super::{PATH, Shelf, TABS, Tabs, frame, review};
use crate::WebState;
use crate::panel::form_state::FormState;
use crate::panel::{PanelFrame, PanelResult, Signed};
use crate::parts::{Refusal, private_page};

/// So many mistakes are shown.
const MAX_MISTAKES: usize = 100;
const TOO_BIG: &str = "El archivo pesa más de 512 KB: una tarifa de mil partidas ocupa menos.";

#[derive(Template)]
#[template(path = "panel/empresa/tarifa/import.html")]
struct ImportTarifaPage {
    frame: PanelFrame,
    tabs: Tabs,
    form: FormState,
    text: String,
    mistakes: Vec<(usize, String, String)>,
    more: usize,
}

impl ImportTarifaPage {
    fn back(&self) -> &'static str {
        PATH
    }
}

pub(crate) async fn show(State(state): State<WebState>, signed: Signed) -> PanelResult {
    page(&state, &signed, StatusCode::OK, FormState::default(), String::new(), &[]).await
}

pub(crate) async fn read(State(state): State<WebState>, signed: Signed, request: Request) -> PanelResult {
    let shelf = Shelf::of(&state, &signed).await?;
    let fields = match read_form(&state, request).await {
        Ok(fields) => fields,
        Err(Refusal::Big) => return too_big(&state, &signed).await,
        Err(other) => return Err(other),
    };
    let sent = [fields.raw("archivo"), fields.raw("texto")].into_iter().find(|text| !text.trim().is_empty());
    let Some(sent) = sent else {
        let form = FormState::wrong("archivo", "Elige un archivo, o pega la tarifa en la caja.");
        return page(&state, &signed, StatusCode::UNPROCESSABLE_ENTITY, form, String::new(), &[]).await;
    };
    if sent.len() > MAX_TEXT {
        return too_big(&state, &signed).await;
    }
    let text = text_of(sent);
    match state.app.tarifas().read_file(text.clone()).await? {
        Ok((marked, table)) => {
            let proposal = Proposal::of_file(&shelf, marked, &table);
            review::page(&state, &signed, &shelf, review::Review::new(proposal)).await
        }
        Err(invalid) => {
            let form = FormState::wrong(
                "",
                "La tarifa tiene fallos y no se ha cargado. Corrígelos en la caja o en tu archivo.",
            );
            page(&state, &signed, StatusCode::UNPROCESSABLE_ENTITY, form, text, &invalid.errors).await
        }
    }
}

async fn too_big(state: &WebState, signed: &Signed) -> PanelResult {
    let form = FormState::wrong("archivo", TOO_BIG);
    page(state, signed, StatusCode::PAYLOAD_TOO_LARGE, form, String::new(), &[]).await
}

async fn page(
    state: &WebState,
    signed: &Signed,
    status: StatusCode,
    form: FormState,
    text: String,
    errors: &[DataError],
) -> PanelResult {
    let short = |text: &str| text.chars().take(200).collect::<String>();
    let mistake = |e: &DataError| (e.line, short(&e.field), short(&e.mensaje));
    let page = ImportTarifaPage {
        frame: frame(state, signed, "Importar una tarifa").await?,
        tabs: TABS,
        form,
        text,
        mistakes: errors.iter().take(MAX_MISTAKES).map(mistake).collect(),
        more: errors.len().saturating_sub(MAX_MISTAKES),
    };
    Ok(private_page(status, &page))
}

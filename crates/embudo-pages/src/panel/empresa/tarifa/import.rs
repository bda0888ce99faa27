//! `/panel/empresa/tarifa/importar`: imports a table from a file or from pasted text, and reports every error with its
//! line. A CSV contains only the items, so it is read on top of an existing version.

use askama::Template;
use axum::extract::{Request, State};
use embudo_domain::data::DataError;
use embudo_domain::tarifa::Tarifa;
use http::{StatusCode, Uri};

use super::posted::{MAX_TEXT, read_form, text_of};
use super::proposal::Proposal;
use super::{PATH, Shelf, TABS, Tabs, Which, frame, review};
use crate::WebState;
use crate::panel::form_state::FormState;
use crate::panel::{PanelFrame, PanelResult, Signed};
use crate::parts::{Refusal, private_page, read_fields};

/// The maximum number of errors shown.
const MAX_MISTAKES: usize = 100;
const TOO_BIG: &str = "El archivo pesa más de 512 KB: una tarifa de mil partidas ocupa menos.";

#[derive(Template)]
#[template(path = "panel/empresa/tarifa/import.html")]
struct ImportTarifaPage {
    frame: PanelFrame,
    tabs: Tabs,
    form: FormState,
    /// The version on top of which a CSV is read.
    base: String,
    base_name: String,
    text: String,
    mistakes: Vec<(usize, String, String)>,
    more: usize,
}

impl ImportTarifaPage {
    fn back(&self) -> &'static str {
        PATH
    }
}

/// The text that was sent, the version on top of which it is read, and its errors.
struct Sent {
    base: Which,
    text: String,
    errors: Vec<DataError>,
}

/// `GET /panel/empresa/tarifa/importar?de=…`.
pub(crate) async fn show(State(state): State<WebState>, signed: Signed, uri: Uri) -> PanelResult {
    let query = read_fields(uri.query().unwrap_or_default().as_bytes());
    let shelf = Shelf::of(&state, &signed).await?;
    let base = base_of(&state, &shelf, query.raw("de")).await?;
    let empty = Sent { base, text: String::new(), errors: Vec::new() };
    page(&state, &signed, StatusCode::OK, FormState::default(), empty).await
}

/// The version with this name, or else the one in force.
async fn base_of(state: &WebState, shelf: &Shelf, word: &str) -> Result<Which, Refusal> {
    match Which::parse(word) {
        Which::Own(version) if shelf.find(&version).is_none() => {
            Ok(shelf.table_of(state, shelf.today).await?.0)
        }
        named => Ok(named),
    }
}

pub(crate) async fn read(State(state): State<WebState>, signed: Signed, request: Request) -> PanelResult {
    let shelf = Shelf::of(&state, &signed).await?;
    let fields = match read_form(&state, request).await {
        Ok(fields) => fields,
        Err(Refusal::Big) => {
            let base = shelf.table_of(&state, shelf.today).await?.0;
            return too_big(&state, &signed, base).await;
        }
        Err(other) => return Err(other),
    };
    let base = base_of(&state, &shelf, fields.raw("de")).await?;
    let sent = [fields.raw("archivo"), fields.raw("texto")].into_iter().find(|text| !text.trim().is_empty());
    let Some(sent) = sent else {
        let form = FormState::wrong("archivo", "Elige un archivo, o pega la tarifa en la caja.");
        let empty = Sent { base, text: String::new(), errors: Vec::new() };
        return page(&state, &signed, StatusCode::UNPROCESSABLE_ENTITY, form, empty).await;
    };
    if sent.len() > MAX_TEXT {
        return too_big(&state, &signed, base).await;
    }
    let text = text_of(sent);
    let read = if Tarifa::is_csv(&text) {
        let table = shelf.table(&state, &base).await?;
        state.app.tarifas().read_csv(table, text.clone()).await?
    } else {
        state.app.tarifas().read_file(text.clone()).await?
    };
    match read {
        Ok((marked, table)) => {
            let proposal = Proposal::of_file(&shelf, marked, &table);
            review::page(&state, &signed, &shelf, review::Review::new(proposal)).await
        }
        Err(invalid) => {
            let form = FormState::wrong(
                "",
                "La tarifa tiene fallos y no se ha cargado. Corrígelos en la caja o en tu archivo.",
            );
            let sent = Sent { base, text, errors: invalid.errors };
            page(&state, &signed, StatusCode::UNPROCESSABLE_ENTITY, form, sent).await
        }
    }
}

async fn too_big(state: &WebState, signed: &Signed, base: Which) -> PanelResult {
    let form = FormState::wrong("archivo", TOO_BIG);
    let empty = Sent { base, text: String::new(), errors: Vec::new() };
    page(state, signed, StatusCode::PAYLOAD_TOO_LARGE, form, empty).await
}

async fn page(
    state: &WebState,
    signed: &Signed,
    status: StatusCode,
    form: FormState,
    sent: Sent,
) -> PanelResult {
    let Sent { base, text, errors } = sent;
    let short = |text: &str| text.chars().take(200).collect::<String>();
    let mistake = |e: &DataError| (e.line, short(&e.field), short(&e.mensaje));
    let page = ImportTarifaPage {
        frame: frame(state, signed, "Importar una tarifa").await?,
        tabs: TABS,
        form,
        base: base.word().to_owned(),
        base_name: base.name(),
        text,
        mistakes: errors.iter().take(MAX_MISTAKES).map(mistake).collect(),
        more: errors.len().saturating_sub(MAX_MISTAKES),
    };
    Ok(private_page(status, &page))
}

//! `GET /panel/empresa/tarifa/comparar?version=…`: the differences between a version and the one in force, and a sample
//! lead priced with both.

use askama::Template;
use axum::extract::State;
use http::{StatusCode, Uri};

use super::changes::Changes;
use super::sample::Sample;
use super::{PATH, Shelf, TABS, Tabs, Which, frame};
use crate::WebState;
use crate::panel::form_state::FormState;
use crate::panel::{PanelFrame, PanelResult, Signed};
use crate::parts::{private_page, read_fields};

#[derive(Template)]
#[template(path = "panel/empresa/tarifa/compare.html")]
struct CompareTarifasPage {
    frame: PanelFrame,
    tabs: Tabs,
    form: FormState,
    word: String,
    before: String,
    after: String,
    changes: Changes,
    sample: Sample,
}

impl CompareTarifasPage {
    fn back(&self) -> &'static str {
        PATH
    }
}

pub(crate) async fn show(State(state): State<WebState>, signed: Signed, uri: Uri) -> PanelResult {
    let query = read_fields(uri.query().unwrap_or_default().as_bytes());
    let shelf = Shelf::of(&state, &signed).await?;
    let after = match query.raw("version") {
        "" => Which::Shipped,
        word => Which::parse(word),
    };
    let after_table = shelf.table(&state, &after).await?;
    let (before, before_table) = shelf.table_of(&state, shelf.today).await?;
    let comparison = state.app.tarifas().compare(before_table.clone(), after_table.clone()).await?;
    let impuestos = state.app.quotes().impuestos();
    let mut form = FormState::default();
    let (sample, facts) = Sample::read("comparar", &query, &mut form);
    let (before, word, after) = (before.name(), after.word().to_owned(), after.name());
    let tables = [(before.as_str(), &before_table), (after.as_str(), &after_table)];
    let sample = sample.with(facts.as_ref(), tables, (impuestos, shelf.today));
    let status = if form.is_good() { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
    let page = CompareTarifasPage {
        frame: frame(&state, &signed, "Comparar tarifas").await?,
        tabs: TABS,
        form,
        word,
        before,
        after,
        changes: Changes::of(&comparison, impuestos),
        sample,
    };
    Ok(private_page(status, &page))
}

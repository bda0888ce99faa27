//! `GET /panel/visitas/nueva`: chooses the lead of a new visit, and continues with its form.

use askama::Template;
use axum::extract::State;
use embudo_domain::words::{day, telefono};
use embudo_store::inbox::{InboxFilter, InboxRow, InboxSort, PageStart, Reading, Viewer};
use http::{StatusCode, Uri};
use jiff::civil::Date;

use super::STYLES;
use super::calendar::day_in;
use crate::WebState;
use crate::panel::kit::chips::etapa_tone;
use crate::panel::{PanelFrame, PanelResult, Section, Signed};
use crate::parts::{private_page, read_fields};

/// The maximum number of leads to choose from.
const SHOWN: u32 = 12;
const LONGEST_SEARCH: usize = 200;

#[derive(Template)]
#[template(path = "panel/visits/choose.html")]
struct ChoosePage {
    frame: PanelFrame,
    search: String,
    /// The day from the calendar: the value of its field, and the text.
    day: Option<(String, String)>,
    leads: Vec<Candidate>,
    /// Whether more leads match the search.
    more: bool,
}

/// A lead for which a visit can be created.
struct Candidate {
    path: String,
    nombre: String,
    /// «Baño · Madrid · 612 34 56 78».
    what: String,
    etapa: (&'static str, &'static str),
}

pub(crate) async fn show(State(state): State<WebState>, signed: Signed, uri: Uri) -> PanelResult {
    let empresa = signed.empresa()?.id;
    let viewer = Viewer { who: signed.open.user.id, empresas: vec![empresa] };
    let query = read_fields(uri.query().unwrap_or_default().as_bytes());
    let on = day_in(&query);
    let search: String = query.text("q").chars().take(LONGEST_SEARCH).collect();
    let (rows, more) = match search.is_empty() {
        true => {
            let open = InboxFilter { open: true, ..InboxFilter::default() };
            let (sort, reading) = (InboxSort::Activity, Reading::rows(SHOWN));
            (state.app.store.inbox(&viewer, open, sort, PageStart::Start, reading).await?.rows, false)
        }
        false => {
            let found = state.app.inbox().search(&viewer, &search).await?;
            let more = found.more || found.hits.len() > SHOWN as usize;
            (found.hits.into_iter().map(|hit| hit.row).collect(), more)
        }
    };
    let frame = PanelFrame::new(&state, &signed, "Nueva visita", Section::Calendar).await?;
    let page = ChoosePage {
        frame: frame.with(STYLES, &["elegir.js"]),
        search,
        day: on.map(|on| (on.to_string(), day(on))),
        leads: rows.iter().take(SHOWN as usize).map(|row| candidate(row, on)).collect(),
        more,
    };
    Ok(private_page(StatusCode::OK, &page))
}

fn candidate(row: &InboxRow, on: Option<Date>) -> Candidate {
    let lead = &row.summary.lead;
    let what = [
        lead.perfil.tipo_reforma.map(|zona| zona.label().to_owned()),
        lead.place(),
        Some(telefono(&lead.telefono_e164)).filter(|telefono| !telefono.is_empty()),
    ];
    let day = on.map(|on| format!("?dia={on}")).unwrap_or_default();
    Candidate {
        path: format!("/panel/leads/{}/visitas{day}", lead.id),
        nombre: lead.name(),
        what: what.into_iter().flatten().collect::<Vec<_>>().join(" · "),
        etapa: (row.etapa.label(), etapa_tone(row.etapa)),
    }
}

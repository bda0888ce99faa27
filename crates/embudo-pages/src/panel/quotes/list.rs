//! `GET /panel/presupuestos`: a company's drafts and quotes by status, newest first.

use askama::Template;
use axum::extract::State;
use embudo_domain::presupuesto::PresupuestoNumber;
use embudo_domain::{EmpresaId, PresupuestoId, Timestamp};
use embudo_store::drafts::{DraftReason, ListedDraft, ListedQuote, QuoteStanding};
use http::{StatusCode, Uri};

use super::STYLES;
use crate::WebState;
use crate::panel::kit::chips::quote_state;
use crate::panel::kit::people::People;
use crate::panel::words::{ago, moment};
use crate::panel::{PanelFrame, PanelResult, Section, Signed};
use crate::parts::{FormFields, Refusal, private_page, read_fields};

const PAGE: u32 = 50;
/// The maximum number of quotes shown while their PDF is being drawn. There are never many.
const MOST_PREPARING: u32 = 20;

/// The selected tab, by its word in the address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tab {
    Review,
    Drafts,
    Sent,
    Accepted,
    Rejected,
    Expired,
    Superseded,
}

const TABS: [(Tab, &str, &str); 7] = [
    (Tab::Review, "por_revisar", "Por revisar"),
    (Tab::Drafts, "borradores", "Borradores"),
    (Tab::Sent, "enviados", "Enviados"),
    (Tab::Accepted, "aceptados", "Aceptados"),
    (Tab::Rejected, "rechazados", "Rechazados"),
    (Tab::Expired, "caducados", "Caducados"),
    (Tab::Superseded, "sustituidos", "Sustituidos"),
];

#[derive(Template)]
#[template(path = "panel/quotes/list.html")]
struct QuoteListPage {
    frame: PanelFrame,
    /// Address, name, and whether the tab is selected.
    tabs: Vec<(String, &'static str, bool)>,
    rows: Vec<Row>,
    next: Option<String>,
    is_first: bool,
    here: String,
    empty: &'static str,
}

struct Row {
    path: String,
    title: String,
    lead: String,
    nombre: String,
    total: Option<String>,
    is_orientative: bool,
    state: (&'static str, &'static str),
    when: String,
    note: String,
}

pub(crate) async fn show(State(state): State<WebState>, signed: Signed, uri: Uri) -> PanelResult {
    let empresa = signed.empresa()?.id;
    let query = read_fields(uri.query().unwrap_or_default().as_bytes());
    let named = TABS.iter().find(|(_, word, _)| *word == query.raw("estado")).map(|(tab, ..)| *tab);
    let tab = match named {
        Some(tab) => tab,
        None => first(&state, empresa).await?,
    };
    let word = TABS.iter().find(|(of, ..)| *of == tab).map_or("", |(_, word, _)| word);
    let here = format!("/panel/presupuestos?estado={word}");
    let after = query.raw("desde");
    let (rows, next) = match tab {
        Tab::Review | Tab::Drafts => drafts(&state, empresa, tab, &query).await?,
        _ => quotes(&state, empresa, tab, &query).await?,
    };
    let page = QuoteListPage {
        frame: PanelFrame::new(&state, &signed, "Presupuestos", Section::Quotes).await?.with(STYLES, &[]),
        tabs: TABS
            .iter()
            .map(|(of, word, name)| (format!("/panel/presupuestos?estado={word}"), *name, *of == tab))
            .collect(),
        rows,
        next: next.map(|next| format!("{here}&desde={next}")),
        is_first: after.is_empty(),
        here,
        empty: empty(tab),
    };
    Ok(private_page(StatusCode::OK, &page))
}

/// The first tab: the one with quotes that wait for a person, if there are any.
async fn first(state: &WebState, empresa: EmpresaId) -> Result<Tab, Refusal> {
    for (reason, tab) in [(DraftReason::Review, Tab::Review), (DraftReason::ByHand, Tab::Drafts)] {
        if !state.app.store.list_drafts(empresa, reason, None, 1).await?.is_empty() {
            return Ok(tab);
        }
    }
    Ok(Tab::Sent)
}

async fn drafts(
    state: &WebState,
    empresa: EmpresaId,
    tab: Tab,
    query: &FormFields,
) -> Result<(Vec<Row>, Option<String>), Refusal> {
    let reason = if tab == Tab::Review { DraftReason::Review } else { DraftReason::ByHand };
    let after = query.raw("desde").split_once('-').and_then(|(micros, id)| {
        let at = Timestamp::from_microsecond(micros.parse().ok()?).ok()?;
        Some((at, PresupuestoId::parse(id)?))
    });
    let mut found = state.app.store.list_drafts(empresa, reason, after, PAGE + 1).await?;
    let has_more = found.len() > PAGE as usize;
    found.truncate(PAGE as usize);
    let next = found.last().filter(|_| has_more);
    let next = next.map(|last| format!("{}-{}", last.guardado_en.as_microsecond(), last.id));
    let (people, now) = (People::load(state).await?, state.app.now());
    Ok((found.iter().map(|draft| of_draft(draft, &people, now)).collect(), next))
}

fn of_draft(draft: &ListedDraft, people: &People, now: Timestamp) -> Row {
    let is_review = draft.reason == DraftReason::Review;
    let by = draft.saved_by.map(|id| format!(" por {}", people.name(id))).unwrap_or_default();
    Row {
        path: format!("/panel/presupuestos/{}", draft.id),
        title: "Borrador".to_owned(),
        lead: draft.lead.to_string(),
        nombre: embudo_domain::words::name(&draft.nombre),
        total: None,
        is_orientative: false,
        state: if is_review { ("por revisar", "ficha-ojo") } else { ("borrador", "") },
        when: ago(draft.guardado_en, now),
        note: format!("guardado {}{by}", moment(draft.guardado_en, now)),
    }
}

async fn quotes(
    state: &WebState,
    empresa: EmpresaId,
    tab: Tab,
    query: &FormFields,
) -> Result<(Vec<Row>, Option<String>), Refusal> {
    let (store, now, today) = (&state.app.store, state.app.now(), state.app.today());
    let standing = match tab {
        Tab::Accepted => QuoteStanding::Accepted,
        Tab::Rejected => QuoteStanding::Rejected,
        Tab::Expired => QuoteStanding::Expired(today),
        Tab::Superseded => QuoteStanding::Superseded,
        Tab::Sent | Tab::Review | Tab::Drafts => QuoteStanding::Sent(today),
    };
    let after = PresupuestoNumber::parse(query.raw("desde"));
    let mut found = store.list_quotes(empresa, standing, after, PAGE + 1).await?;
    let has_more = found.len() > PAGE as usize;
    found.truncate(PAGE as usize);
    let next = found.last().filter(|_| has_more).map(|last| last.number.to_string());
    if tab == Tab::Sent && after.is_none() {
        let preparing = store.list_quotes(empresa, QuoteStanding::Preparing, None, MOST_PREPARING).await?;
        found.splice(0..0, preparing);
    }
    Ok((found.iter().map(|quote| of_quote(quote, tab, now)).collect(), next))
}

fn of_quote(quote: &ListedQuote, tab: Tab, now: Timestamp) -> Row {
    let version = if quote.version > 1 { format!(" · versión {}", quote.version) } else { String::new() };
    let until = embudo_domain::words::day(quote.validity.until);
    let holds = if tab == Tab::Expired { "valía" } else { "vale" };
    Row {
        path: format!("/panel/presupuestos/{}", quote.id),
        title: quote.number.to_string(),
        lead: quote.lead.to_string(),
        nombre: embudo_domain::words::name(&quote.nombre),
        total: Some(quote.certainty.figure(quote.total)),
        is_orientative: quote.certainty.is_orientative,
        state: match tab {
            Tab::Expired => ("caducado", "ficha-ojo"),
            _ => quote_state(quote.state),
        },
        when: moment(quote.creado_en, now),
        note: match quote.is_by_phone {
            true => format!("aceptado por teléfono{version}"),
            false => format!("{holds} hasta el {until}{version}"),
        },
    }
}

fn empty(tab: Tab) -> &'static str {
    match tab {
        Tab::Review => "Nada por revisar. Cuando un presupuesto espere tu visto bueno, aparecerá aquí.",
        Tab::Drafts => "Ningún borrador a medias. Abre un lead y pulsa «Preparar presupuesto».",
        Tab::Sent => "Ningún presupuesto espera respuesta. Abre un lead y pulsa «Preparar presupuesto».",
        Tab::Accepted => "Aún no hay ninguno aceptado.",
        Tab::Rejected => "Ninguno rechazado.",
        Tab::Expired => "Ninguno ha caducado sin respuesta.",
        Tab::Superseded => "Ninguno sustituido por una versión nueva.",
    }
}

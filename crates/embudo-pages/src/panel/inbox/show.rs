//! `GET /panel/leads`: the inbox.

use askama::Template;
use axum::extract::State;
use embudo_domain::etapa::Etapa;
use embudo_domain::perfil::{CanalOrigen, Urgencia};
use embudo_domain::role::Permission;
use embudo_domain::user::User;
use embudo_domain::visita::{NEAR, SpanishTimeZone};
use embudo_domain::{LeadId, Zona};
use embudo_store::inbox::{EtapaCount, InboxFilter, InboxRow, MAX_COUNT, PageStart, Reading, Viewer};
use http::{StatusCode, Uri};

use super::amounts::Amounts;
use super::ask::{Ask, FILTERS, View, format_place};
use super::outcome::{self, Refused};
use super::row::{Shower, ShownRow};
use super::viewer;
use crate::WebState;
use crate::panel::kit::archiving::REASONS;
use crate::panel::kit::choices::Choice;
use crate::panel::kit::people::workers_of;
use crate::panel::kit::set_up_progress::{SetUpProgress, left};
use crate::panel::{PanelFrame, PanelResult, Section, Signed};
use crate::parts::{FormFields, Refusal, private_page, read_fields};

/// The number of leads on a page of the list.
const PAGE: u32 = 50;
/// The number of leads in a column of the board.
const COLUMN: u32 = 20;

#[derive(Template)]
#[template(path = "panel/inbox/page.html")]
struct InboxPage {
    frame: PanelFrame,
    ask: Ask,
    shown: Shown,
    etapas: Vec<Tab>,
    people: Vec<User>,
    may_write: bool,
    may_export: bool,
    done: Option<String>,
    /// The moment of an archiving that can be undone.
    undo: Option<i64>,
    mistake: Option<&'static str>,
    /// A form about several leads that is shown again.
    refused: Refused,
    /// The address of the company's form, for people without leads.
    form: String,
    /// The progress of the set-up, for people without leads.
    left: Option<SetUpProgress>,
}

/// The main content of the page.
enum Shown {
    List {
        rows: Vec<ShownRow>,
        newer: Option<String>,
        older: Option<String>,
    },
    Board {
        columns: Vec<Column>,
    },
    Found {
        rows: Vec<ShownRow>,
        more: bool,
    },
    /// The company has no leads at all.
    Nothing,
}

struct Tab {
    nombre: &'static str,
    count: String,
    path: String,
    is_chosen: bool,
}

struct Column {
    nombre: &'static str,
    count: String,
    /// The sum of the column's quotes, and their number. Set only if all leads of the column are shown.
    sum: Option<(String, usize)>,
    rows: Vec<ShownRow>,
    path: String,
    more: bool,
}

impl InboxPage {
    fn zonas(&self) -> &'static [Choice] {
        Zona::LABELS
    }

    fn canales(&self) -> &'static [Choice] {
        CanalOrigen::LABELS
    }

    fn urgencias(&self) -> &'static [Choice] {
        Urgencia::LABELS
    }

    fn is_assigned(&self, person: &User) -> bool {
        self.ask.is("asignado", &person.id.to_string())
    }

    fn reasons(&self) -> &'static [&'static str] {
        REASONS
    }

    fn is_board(&self) -> bool {
        self.ask.view == View::Board
    }

    /// «7 presupuestos».
    fn quotes(&self, count: &usize) -> String {
        if *count == 1 { "1 presupuesto".to_owned() } else { format!("{count} presupuestos") }
    }

    /// The name and the number of leads of the selected tab.
    fn tab(&self) -> (&'static str, &str) {
        let chosen = self.etapas.iter().find(|tab| tab.is_chosen).or(self.etapas.first());
        chosen.map_or(("Etapas", ""), |tab| (tab.nombre, tab.count.as_str()))
    }

    /// The filters that a form about these leads must carry.
    fn kept(&self) -> Vec<(&'static str, String)> {
        self.ask.kept(&FILTERS)
    }
}

/// `GET /panel/leads?vista=…&etapa=…&q=…`.
pub(in crate::panel) async fn show(State(state): State<WebState>, signed: Signed, uri: Uri) -> PanelResult {
    let fields = read_fields(uri.query().unwrap_or_default().as_bytes());
    page(&state, &signed, StatusCode::OK, fields, Refused::default()).await
}

/// The list from which the form was sent, with its ticks and the reason of the refusal.
pub(super) async fn refuse(
    state: &WebState,
    signed: &Signed,
    sent: &FormFields,
    refused: Refused,
) -> PanelResult {
    let query = sent.raw("a").split_once('?').map_or("", |(_, query)| query);
    page(state, signed, StatusCode::UNPROCESSABLE_ENTITY, read_fields(query.as_bytes()), refused).await
}

async fn page(
    state: &WebState,
    signed: &Signed,
    status: StatusCode,
    fields: FormFields,
    refused: Refused,
) -> PanelResult {
    let said = match refused.beside() {
        None => refused.why,
        Some(_) => None,
    };
    let is_new = refused.why.is_none();
    let (done, mistake) = (outcome::done(&fields).filter(|_| is_new), outcome::mistake(&fields));
    let undo = outcome::undo(&fields).filter(|_| is_new);
    let ask = Ask::of(fields, signed.open.user.id, state.app.now());
    let viewer = viewer(signed)?;
    let empresa = signed.empresa()?;
    let people = workers_of(state, empresa.id).await?;
    let all = InboxFilter { etapa: None, open: false, ..ask.filter.clone() };
    let counts = state.app.store.inbox_counts(&viewer, all).await?;
    let shown = shown(state, &viewer, &ask, &counts, &people, &refused.ticked).await?;
    let frame = PanelFrame::new(state, signed, "Bandeja", Section::Inbox).await?;
    let left = match shown {
        Shown::Nothing => left(state, signed).await?,
        _ => None,
    };
    let page = InboxPage {
        frame: frame.with(&["inbox.css"], &["inbox.js"]),
        shown,
        etapas: tabs(&ask, &counts),
        people,
        may_write: signed.may(Permission::WorkLeads),
        may_export: signed.may(Permission::KeepData),
        done,
        undo: undo.filter(|_| signed.may(Permission::WorkLeads)),
        mistake: said.or(mistake),
        refused,
        form: format!("/f/{}", empresa.slug),
        left,
        ask,
    };
    Ok(private_page(status, &page))
}

async fn shown(
    state: &WebState,
    viewer: &Viewer,
    ask: &Ask,
    counts: &[EtapaCount],
    people: &[User],
    ticked: &[LeadId],
) -> Result<Shown, Refusal> {
    let now = state.app.now();
    let visits = state.app.store.upcoming_visits(viewer, now, now + NEAR).await?;
    let zone = match viewer.empresas.first().filter(|_| !visits.is_empty()) {
        Some(empresa) => state.app.visits().zone(*empresa).await?,
        None => SpanishTimeZone::Madrid,
    };
    let shower = Shower { people, visits: &visits, zone, now };
    if !ask.search.is_empty() {
        let found = state.app.inbox().search(viewer, &ask.search).await?;
        let mut rows: Vec<ShownRow> = found.hits.iter().map(|hit| shower.hit(hit)).collect();
        let amounts = Amounts::of(state, viewer, found.hits.iter().map(|hit| &hit.row)).await?;
        for (row, hit) in rows.iter_mut().zip(&found.hits) {
            let lead = hit.row.summary.lead.id;
            (row.amount, row.is_ticked) = (amounts.shown(lead), ticked.contains(&lead));
        }
        return Ok(Shown::Found { rows, more: found.more });
    }
    if counts.iter().all(|count| count.leads == 0) && ask.filters() == 0 {
        return Ok(Shown::Nothing);
    }
    if ask.view == View::Board {
        return Ok(Shown::Board { columns: columns(state, viewer, ask, counts, &shower).await? });
    }
    let mut page =
        state.app.store.inbox(viewer, ask.filter.clone(), ask.sort, ask.from, Reading::rows(PAGE)).await?;
    let first = page.rows.first().map(|row| row.place(ask.sort));
    let last = page.rows.last().map(|row| row.place(ask.sort));
    // If the time limit ended the search before the page was full, the next page continues there, even if nothing was
    // found yet.
    let (newer, older) = match ask.from {
        PageStart::Start => (None, page.resume.or(last).filter(|_| page.more)),
        PageStart::After(from) => (first.or(Some(from)), page.resume.or(last).filter(|_| page.more)),
        PageStart::Before(from) => (page.resume.or(first).filter(|_| page.more), last.or(Some(from))),
    };
    let address = |name, place: Option<_>| {
        place.map(|place| ask.with(&[(name, format_place(ask.sort, place).as_str())]))
    };
    // Ticked leads are shown even if they have moved to another page meanwhile.
    let is_away = |lead: &&LeadId| !page.rows.iter().any(|row| row.summary.lead.id == **lead);
    let away: Vec<LeadId> = ticked.iter().filter(is_away).copied().collect();
    if !away.is_empty() {
        let away = state.app.store.inbox_rows(viewer, away).await?;
        page.rows.splice(0..0, away);
    }
    let amounts = Amounts::of(state, viewer, page.rows.iter()).await?;
    let row = |row: &InboxRow| {
        let lead = row.summary.lead.id;
        ShownRow { amount: amounts.shown(lead), is_ticked: ticked.contains(&lead), ..shower.row(row) }
    };
    Ok(Shown::List {
        rows: page.rows.iter().map(row).collect(),
        newer: address("antes", newer),
        older: address("tras", older),
    })
}

async fn columns(
    state: &WebState,
    viewer: &Viewer,
    ask: &Ask,
    counts: &[EtapaCount],
    shower: &Shower<'_>,
) -> Result<Vec<Column>, Refusal> {
    let mut pages = Vec::new();
    for count in counts {
        let filter = InboxFilter { etapa: Some(count.etapa), open: false, ..ask.filter.clone() };
        let page = match count.leads {
            0 => Default::default(),
            _ => {
                state
                    .app
                    .store
                    .inbox(viewer, filter, ask.sort, PageStart::Start, Reading::rows(COLUMN))
                    .await?
            }
        };
        pages.push(page);
    }
    let amounts = Amounts::of(state, viewer, pages.iter().flat_map(|page| &page.rows)).await?;
    let row = |row: &InboxRow| ShownRow { amount: amounts.shown(row.summary.lead.id), ..shower.row(row) };
    let columns = counts.iter().zip(&pages).map(|(count, page)| Column {
        nombre: count.etapa.label(),
        count: counted(count.leads),
        sum: amounts.sum(page.rows.iter()).filter(|_| !page.more),
        rows: page.rows.iter().map(row).collect(),
        path: ask.with(&[("vista", ""), ("etapa", count.etapa.as_str())]),
        more: page.more,
    });
    Ok(columns.collect())
}

fn tabs(ask: &Ask, counts: &[EtapaCount]) -> Vec<Tab> {
    let is_open = |count: &&EtapaCount| count.etapa != Etapa::Perdido;
    let open: u32 = counts.iter().filter(is_open).map(|count| count.leads).sum();
    let all = Tab {
        nombre: "Abiertos",
        count: counted(open),
        path: ask.with(&[("etapa", ""), ("perdidos", "")]),
        is_chosen: ask.filter.etapa.is_none(),
    };
    let tab = |count: &EtapaCount| Tab {
        nombre: count.etapa.label(),
        count: counted(count.leads),
        path: ask.with(&[("etapa", count.etapa.as_str()), ("vista", "")]),
        is_chosen: ask.filter.etapa == Some(count.etapa),
    };
    let own = counts.iter().filter(|count| count.leads > 0 || ask.filter.etapa == Some(count.etapa)).map(tab);
    std::iter::once(all).chain(own).collect()
}

fn counted(leads: u32) -> String {
    if leads >= MAX_COUNT { format!("{MAX_COUNT}+") } else { leads.to_string() }
}

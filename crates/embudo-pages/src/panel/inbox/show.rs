//! `GET /panel/leads`.

use askama::Template;
use axum::extract::State;
use embudo_domain::Zona;
use embudo_domain::etapa::Etapa;
use embudo_domain::perfil::{CanalOrigen, Urgencia};
use embudo_domain::role::Permission;
use embudo_domain::user::User;
use embudo_domain::visita::{NEAR, Zone};
use embudo_store::inbox::{EtapaCount, InboxFilter, MAX_COUNT, PageStart, Reading, Viewer};
use http::{StatusCode, Uri};

use super::ask::{Ask, FILTERS, View, format_place};
use super::row::{Shower, ShownRow};
use super::viewer;
use crate::WebState;
use crate::panel::kit::archiving::REASONS;
use crate::panel::kit::choices::Choice;
use crate::panel::kit::people::workers_of;
use crate::panel::kit::set_up_progress::{SetUpProgress, left};
use crate::panel::{PanelFrame, PanelResult, Section, Signed};
use crate::parts::{Refusal, private_page, read_fields};

/// Leads on a page of the list.
const PAGE: u32 = 50;
/// Leads in a column of the board.
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
    mistake: Option<&'static str>,
    /// Where the company's form is, for who has no leads yet.
    form: String,
    /// How far the set-up is, for who has no leads yet.
    left: Option<SetUpProgress>,
}

/// What stands in the middle of the page.
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
    /// There is no lead at all.
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

    /// What a form about these leads must carry along.
    fn kept(&self) -> Vec<(&'static str, String)> {
        self.ask.kept(&FILTERS)
    }
}

/// `GET /panel/leads?vista=…&etapa=…&q=…`.
pub(in crate::panel) async fn show(State(state): State<WebState>, signed: Signed, uri: Uri) -> PanelResult {
    let fields = read_fields(uri.query().unwrap_or_default().as_bytes());
    let (done, mistake) = (super::bulk::done(&fields), super::bulk::mistake(&fields));
    let ask = Ask::of(fields, signed.open.user.id, state.app.now());
    let viewer = viewer(&signed)?;
    let empresa = signed.empresa()?;
    let people = workers_of(&state, empresa.id).await?;
    let all = InboxFilter { etapa: None, open: false, ..ask.filter.clone() };
    let counts = state.app.store.inbox_counts(&viewer, all).await?;
    let shown = shown(&state, &viewer, &ask, &counts, &people).await?;
    let frame = PanelFrame::new(&state, &signed, "Bandeja", Section::Inbox).await?;
    let left = match shown {
        Shown::Nothing => left(&state, &signed).await?,
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
        mistake,
        form: format!("/f/{}", empresa.slug),
        left,
        ask,
    };
    Ok(private_page(StatusCode::OK, &page))
}

async fn shown(
    state: &WebState,
    viewer: &Viewer,
    ask: &Ask,
    counts: &[EtapaCount],
    people: &[User],
) -> Result<Shown, Refusal> {
    let now = state.app.now();
    let visits = state.app.store.upcoming_visits(viewer, now, now + NEAR).await?;
    let zone = match viewer.empresas.first().filter(|_| !visits.is_empty()) {
        Some(empresa) => state.app.visits().zone(*empresa).await?,
        None => Zone::Madrid,
    };
    let shower = Shower { people, visits: &visits, zone, now };
    if !ask.search.is_empty() {
        let found = state.app.inbox().search(viewer, &ask.search).await?;
        let rows = found.hits.iter().map(|hit| shower.hit(hit)).collect();
        return Ok(Shown::Found { rows, more: found.more });
    }
    if counts.iter().all(|count| count.leads == 0) && ask.filters() == 0 {
        return Ok(Shown::Nothing);
    }
    if ask.view == View::Board {
        return Ok(Shown::Board { columns: columns(state, viewer, ask, counts, &shower).await? });
    }
    let page =
        state.app.store.inbox(viewer, ask.filter.clone(), ask.sort, ask.from, Reading::rows(PAGE)).await?;
    let first = page.rows.first().map(|row| row.place(ask.sort));
    let last = page.rows.last().map(|row| row.place(ask.sort));
    // Where the time was over before the page was full, the search goes on there, even if nothing was found yet.
    let (newer, older) = match ask.from {
        PageStart::Start => (None, page.resume.or(last).filter(|_| page.more)),
        PageStart::After(from) => (first.or(Some(from)), page.resume.or(last).filter(|_| page.more)),
        PageStart::Before(from) => (page.resume.or(first).filter(|_| page.more), last.or(Some(from))),
    };
    let address = |name, place: Option<_>| {
        place.map(|place| ask.with(&[(name, format_place(ask.sort, place).as_str())]))
    };
    Ok(Shown::List {
        rows: page.rows.iter().map(|row| shower.row(row)).collect(),
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
    let mut columns = Vec::new();
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
        columns.push(Column {
            nombre: count.etapa.label(),
            count: counted(count.leads),
            rows: page.rows.iter().map(|row| shower.row(row)).collect(),
            path: ask.with(&[("vista", ""), ("etapa", count.etapa.as_str())]),
            more: page.more,
        });
    }
    Ok(columns)
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

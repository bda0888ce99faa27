//! Leads and what belongs to them.

use std::sync::LazyLock;

use embudo_domain::calificacion::{Calificacion, Nivel};
use embudo_domain::consentimiento::Consentimiento;
use embudo_domain::contact::{Email, Telefono};
use embudo_domain::foto::Foto;
use embudo_domain::lead::{Lead, LeadSummary};
use embudo_domain::nota::Nota;
use embudo_domain::obra::Obra;
use embudo_domain::perfil::{CanalOrigen, EstadoWa};
use embudo_domain::record::{StateChange, StoredIntento, StoredTurno};
use embudo_domain::watched_loop::WatchedLoop;
use embudo_domain::{EmpresaId, FotoId, LeadId, Timestamp, Zona};

use super::search::{Trigrams, only_with};
use super::{Meaning, Query, Reach, unindexed};
use crate::columns::{fill, fill_of, untyped};
use crate::leads::Cursor;
use crate::leads::EventCursor;
use crate::leads::LeadFilter;
use crate::leads::ListedEvent;
use crate::rows;

static LIST: LazyLock<String> = LazyLock::new(|| fill(include_str!("../../sql/lead/list.sql"), untyped));

/// How a page of leads is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// In the order of the list, to this position at most.
    Order { to: Option<Cursor> },
    /// By the index that finds leads with the searched text. They are then sorted.
    Index(Trigrams),
}

impl Way {
    /// The whole list in its order.
    pub const WHOLE: Self = Self::Order { to: None };
}

/// One page of leads without their `utm`, newest first.
pub fn list(filter: &LeadFilter, cursor: Option<Cursor>, limit: u32, way: Way) -> Query<LeadSummary> {
    let reach = match way {
        Way::Order { to: Some(_) } => Reach::Found,
        _ if filter.walks() => Reach::Walk,
        _ => Reach::Found,
    };
    // Few leads share a telephone, an e-mail or a rare text, so they are found by it and then sorted.
    let (creado_en, id, empresa) = match way {
        Way::Order { .. } if !filter.names_one() => {
            ("lead.creado_en".to_owned(), "lead.id".to_owned(), "lead.empresa_id".to_owned())
        }
        Way::Order { .. } => {
            (unindexed("lead.creado_en"), unindexed("lead.id"), "lead.empresa_id".to_owned())
        }
        Way::Index(_) => (unindexed("lead.creado_en"), unindexed("lead.id"), unindexed("lead.empresa_id")),
    };
    // `replace` is the only function for finding a text within another that both engines have. An empty text is
    // contained in every text.
    let contains = "replace(lead.busqueda, :texto, '') <> lead.busqueda";
    let text = filter.text.as_deref().filter(|text| !text.is_empty());
    let page = Query::new(&LIST, rows::lead_summary)
        .only_if(&format!("{empresa} = :empresa"), "empresa", filter.empresa.map(|e| e.0))
        .only_if("lead.telefono_e164 = :telefono", "telefono", filter.telefono_e164.clone())
        .only_if("lead.email_normal = :email", "email", filter.email_normal.clone())
        .only_if("lead.tipo_reforma = :tipo", "tipo", filter.tipo_reforma.map(Zona::as_str))
        .only_if("calificacion.nivel = :nivel", "nivel", filter.nivel.map(Nivel::as_str))
        .only_if("lead.canal_origen = :canal", "canal", filter.canal_origen.map(CanalOrigen::as_str))
        .only_if("lead.viable = :viable", "viable", filter.viable)
        .only_if("lead.estado_wa = :estado", "estado", filter.estado_wa.map(EstadoWa::as_str))
        .only_if(contains, "texto", text)
        .only_if(&format!("{creado_en} >= :desde"), "desde", filter.since)
        .only_if(&format!("{creado_en} < :hasta"), "hasta", filter.until)
        .reaching(reach);
    let page = match way {
        Way::Order { to } => bound(page, [&creado_en, &id], ">=", "to", to),
        Way::Index(by) => only_with(page, by, "lead.id", filter.indexed()),
    };
    bound(page, [&creado_en, &id], "<", "after", cursor)
        .then(&format!("ORDER BY {creado_en} DESC, {id} DESC LIMIT :limit"))
        .bind("limit", limit)
}

/// Only leads on one side of a position.
fn bound<T>(
    page: Query<T>,
    columns: [&str; 2],
    sign: &str,
    name: &'static str,
    at: Option<Cursor>,
) -> Query<T> {
    let Some(at) = at else { return page };
    let [creado_en, id] = columns;
    page.only(&format!("({creado_en}, {id}) {sign} (:{name}, :{name}_id)"))
        .bind(name, at.creado_en)
        .bind(format!("{name}_id"), at.id.0)
}

/// The position `many` leads further on in the list, whatever is searched for.
pub fn further(filter: &LeadFilter, cursor: Option<Cursor>, many: u32) -> Query<Cursor> {
    let page = Query::new("SELECT lead.creado_en, lead.id FROM lead\n", |c| {
        Ok(Cursor { creado_en: c.get("creado_en")?, id: LeadId(c.get("id")?) })
    });
    let empresa = filter.empresa.map(|e| e.0);
    let page = page.only_if("lead.empresa_id = :empresa", "empresa", empresa);
    let page = page.only_if("lead.creado_en < :hasta", "hasta", filter.until);
    bound(page, ["lead.creado_en", "lead.id"], "<", "after", cursor)
        .then("ORDER BY lead.creado_en DESC, lead.id DESC LIMIT 1 OFFSET :many")
        .bind("many", many)
}

static OBRA: LazyLock<String> =
    LazyLock::new(|| fill_of(Obra::COLUMNS, include_str!("../../sql/lead_obra/get.sql"), untyped));

/// The obra of a lead, which decides tax and price; no row if nothing is known.
pub fn obra(lead: LeadId) -> Query<Obra> {
    Query::new(&OBRA, rows::obra).bind("lead", lead.0)
}

/// A lead without its `utm` and its `obra`.
pub fn get(lead: LeadId) -> Query<Lead> {
    Query::new(&LIST, rows::lead).only("lead.id = :lead").bind("lead", lead.0)
}

/// Other leads of the same company with the same telephone, e-mail or form's ticket, oldest first.
pub fn duplicates(lead: LeadId) -> Query<LeadId> {
    let (first, last) = lead.of_same_ticket();
    Query::new(include_str!("../../sql/lead/list_duplicates.sql"), |c| c.get("id").map(LeadId))
        .bind("lead", lead.0)
        .bind("first", first.0)
        .bind("last", last.0)
}

/// The oldest of these duplicates.
pub fn some_duplicates(lead: LeadId, limit: u32) -> Query<LeadId> {
    duplicates(lead).then("LIMIT :limit").bind("limit", limit)
}

/// The lead's company.
pub fn empresa(lead: LeadId) -> Query<EmpresaId> {
    Query::new("SELECT empresa_id FROM lead WHERE id = :lead", |c| c.get("empresa_id").map(EmpresaId))
        .bind("lead", lead.0)
}

/// Name, telephone, e-mail and province.
pub fn contact(lead: LeadId) -> Query<(String, Telefono, Email, Option<String>)> {
    let text =
        "SELECT nombre, telefono, telefono_e164, email, email_normal, provincia FROM lead WHERE id = :lead";
    Query::new(text, |c| {
        let telefono = Telefono { typed: c.get("telefono")?, e164: c.get("telefono_e164")? };
        let email = Email { typed: c.get("email")?, normal: c.get("email_normal")? };
        Ok((c.get("nombre")?, telefono, email, c.get("provincia")?))
    })
    .bind("lead", lead.0)
}

/// The lead's watched loop.
pub fn watched_loop(lead: LeadId) -> Query<Option<WatchedLoop>> {
    of(
        lead,
        "SELECT bucle_paso, bucle_desde, bucle_limite, bucle_vencido, bucle_resenales FROM lead WHERE id = :lead",
        rows::watched_loop,
    )
}

pub fn exists(lead: LeadId) -> Query<bool> {
    Query::new(include_str!("../../sql/lead/exists.sql"), |c| c.get("found")).bind("lead", lead.0)
}

/// Campaign and ad ids of these leads (at least one), in no order, because engines sort texts differently.
pub fn utm(leads: &[LeadId]) -> Query<(LeadId, (String, String))> {
    let text = include_str!("../../sql/utm/list.sql");
    Query::new(text, rows::utm).only_in("lead_id", leads.iter().map(|lead| lead.0))
}

/// One page of a lead's events, changes of state among them, oldest first.
pub fn events(lead: LeadId, cursor: Option<EventCursor>, limit: i64) -> Query<ListedEvent> {
    let page =
        Query::new(include_str!("../../sql/evento/list.sql"), rows::event_in_list).bind("lead", lead.0);
    let page = match cursor {
        None => page,
        Some(after) => page
            .only("(creado_en, clase, n) > (:after, :after_clase, :after_n)")
            .bind("after", after.creado_en)
            .bind("after_clase", i64::from(after.class))
            .bind("after_n", after.n),
    };
    page.then("ORDER BY creado_en, clase, n LIMIT :limit").bind("limit", limit)
}

/// Every value that `estado_wa` and `bot_step` were given, in order.
pub fn state_history(lead: LeadId) -> Query<StateChange> {
    of(lead, include_str!("../../sql/estado_historia/list.sql"), rows::state_change)
}

pub fn consentimientos(lead: LeadId) -> Query<Consentimiento> {
    of(lead, include_str!("../../sql/consentimiento/list.sql"), rows::consentimiento)
}

pub fn turnos(lead: LeadId) -> Query<StoredTurno> {
    of(lead, include_str!("../../sql/turno/list.sql"), rows::turno)
}

pub fn calificacion(lead: LeadId) -> Query<Calificacion> {
    of(lead, include_str!("../../sql/calificacion/get.sql"), rows::calificacion)
}

pub fn intentos(lead: LeadId) -> Query<StoredIntento> {
    of(lead, include_str!("../../sql/intento/list.sql"), rows::intento)
}

pub fn notas(lead: LeadId) -> Query<Nota> {
    of(lead, include_str!("../../sql/nota/list.sql"), rows::nota)
}

pub fn fotos(lead: LeadId) -> Query<Foto> {
    of(lead, include_str!("../../sql/foto/list.sql"), rows::foto)
}

/// The first photos.
pub fn some_fotos(lead: LeadId, limit: u32) -> Query<Foto> {
    fotos(lead).then("LIMIT :limit").bind("limit", limit)
}

/// When the client last wrote.
pub fn last_written(lead: LeadId) -> Query<Timestamp> {
    of(lead, include_str!("../../sql/turno/last_of_user.sql"), |c| c.get("creado_en"))
}

/// The highest number of the attempts to call, if there is one.
pub fn last_call(lead: LeadId) -> Query<Option<i64>> {
    of(lead, include_str!("../../sql/intento/last_call.sql"), |c| c.get("numero"))
}

pub fn foto(lead: LeadId, foto: FotoId) -> Query<Foto> {
    of(lead, include_str!("../../sql/foto/get.sql"), rows::foto).bind("foto", foto.0)
}

fn of<T>(lead: LeadId, text: &'static str, read: Meaning<T>) -> Query<T> {
    Query::new(text, read).bind("lead", lead.0)
}

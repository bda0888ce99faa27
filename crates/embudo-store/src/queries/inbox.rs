//! The inbox: lists, counts, and the leads that a search found.

use std::sync::LazyLock;

use embudo_domain::calificacion::Nivel;
use embudo_domain::etapa::Etapa;
use embudo_domain::perfil::{CanalOrigen, Urgencia};
use embudo_domain::presupuesto::PresupuestoNumber;
use embudo_domain::{EmpresaId, LeadId, UserId, Zona};

use super::{Query, Reach, unindexed};
use crate::columns::{fill, untyped};
use crate::inbox::{Assigned, InboxFilter, InboxRow, InboxSort, Place};
use crate::projected_lead::Part;
use crate::rows;

/// How a page is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// By the order of the list: the page is full soon.
    Order,
    /// By the etapa, because few leads have it.
    Etapa,
    /// By the assigned person, because they have few leads.
    Assigned,
}

impl Way {
    /// A column by which a list is sorted.
    fn column(self, sort: InboxSort, name: &str) -> String {
        let table = match (sort, self) {
            (InboxSort::NextAction(_), Self::Order) => "d",
            (InboxSort::Created, _) => "lead",
            _ => "a",
        };
        match self {
            Self::Order => format!("{table}.{name}"),
            Self::Etapa | Self::Assigned => unindexed(&format!("{table}.{name}")),
        }
    }
}

const ACTIVITY: &str = "FROM lead_actividad a
LEFT JOIN lead ON lead.id = a.lead_id
LEFT JOIN lead_etapa e ON e.lead_id = a.lead_id";
/// By the next action. The index mixes leads that are not due yet with due ones. `d` is read from the index alone, so
/// that leads that are not due are skipped without reading their rows (`a`).
const ACTION: &str = "FROM lead_actividad d
LEFT JOIN lead_actividad a ON a.lead_id = d.lead_id
LEFT JOIN lead ON lead.id = d.lead_id
LEFT JOIN lead_etapa e ON e.lead_id = d.lead_id";
const LEAD: &str = "FROM lead
LEFT JOIN lead_actividad a ON a.lead_id = lead.id
LEFT JOIN lead_etapa e ON e.lead_id = lead.id";
const ETAPA: &str = "FROM lead_etapa e
LEFT JOIN lead ON lead.id = e.lead_id
LEFT JOIN lead_actividad a ON a.lead_id = e.lead_id";
const ASSIGNED: &str = "FROM lead_gestion h
LEFT JOIN lead ON lead.id = h.lead_id
LEFT JOIN lead_actividad a ON a.lead_id = h.lead_id
LEFT JOIN lead_etapa e ON e.lead_id = h.lead_id";

static TEXTS: LazyLock<[String; 5]> = LazyLock::new(|| {
    let text = fill(include_str!("../../sql/inbox/list.sql"), untyped);
    [ACTIVITY, LEAD, ETAPA, ASSIGNED, ACTION].map(|from| text.replace("[from]", from))
});

/// A requested page of one part of the list.
#[derive(Debug, Clone, Copy)]
pub struct Page<'a> {
    pub empresa: EmpresaId,
    pub who: UserId,
    pub filter: &'a InboxFilter,
    pub sort: InboxSort,
    pub part: Part,
    /// Whether the part is read from its end.
    pub backward: bool,
    /// Only leads after this position, in the direction of reading.
    pub beyond: Option<Place>,
    /// The last position to be read.
    pub until: Option<Place>,
    pub limit: u32,
    pub way: Way,
}

impl Page<'_> {
    /// The etapa that has an index of its own, when the list is sorted by the next action. Most leads of some etapas
    /// come after all others in that order, so the general index would be slow.
    fn ordered_etapa(&self) -> Option<Etapa> {
        let by_action = matches!(self.sort, InboxSort::NextAction(_));
        self.filter.etapa.filter(|_| self.way == Way::Order && by_action)
    }

    /// Only leads of this part.
    fn in_part<T>(&self, page: Query<T>, way: Way) -> Query<T> {
        let page = page.only_if("d.etapa = :en_etapa", "en_etapa", self.ordered_etapa().map(Etapa::as_str));
        let InboxSort::NextAction(now) = self.sort else { return page };
        let page = page.bind("now", now);
        let column = |name| way.column(self.sort, name);
        if self.part == Part::Due {
            let page = page.only(&format!("{} <= :now", column("vence_en")));
            // A lead that will never be due has no rank (NULL). Comparing it with a position excludes it; without a
            // position this condition does.
            return match self.beyond {
                None => page.only(&format!("{} >= 0", column("rango"))),
                Some(_) => page,
            };
        }
        let page = page.only(&format!("{} = :parte", column("parte"))).bind("parte", self.part as i64);
        let page = page.only(&format!("{} > :now", column("vence_en")));
        match self.part {
            // Leads that are due later have a later key: the index range begins at `now`, or at a position after it.
            Part::Later if self.beyond.is_none() || self.backward => {
                page.only(&format!("{} > :now", column("orden_en")))
            }
            _ => page,
        }
    }

    fn reach(&self) -> Reach {
        let is_sought = self.filter.etapa.is_some() && self.ordered_etapa().is_none();
        let walks = self.way == Way::Order && (self.filter.walks() || is_sought);
        if walks { Reach::Walk } else { Reach::Found }
    }

    fn order(&self, way: Way) -> Order {
        let columns: &[&str] = match (self.sort, self.part) {
            (InboxSort::NextAction(_), Part::Due) => &["rango", "vence_en", "lead_id"],
            (InboxSort::NextAction(_), _) => &["orden_en", "lead_id"],
            (InboxSort::Activity, _) => &["actividad_en", "lead_id"],
            (InboxSort::Created, _) => &["creado_en", "id"],
        };
        let columns = columns.iter().map(|name| way.column(self.sort, name));
        Order { columns: columns.collect(), is_rising: self.part.is_rising() != self.backward }
    }
}

/// The columns by which a part of a list is sorted, and the direction of reading.
struct Order {
    columns: Vec<String>,
    is_rising: bool,
}

impl Order {
    /// Only leads on one side of a position.
    fn bound<T>(&self, page: Query<T>, sign: &str, name: &'static str, place: Option<Place>) -> Query<T> {
        let Some(place) = place else { return page };
        let [rank, at, id] = [format!("{name}_rank"), name.to_owned(), format!("{name}_id")];
        let (page, values) = match self.columns.len() {
            3 => (page.bind(rank.clone(), place.rank), format!(":{rank}, :{at}, :{id}")),
            _ => (page, format!(":{at}, :{id}")),
        };
        page.only(&format!("({}) {sign} ({values})", self.columns.join(", ")))
            .bind(at, place.at)
            .bind(id, place.lead.0)
    }

    /// Only leads after a position, in the direction of reading.
    fn begin<T>(&self, page: Query<T>, beyond: Option<Place>) -> Query<T> {
        self.bound(page, if self.is_rising { ">" } else { "<" }, "place", beyond)
    }

    fn end<T>(&self, page: Query<T>, until: Option<Place>) -> Query<T> {
        self.bound(page, if self.is_rising { "<=" } else { ">=" }, "until", until)
    }

    fn sorted(&self) -> String {
        let direction = if self.is_rising { "" } else { " DESC" };
        let columns: Vec<_> = self.columns.iter().map(|column| format!("{column}{direction}")).collect();
        format!("ORDER BY {}", columns.join(", "))
    }
}

/// One page of a company's leads, without leads that are united with a principal.
pub fn list(asked: &Page<'_>) -> Query<InboxRow> {
    let Page { filter, sort, way, .. } = *asked;
    let (text, owner) = match (way, sort) {
        (Way::Order, InboxSort::Created) => (&TEXTS[1], "lead.empresa_id = :empresa"),
        (Way::Order, InboxSort::NextAction(_)) => (&TEXTS[4], "d.empresa_id = :empresa"),
        (Way::Order, InboxSort::Activity) => (&TEXTS[0], "a.empresa_id = :empresa"),
        (Way::Etapa, _) => (&TEXTS[2], "e.empresa_id = :empresa"),
        (Way::Assigned, _) => (&TEXTS[3], "h.empresa_id = :empresa"),
    };
    let mut page = Query::new(text, rows::inbox).only(owner).bind("empresa", asked.empresa.0);
    page = asked.in_part(page, way);
    if let (Way::Assigned, Some(Assigned::To(person))) = (way, filter.assigned) {
        page = page.only("h.asignado_id = :persona").bind("persona", person.0);
    }
    let page = filtered(page, asked.who, filter).reaching(asked.reach());
    let order = asked.order(way);
    let page = order.end(order.begin(page, asked.beyond), asked.until);
    page.then(&format!("{} LIMIT :limit", order.sorted())).bind("limit", asked.limit)
}

/// The position `many` leads further on in the part, without any filter.
pub fn further(asked: &Page<'_>, many: u32) -> Query<Place> {
    let (text, owner) = match (asked.sort, asked.part) {
        (InboxSort::NextAction(_), Part::Due) => (
            "SELECT d.rango, d.vence_en AS cuando, d.lead_id FROM lead_actividad d\n",
            "d.empresa_id = :empresa",
        ),
        (InboxSort::NextAction(_), _) => (
            "SELECT 0 AS rango, d.orden_en AS cuando, d.lead_id FROM lead_actividad d\n",
            "d.empresa_id = :empresa",
        ),
        (InboxSort::Activity, _) => (
            "SELECT 0 AS rango, a.actividad_en AS cuando, a.lead_id FROM lead_actividad a\n",
            "a.empresa_id = :empresa",
        ),
        (InboxSort::Created, _) => (
            "SELECT 0 AS rango, lead.creado_en AS cuando, lead.id AS lead_id FROM lead\n",
            "lead.empresa_id = :empresa",
        ),
    };
    let order = asked.order(Way::Order);
    let place = Query::new(text, |c| {
        // A placeholder, because the caller knows which part it asked for.
        let part = Part::Nothing;
        Ok(Place { part, rank: c.get("rango")?, at: c.get("cuando")?, lead: LeadId(c.get("lead_id")?) })
    })
    .only(owner)
    .bind("empresa", asked.empresa.0);
    order
        .begin(asked.in_part(place, Way::Order), asked.beyond)
        .then(&format!("{} LIMIT 1 OFFSET :many", order.sorted()))
        .bind("many", many)
}

/// The conditions of a filter on `lead`, `a`, `e`, `g`, `u`, `v` and `calificacion`.
fn filtered<T>(page: Query<T>, who: UserId, filter: &InboxFilter) -> Query<T> {
    let (to, nobody) = match filter.assigned {
        Some(Assigned::To(person)) => (Some(person.0), false),
        Some(Assigned::Nobody) => (None, true),
        None => (None, false),
    };
    let mut page = page
        .bind("who", who.0)
        .only("u.lead_id IS NULL")
        .only_if("lead.tipo_reforma = :tipo", "tipo", filter.tipo_reforma.map(Zona::as_str))
        .only_if("calificacion.nivel = :nivel", "nivel", filter.nivel.map(Nivel::as_str))
        .only_if("lead.canal_origen = :canal", "canal", filter.canal_origen.map(CanalOrigen::as_str))
        .only_if("lead.viable = :viable", "viable", filter.viable)
        .only_if("lead.urgencia = :urgencia", "urgencia", filter.urgencia.map(Urgencia::as_str))
        .only_if("e.etapa = :etapa", "etapa", filter.etapa.map(Etapa::as_str))
        .only_if("g.asignado_id = :asignado", "asignado", to)
        .only_if("lead.creado_en >= :desde", "desde", filter.since)
        .only_if("lead.creado_en < :hasta", "hasta", filter.until)
        .only_if(
            "EXISTS (SELECT 1 FROM utm WHERE utm.lead_id = lead.id AND utm.nombre = 'utm_campaign' AND utm.valor = :campana)",
            "campana",
            filter.campaign.clone(),
        );
    if nobody {
        page = page.only("g.asignado_id IS NULL");
    }
    if filter.unread {
        page = page.only("(v.visto_en IS NULL OR v.visto_en < a.actividad_en)");
    }
    if filter.open {
        page = page.only("e.etapa <> :perdido").bind("perdido", Etapa::Perdido.as_str());
    }
    page
}

/// These leads, if they belong to these companies.
pub fn rows(empresas: &[EmpresaId], who: UserId, leads: &[LeadId]) -> Query<InboxRow> {
    Query::new(&TEXTS[1], rows::inbox)
        .bind("who", who.0)
        .only_among("lead.id", "lead", leads.iter().map(|lead| lead.0))
        .only_among("lead.empresa_id", "empresa", empresas.iter().map(|empresa| empresa.0))
}

/// How many leads of a company are in an etapa, up to `max`.
pub fn count(empresa: EmpresaId, who: UserId, filter: &InboxFilter, etapa: Etapa, max: u32) -> Query<u32> {
    let filter = InboxFilter { etapa: Some(etapa), ..filter.clone() };
    let page = Query::new(include_str!("../../sql/inbox/count.sql"), |c| c.get("leads"))
        .only("e.empresa_id = :empresa")
        .bind("empresa", empresa.0);
    let reach = if filter.walks() { Reach::Walk } else { Reach::Found };
    filtered(page, who, &filter).then("LIMIT :max\n) AS counted").bind("max", max).reaching(reach)
}

/// How many leads of a company have news for a person, counted among the `latest` ones by activity. Lost leads have
/// none.
pub fn news(empresa: EmpresaId, who: UserId, latest: u32) -> Query<u32> {
    Query::new(include_str!("../../sql/inbox/news.sql"), |c| c.get("leads"))
        .bind("empresa", empresa.0)
        .bind("who", who.0)
        .bind("latest", latest)
        .bind("perdido", Etapa::Perdido.as_str())
}

/// Whether an etapa has more than `many` leads.
pub fn has_etapa(empresa: EmpresaId, etapa: Etapa, many: u32) -> Query<bool> {
    Query::new(
        "SELECT EXISTS (SELECT 1 FROM lead_etapa WHERE empresa_id = :empresa AND etapa = :etapa LIMIT 1 OFFSET :many) AS found",
        |c| c.get("found"),
    )
    .bind("empresa", empresa.0)
    .bind("etapa", etapa.as_str())
    .bind("many", many)
}

/// Whether more than `many` leads are assigned to a person.
pub fn has_assigned(empresa: EmpresaId, person: UserId, many: u32) -> Query<bool> {
    Query::new(
        "SELECT EXISTS (SELECT 1 FROM lead_gestion WHERE asignado_id = :persona AND empresa_id = :empresa LIMIT 1 OFFSET :many) AS found",
        |c| c.get("found"),
    )
    .bind("empresa", empresa.0)
    .bind("persona", person.0)
    .bind("many", many)
}

/// Leads of these companies with this telephone, newest first.
pub fn by_telefono(empresas: &[EmpresaId], e164: &str, limit: u32) -> Query<LeadId> {
    contact("lead.telefono_e164 = :contacto", empresas, e164, limit)
}

/// Leads of these companies with this e-mail, newest first.
pub fn by_email(empresas: &[EmpresaId], normal: &str, limit: u32) -> Query<LeadId> {
    contact("lead.email_normal = :contacto", empresas, normal, limit)
}

fn contact(condition: &str, empresas: &[EmpresaId], value: &str, limit: u32) -> Query<LeadId> {
    let newest = format!("ORDER BY {} DESC LIMIT :limit", unindexed("lead.creado_en"));
    Query::new("SELECT lead.id FROM lead\n", |c| c.get("id").map(LeadId))
        .only(condition)
        .bind("contacto", value)
        .only_among("lead.empresa_id", "empresa", empresas.iter().map(|empresa| empresa.0))
        .then(&newest)
        .bind("limit", limit)
}

/// The leads whose quote has this number in one of these companies.
pub fn by_number(empresas: &[EmpresaId], number: PresupuestoNumber) -> Query<LeadId> {
    Query::new("SELECT lead_id FROM presupuesto\n", |c| c.get("lead_id").map(LeadId))
        .only_among("empresa_id", "empresa", empresas.iter().map(|empresa| empresa.0))
        .only("anio = :anio")
        .bind("anio", i64::from(number.year()))
        .only("orden = :orden")
        .bind("orden", i64::from(number.orden()))
}

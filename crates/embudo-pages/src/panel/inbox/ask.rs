//! The query of the inbox in an address: filters, order, and cursor. Invalid values are ignored.

use embudo_domain::calificacion::Nivel;
use embudo_domain::etapa::Etapa;
use embudo_domain::perfil::{CanalOrigen, Urgencia};
use embudo_domain::{LeadId, Timestamp, UserId, Zona};
use embudo_store::inbox::{Assigned, InboxFilter, InboxSort, PageStart, Place};
use embudo_store::projected_lead::Part;
use jiff::civil::Date;
use url::form_urlencoded::Serializer;

use crate::panel::words::madrid;
use crate::parts::FormFields;

const LONGEST_SEARCH: usize = 200;

/// The parameters that select leads. The other parameters decide how the leads are shown.
pub(super) const FILTERS: [&str; 12] = [
    "etapa", "tipo", "nivel", "canal", "viable", "urgencia", "asignado", "desde", "hasta", "campana",
    "nuevos", "perdidos",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum View {
    List,
    Board,
}

/// All parameters of the address.
pub(super) struct Ask {
    fields: FormFields,
    pub view: View,
    pub sort: InboxSort,
    pub filter: InboxFilter,
    pub from: PageStart,
    /// The text of the search box.
    pub search: String,
}

impl Ask {
    pub fn of(fields: FormFields, own: UserId, now: Timestamp) -> Self {
        let (after, before) = (place(fields.raw("tras")), place(fields.raw("antes")));
        let moment = after.or(before).map_or(now, |(moment, _)| moment);
        let sort = match fields.raw("orden") {
            "actividad" => InboxSort::Activity,
            "creado" => InboxSort::Created,
            _ => InboxSort::NextAction(moment),
        };
        let view = if fields.raw("vista") == "tablero" { View::Board } else { View::List };
        let of_list = |place: Option<(Timestamp, Place)>| {
            place.map(|(_, place)| place).filter(|place| sort.parts().contains(&place.part))
        };
        let from = match (of_list(after), of_list(before)) {
            (Some(after), _) => PageStart::After(after),
            (None, Some(before)) => PageStart::Before(before),
            (None, None) => PageStart::Start,
        };
        let search = fields.text("q").chars().take(LONGEST_SEARCH).collect();
        Self { view, sort, filter: filter(&fields, own), from, search, fields }
    }

    /// The value of a parameter, for the fields of the form.
    pub fn value(&self, name: &str) -> String {
        self.fields.text(name)
    }

    pub fn is(&self, name: &str, value: &str) -> bool {
        self.fields.raw(name) == value
    }

    /// The number of active filters.
    pub fn filters(&self) -> usize {
        FILTERS.iter().filter(|name| self.fields.has(name)).count()
    }

    /// The address of the same query with these parameters replaced. An empty value removes the parameter.
    pub fn with(&self, changed: &[(&str, &str)]) -> String {
        let mut query = Serializer::new(String::new());
        for name in FILTERS.iter().chain(&["vista", "orden", "q"]) {
            let changed_to = changed.iter().find(|(n, _)| n == name).map(|(_, value)| (*value).to_owned());
            let value = changed_to.unwrap_or_else(|| self.value(name));
            if !value.is_empty() {
                query.append_pair(name, &value);
            }
        }
        for (name, value) in changed.iter().filter(|(n, _)| matches!(*n, "tras" | "antes")) {
            query.append_pair(name, value);
        }
        match query.finish() {
            query if query.is_empty() => "/panel/leads".to_owned(),
            query => format!("/panel/leads?{query}"),
        }
    }

    /// The address of the first page of this list.
    pub fn start(&self) -> String {
        self.with(&[])
    }

    /// The address of the current page of this list.
    pub fn here(&self) -> String {
        let turned = ["tras", "antes"].map(|name| (name, self.value(name)));
        let turned = turned.iter().filter(|(_, place)| !place.is_empty());
        self.with(&turned.map(|(name, place)| (*name, place.as_str())).collect::<Vec<_>>())
    }

    /// Those of the named parameters that have a value, as hidden fields of another form.
    pub fn kept(&self, names: &[&'static str]) -> Vec<(&'static str, String)> {
        let value = |name: &&'static str| Some((*name, self.value(name))).filter(|(_, v)| !v.is_empty());
        names.iter().filter_map(value).collect()
    }
}

/// Writes a cursor for an address. It contains the moment at which the list was made, so that leads that became due
/// since then do not move while the person turns pages.
pub(super) fn format_place(sort: InboxSort, place: Place) -> String {
    let moment = if let InboxSort::NextAction(moment) = sort { moment.as_microsecond() } else { 0 };
    let Place { part, rank, at, lead } = place;
    format!("{moment}_{}_{rank}_{}_{lead}", part as i64, at.as_microsecond())
}

fn place(text: &str) -> Option<(Timestamp, Place)> {
    let mut parts = text.splitn(5, '_');
    let mut number = || parts.next()?.parse::<i64>().ok();
    let moment = Timestamp::from_microsecond(number()?).ok()?;
    let (part, rank) = (Part::parse(number()?)?, number()?);
    let at = Timestamp::from_microsecond(number()?).ok()?;
    Some((moment, Place { part, rank, at, lead: LeadId::parse(parts.next()?)? }))
}

pub(super) fn filter(fields: &FormFields, own: UserId) -> InboxFilter {
    let etapa = Etapa::parse(fields.raw("etapa"));
    let campaign = fields.text("campana");
    InboxFilter {
        tipo_reforma: Zona::parse(fields.raw("tipo")),
        nivel: Nivel::parse(fields.raw("nivel")),
        canal_origen: CanalOrigen::parse(fields.raw("canal")),
        viable: match fields.raw("viable") {
            "si" => Some(true),
            "no" => Some(false),
            _ => None,
        },
        urgencia: Urgencia::parse(fields.raw("urgencia")),
        etapa,
        assigned: match fields.raw("asignado") {
            "mi" => Some(Assigned::To(own)),
            "nadie" => Some(Assigned::Nobody),
            other => UserId::parse(other).map(Assigned::To),
        },
        since: day(fields.raw("desde")).and_then(midnight),
        until: day(fields.raw("hasta")).and_then(|day| midnight(day.tomorrow().ok()?)),
        campaign: Some(campaign).filter(|text| !text.is_empty()),
        unread: fields.has("nuevos"),
        open: etapa.is_none() && !fields.has("perdidos"),
    }
}

fn day(text: &str) -> Option<Date> {
    text.parse().ok()
}

fn midnight(day: Date) -> Option<Timestamp> {
    Some(day.to_zoned(madrid().clone()).ok()?.timestamp())
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::parts::read_fields;

    const OWN: UserId = UserId(Uuid::from_u128(7));
    const NOW: Timestamp = Timestamp::constant(1_794_652_200, 0);

    fn ask(query: &str) -> Ask {
        Ask::of(read_fields(query.as_bytes()), OWN, NOW)
    }

    #[test]
    fn what_is_asked_for_is_understood() {
        let asked =
            ask("etapa=perdido&tipo=bano&viable=no&asignado=mi&desde=2026-11-14&hasta=2026-11-14&nuevos=1");
        let f = &asked.filter;
        assert_eq!((f.etapa, f.viable, f.unread, f.open), (Some(Etapa::Perdido), Some(false), true, false));
        assert_eq!(f.assigned, Some(Assigned::To(OWN)));
        assert_eq!(f.since, "2026-11-13T23:00:00Z".parse().ok());
        assert_eq!(f.until, "2026-11-14T23:00:00Z".parse().ok());
        assert_eq!(asked.filters(), 7);
        assert!(ask("").filter.open && !ask("perdidos=1").filter.open);
    }

    /// The filters are listed in several places. If one place lacks a filter, turning a page would lose it, and an
    /// export would contain more leads than its list.
    #[test]
    fn every_filter_is_offered_understood_and_kept() {
        const VALUES: [&str; FILTERS.len()] = [
            "perdido",
            "bano",
            "A",
            "formulario_web",
            "si",
            "alta",
            "nadie",
            "2026-11-14",
            "2026-11-14",
            "x",
            "1",
            "1",
        ];
        let template = include_str!("../../../templates/panel/inbox/filters.html");
        let form = template.split("method=\"get\"").nth(1).and_then(|rest| rest.split("</form>").next());
        let names = form.expect("the form").split(" name=\"").skip(1).map(|rest| rest.split('"').next());
        let offered: Vec<&str> =
            names.flatten().filter(|name| !["{{ name }}", "orden"].contains(name)).collect();
        for (name, value) in FILTERS.into_iter().zip(VALUES) {
            let asked = ask(&format!("{name}={value}"));
            assert_ne!(asked.filter, ask("").filter, "{name} is not understood");
            assert_eq!(asked.start(), format!("/panel/leads?{name}={value}"));
            assert!(name == "etapa" || offered.contains(&name), "{name} is not offered in {offered:?}");
        }
        assert_eq!(offered.len(), FILTERS.len() - 1, "one that is offered is not kept: {offered:?}");
    }

    #[test]
    fn what_is_not_understood_is_not_asked_for() {
        let asked = ask("etapa=%3Cb%3E&tipo=x&desde=ayer&tras=9&antes=-&orden=y&vista=z&asignado=q");
        assert_eq!(asked.filter, InboxFilter { open: true, ..InboxFilter::default() });
        let sort = InboxSort::NextAction(NOW);
        assert_eq!((asked.from, asked.sort, asked.view), (PageStart::Start, sort, View::List));
    }

    #[test]
    fn places_come_back_as_they_were_written() {
        for micros in [-5, 0, 1_700_000_000_000_000] {
            let at = Timestamp::from_microsecond(micros).expect("in range");
            let place = Place { part: Part::Due, rank: 1_020, at, lead: LeadId(Uuid::from_u128(9)) };
            let address = format!("tras={}", format_place(InboxSort::NextAction(at), place));
            let asked = ask(&address);
            assert_eq!((asked.sort, asked.from), (InboxSort::NextAction(at), PageStart::After(place)));
            let other = ask(&format!("{address}&orden=creado"));
            assert_eq!(other.from, PageStart::Start, "no place of that list");
        }
        for odd in ["ñ_1", "1_9_0_0_x", "1_0_0", "", "9-a", "99999999999999999999_0_0_0_0"] {
            assert_eq!(place(odd), None, "{odd}");
        }
    }

    #[test]
    fn addresses_keep_what_was_asked_and_nothing_else() {
        let asked = ask("etapa=nuevo&vista=tablero&q=a%26b&tras=1-2&otra=3");
        assert_eq!(asked.with(&[("vista", "")]), "/panel/leads?etapa=nuevo&q=a%26b");
        assert_eq!(ask("x=1").start(), "/panel/leads");
        assert_eq!(ask("").with(&[("tras", "5_a")]), "/panel/leads?tras=5_a");
        assert_eq!(ask("etapa=nuevo&tras=5_a&hecho=x-1").here(), "/panel/leads?etapa=nuevo&tras=5_a");
        assert_eq!(ask("hecho=x-1").here(), "/panel/leads");
    }
}

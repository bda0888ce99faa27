//! What an address asks of the inbox: which leads, in which order, from where on. Anything that is not understood is not asked for.

use embudo_domain::calificacion::Nivel;
use embudo_domain::etapa::Etapa;
use embudo_domain::perfil::{CanalOrigen, Urgencia};
use embudo_domain::{LeadId, Timestamp, UserId, Zona};
use embudo_store::inbox::{Assigned, From, InboxFilter, InboxSort, Place};
use jiff::civil::Date;
use url::form_urlencoded::Serializer;

use crate::panel::words::madrid;
use crate::parts::FormFields;

const LONGEST_SEARCH: usize = 200;

/// The parameters that say which leads; the others say how they are shown.
pub(super) const FILTERS: [&str; 12] = [
    "etapa", "tipo", "nivel", "canal", "viable", "urgencia", "asignado", "desde", "hasta", "campana",
    "nuevos", "perdidos",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum View {
    List,
    Board,
}

/// Everything that an address asks for.
pub(super) struct Ask {
    fields: FormFields,
    pub view: View,
    pub sort: InboxSort,
    pub filter: InboxFilter,
    pub from: From,
    /// What the search box holds.
    pub search: String,
}

impl Ask {
    pub fn of(fields: FormFields, own: UserId) -> Self {
        let sort = match fields.raw("orden") {
            "actividad" => InboxSort::Activity,
            "creado" => InboxSort::Created,
            _ => InboxSort::NextAction,
        };
        let view = if fields.raw("vista") == "tablero" { View::Board } else { View::List };
        let place = |name| place(fields.raw(name));
        let from = match (place("tras"), place("antes")) {
            (Some(after), _) => From::After(after),
            (None, Some(before)) => From::Before(before),
            (None, None) => From::Start,
        };
        let search = fields.text("q").chars().take(LONGEST_SEARCH).collect();
        Self { view, sort, filter: filter(&fields, own), from, search, fields }
    }

    /// The value of a parameter, for the fields of the form that asks.
    pub fn value(&self, name: &str) -> String {
        self.fields.text(name)
    }

    pub fn is(&self, name: &str, value: &str) -> bool {
        self.fields.raw(name) == value
    }

    /// How many filters are set.
    pub fn filters(&self) -> usize {
        FILTERS.iter().filter(|name| self.fields.has(name)).count()
    }

    /// The address that asks for the same with these parameters instead; an empty one takes it away.
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

    /// The address of this list from its beginning.
    pub fn start(&self) -> String {
        self.with(&[])
    }

    /// The filters that are set, as hidden fields of another form.
    pub fn kept(&self, names: &[&'static str]) -> Vec<(&'static str, String)> {
        let value = |name: &&'static str| Some((*name, self.value(name))).filter(|(_, v)| !v.is_empty());
        names.iter().filter_map(value).collect()
    }
}

/// A place as addresses carry it.
pub(super) fn written(place: Place) -> String {
    format!("{}-{}", place.at.as_microsecond(), place.lead)
}

fn place(text: &str) -> Option<Place> {
    // The instant may be before 1970.
    let at = text.get(1..)?.find('-')? + 1;
    let micros = text[..at].parse().ok()?;
    Some(Place { at: Timestamp::from_microsecond(micros).ok()?, lead: LeadId::parse(&text[at + 1..])? })
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

    fn ask(query: &str) -> Ask {
        Ask::of(read_fields(query.as_bytes()), OWN)
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

    #[test]
    fn what_is_not_understood_is_not_asked_for() {
        let asked = ask("etapa=%3Cb%3E&tipo=x&desde=ayer&tras=9&antes=-&orden=y&vista=z&asignado=q");
        assert_eq!(asked.filter, InboxFilter { open: true, ..InboxFilter::default() });
        assert_eq!((asked.from, asked.sort, asked.view), (From::Start, InboxSort::NextAction, View::List));
    }

    #[test]
    fn places_come_back_as_they_were_written() {
        for micros in [-5, 0, 1_700_000_000_000_000] {
            let at = Timestamp::from_microsecond(micros).expect("in range");
            let place = Place { at, lead: LeadId(Uuid::from_u128(9)) };
            assert_eq!(super::place(&written(place)), Some(place));
        }
        assert_eq!(place("ñ-1"), None);
    }

    #[test]
    fn addresses_keep_what_was_asked_and_nothing_else() {
        let asked = ask("etapa=nuevo&vista=tablero&q=a%26b&tras=1-2&otra=3");
        assert_eq!(asked.with(&[("vista", "")]), "/panel/leads?etapa=nuevo&q=a%26b");
        assert_eq!(ask("x=1").start(), "/panel/leads");
        assert_eq!(ask("").with(&[("tras", "5-a")]), "/panel/leads?tras=5-a");
    }
}

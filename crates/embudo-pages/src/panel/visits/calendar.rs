//! `GET /panel/visitas`: a company's visits by month, by week, or in a list.

use askama::Template;
use axum::extract::State;
use embudo_domain::holidays::{Holiday, holidays};
use embudo_domain::role::Permission;
use embudo_domain::visita::{DaysOff, SpanishTimeZone, VisitaState};
use embudo_domain::{Timestamp, UserId};
use embudo_store::visits::{ListedVisita, ListedWork};
use http::{StatusCode, Uri};
use jiff::ToSpan as _;
use jiff::civil::{Date, Weekday};

use super::STYLES;
use super::own_works::{self, OwnWork};
use super::words::cancelled;
use super::works::{Bar, of_week};
use crate::WebState;
use crate::panel::kit::chips::visita_state;
use crate::panel::kit::people::People;
use crate::panel::{PanelFrame, PanelResult, Section, Signed};
use crate::parts::{FormFields, Refusal, private_page, read_fields};

/// The page that creates a visit.
const NEW: &str = "/panel/visitas/nueva";
/// How many days the list covers.
const LIST_DAYS: i64 = 60;
const MAX_PROPOSED: u32 = 50;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum View {
    Month,
    Week,
    List,
}

const VIEWS: [(View, &str, &str); 3] =
    [(View::Month, "mes", "Mes"), (View::Week, "semana", "Semana"), (View::List, "lista", "Lista")];

#[derive(Template)]
#[template(path = "panel/visits/calendar.html")]
struct CalendarPage {
    frame: PanelFrame,
    /// Address, name, and whether the view is selected.
    views: Vec<(String, &'static str, bool)>,
    /// The choice between all visits and the person's own, for people who may see all visits.
    whose: Vec<(String, &'static str, bool)>,
    title: String,
    /// The CSS class of the days.
    class: &'static str,
    earlier: String,
    later: String,
    today: String,
    days: Vec<Day>,
    proposed: Vec<Entry>,
    /// Accepted work, for the list. A month and a week show it by day.
    works: Vec<Bar>,
    /// The address that creates a visit, for people who may do so.
    new: Option<String>,
    /// The works in which a worker on site takes part.
    own_works: Vec<OwnWork>,
    /// Whether the person goes on visits.
    goes: bool,
    zone: Option<&'static str>,
    can_set: bool,
}

struct Day {
    number: String,
    /// «martes 14 de noviembre».
    name: String,
    is_today: bool,
    is_outside: bool,
    /// The name of the holiday, if the day is one.
    rest: Option<&'static str>,
    /// Accepted work in each lane.
    works: Vec<Option<Bar>>,
    visits: Vec<Entry>,
    /// The address that creates a visit on this day.
    new: Option<String>,
}

impl Day {
    fn is_empty(&self) -> bool {
        self.visits.is_empty() && self.works.iter().all(Option::is_none)
    }
}

struct Entry {
    path: String,
    hours: String,
    nombre: String,
    place: String,
    people: String,
    state: (&'static str, &'static str),
    is_over: bool,
    /// Who cancelled the visit and when, in words. `None` if nobody did, or if that was not recorded.
    cancelled: Option<String>,
}

pub(crate) async fn show(State(state): State<WebState>, signed: Signed, uri: Uri) -> PanelResult {
    let empresa = signed.empresa()?.id;
    let query = read_fields(uri.query().unwrap_or_default().as_bytes());
    let (now, zone) = (state.app.now(), state.app.visits().zone(empresa).await?);
    let sees_all = signed.may(Permission::SeeVisits);
    // A worker on site starts with the list of the next visits.
    let usual = if sees_all { View::Month } else { View::List };
    let view =
        VIEWS.iter().find(|(_, word, _)| *word == query.raw("vista")).map_or(usual, |(view, ..)| *view);
    let own = !sees_all || query.raw("de") == "yo";
    let today = zone.day(now);
    let span = Span::of(view, day_in(&query).unwrap_or(today))?;
    let (from, to) = (zone.begins(span.first), zone.begins(span.after));
    let mut listed = state.app.store.calendar(empresa, from, to).await?;
    let mut proposed = state.app.store.proposed_visits(empresa, MAX_PROPOSED).await?;
    let who = signed.open.user.id;
    let is_wanted = |one: &ListedVisita| !own || one.visita.people.contains(&who);
    listed.retain(|one| is_wanted(one) && (view == View::List || one.visita.state != VisitaState::Cancelada));
    proposed.retain(is_wanted);
    let mut works = state.app.store.works(empresa, span.first, span.after).await?;
    works.retain(|work| !own || work.assigned == Some(who));
    let people = People::load(&state).await?;
    let visits = state.app.visits();
    let closed = visits.settings(empresa).await?.0.closed;
    let holidays = holidays(visits.provincia(empresa).await?, span.first, span.after);
    let can_prepare = signed.may(Permission::PlanVisits);
    let teller = Teller { zone, now, people: &people, closed, holidays, can_prepare };
    let page = CalendarPage {
        frame: PanelFrame::new(&state, &signed, "Calendario", Section::Calendar).await?.with(STYLES, &[]),
        views: VIEWS
            .iter()
            .map(|(of, ..)| (address(*of, span.named, own), word_of(*of).1, *of == view))
            .collect(),
        whose: match sees_all {
            true => vec![
                (address(view, span.named, false), "De todos", !own),
                (address(view, span.named, true), "Mías", own),
            ],
            false => Vec::new(),
        },
        own_works: match sees_all {
            true => Vec::new(),
            false => own_works::own(&state, &signed, empresa).await?,
        },
        goes: signed.may(Permission::GoOnVisits),
        title: span.title(),
        class: match view {
            View::Month => "mes",
            View::Week => "semana",
            View::List => "agenda",
        },
        earlier: address(view, span.earlier, own),
        later: address(view, span.later, own),
        today: address(view, today, own),
        days: teller.days(&span, today, &listed, &works),
        proposed: proposed.iter().map(|one| teller.entry(one)).collect(),
        works: match view {
            View::List => works.iter().map(|work| Bar::of(work, zone)).collect(),
            _ => Vec::new(),
        },
        new: can_prepare.then(|| NEW.to_owned()),
        zone: (zone == SpanishTimeZone::Canary).then_some("Horas de Canarias"),
        can_set: signed.may(Permission::RunCompany),
    };
    Ok(private_page(StatusCode::OK, &page))
}

fn word_of(view: View) -> (&'static str, &'static str) {
    VIEWS.iter().find(|(of, ..)| *of == view).map_or(("mes", "Mes"), |(_, word, name)| (word, name))
}

fn address(view: View, day: Date, own: bool) -> String {
    let own = if own { "&de=yo" } else { "" };
    format!("/panel/visitas?vista={}&dia={day}{own}", word_of(view).0)
}

/// The day in the address. `None` if there is no valid day of the years 2001 to 2099.
pub(super) fn day_in(query: &FormFields) -> Option<Date> {
    let day = query.raw("dia").parse::<Date>().ok()?;
    (2001..2100).contains(&day.year()).then_some(day)
}

/// The range of days that is shown.
struct Span {
    view: View,
    named: Date,
    first: Date,
    after: Date,
    earlier: Date,
    later: Date,
}

impl Span {
    fn of(view: View, day: Date) -> Result<Self, Refusal> {
        let monday = |day: Date| {
            let back = i64::from(day.weekday().to_monday_zero_offset());
            day.checked_sub(back.days()).map_err(|_| Refusal::NotFound)
        };
        let plus = |day: Date, days: i64| day.checked_add(days.days()).map_err(|_| Refusal::NotFound);
        Ok(match view {
            View::Week => {
                let first = monday(day)?;
                let (earlier, later) = (plus(first, -7)?, plus(first, 7)?);
                Self { view, named: day, first, after: later, earlier, later }
            }
            View::List => {
                let (earlier, later) = (plus(day, -LIST_DAYS)?, plus(day, LIST_DAYS)?);
                Self { view, named: day, first: day, after: later, earlier, later }
            }
            View::Month => {
                let (start, end) = (day.first_of_month(), day.last_of_month());
                let (earlier, later) = (plus(start, -1)?.first_of_month(), plus(end, 1)?);
                let after = plus(monday(end)?, 7)?;
                Self { view, named: day, first: monday(start)?, after, earlier, later }
            }
        })
    }

    fn title(&self) -> String {
        let named = |day: Date| embudo_domain::words::day(day);
        match self.view {
            View::Month => {
                let long = named(self.named);
                let mut parts = long.split(" de ").skip(1);
                let month = parts.next().unwrap_or_default();
                let year = parts.next().unwrap_or_default();
                format!("{}{} de {year}", month[..1].to_uppercase(), &month[1..])
            }
            View::Week => format!("Semana del {}", named(self.first)),
            View::List => format!("Desde el {}", named(self.first)),
        }
    }
}

struct Teller<'a> {
    zone: SpanishTimeZone,
    now: Timestamp,
    people: &'a People,
    closed: Vec<DaysOff>,
    holidays: Vec<Holiday>,
    can_prepare: bool,
}

impl Teller<'_> {
    /// Every day of a month or a week; for a list, only the days with visits.
    fn days(&self, span: &Span, today: Date, listed: &[ListedVisita], works: &[ListedWork]) -> Vec<Day> {
        let mut days = Vec::new();
        let mut day = span.first;
        let mut week = Vec::new().into_iter();
        while day < span.after {
            if span.view != View::List && day.weekday() == Weekday::Monday {
                week = Vec::from(of_week(works, day, self.zone)).into_iter();
            }
            let works = week.next().unwrap_or_default();
            let of_day =
                |one: &&ListedVisita| one.visita.start.is_some_and(|start| self.zone.day(start) == day);
            let visits: Vec<Entry> = listed.iter().filter(of_day).map(|one| self.entry(one)).collect();
            if span.view != View::List || !visits.is_empty() {
                let long = self.zone.long(self.zone.begins(day));
                days.push(Day {
                    number: day.day().to_string(),
                    name: long.split(',').next().unwrap_or_default().to_owned(),
                    is_today: day == today,
                    is_outside: span.view == View::Month && day.month() != span.named.month(),
                    rest: self.rest(day),
                    works,
                    visits,
                    new: (self.can_prepare && day >= today).then(|| format!("{NEW}?dia={day}")),
                });
            }
            let Ok(next) = day.tomorrow() else { break };
            day = next;
        }
        days
    }

    fn rest(&self, day: Date) -> Option<&'static str> {
        let holiday = self.holidays.iter().find(|holiday| holiday.day == day).map(|holiday| holiday.name);
        holiday.or_else(|| self.closed.iter().any(|off| off.contains(day)).then_some("Cerrado"))
    }

    fn entry(&self, ListedVisita { visita, nombre }: &ListedVisita) -> Entry {
        let hours = match (visita.start, visita.end()) {
            (Some(start), Some(end)) => format!("{}–{}", self.zone.hour(start), self.zone.hour(end)),
            _ if visita.slots.len() == 1 => "1 hora propuesta".to_owned(),
            _ => format!("{} horas propuestas", visita.slots.len()),
        };
        let name =
            |id: &UserId| self.people.name(*id).split_whitespace().next().unwrap_or_default().to_owned();
        Entry {
            path: format!("/panel/visitas/{}", visita.id),
            hours,
            nombre: embudo_domain::words::name(nombre),
            place: visita.address.clone(),
            people: visita.people.iter().map(name).collect::<Vec<_>>().join(", "),
            state: visita_state(visita.state),
            is_over: visita.end().is_some_and(|end| end <= self.now),
            cancelled: cancelled(visita, self.people, self.zone),
        }
    }
}

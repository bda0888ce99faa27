//! Accepted work as bars in a calendar. Each week shows its part of the work, in a lane that no other work uses at the
//! same time.

use embudo_domain::etapa::Etapa;
use embudo_domain::visita::SpanishTimeZone;
use embudo_store::visits::ListedWork;
use jiff::ToSpan as _;
use jiff::civil::Date;

use crate::panel::kit::chips::etapa_tone;

/// A work, or its part in one week.
pub(super) struct Bar {
    /// The address of the page of the work's lead.
    pub path: String,
    pub nombre: String,
    /// «mar 1 dic – lun 21 dic».
    pub when: String,
    pub etapa: (&'static str, &'static str),
    pub is_done: bool,
    /// How many days of this week the work takes.
    pub days: i32,
    /// Whether the work began in an earlier week, and whether it goes on in a later one.
    pub goes_on: (bool, bool),
}

impl Bar {
    pub fn of(work: &ListedWork, zone: SpanishTimeZone) -> Self {
        let named = |day: Date| {
            let short = zone.short(zone.begins(day));
            short.split(',').next().unwrap_or_default().to_owned()
        };
        let when = match work.first == work.last {
            true => named(work.first),
            false => format!("{} – {}", named(work.first), named(work.last)),
        };
        Self {
            path: format!("/panel/leads/{}", work.lead),
            nombre: embudo_domain::words::name(&work.nombre),
            when,
            etapa: (work.etapa.label(), etapa_tone(work.etapa)),
            is_done: work.etapa == Etapa::Terminado,
            days: 1,
            goes_on: (false, false),
        }
    }
}

/// The lanes of a week, day by day. Each day contains the bars that begin on it; a lane is `None` if it is free or a
/// bar goes on.
pub(super) fn of_week(works: &[ListedWork], monday: Date, zone: SpanishTimeZone) -> [Vec<Option<Bar>>; 7] {
    let day = |n: i64| monday.saturating_add(n.days());
    let sunday = day(6);
    // The last occupied day of each lane, and the parts with their lane.
    let (mut lanes, mut pieces) = (Vec::<Date>::new(), Vec::new());
    for work in works.iter().filter(|work| work.first <= sunday && work.last >= monday) {
        let (first, last) = (work.first.max(monday), work.last.min(sunday));
        let lane = match lanes.iter().position(|taken| *taken < first) {
            Some(lane) => lane,
            None => {
                lanes.push(last);
                lanes.len() - 1
            }
        };
        lanes[lane] = last;
        let goes_on = (work.first < monday, work.last > sunday);
        let days = (last - first).get_days() + 1;
        pieces.push((first, lane, Bar { days, goes_on, ..Bar::of(work, zone) }));
    }
    let mut week: [Vec<Option<Bar>>; 7] = std::array::from_fn(|_| lanes.iter().map(|_| None).collect());
    for (first, lane, bar) in pieces {
        if let Some(place) = usize::try_from((first - monday).get_days()).ok().and_then(|n| week.get_mut(n)) {
            place[lane] = Some(bar);
        }
    }
    week
}

#[cfg(test)]
mod tests {
    use embudo_domain::LeadId;
    use jiff::civil::date;
    use uuid::Uuid;

    use super::*;

    fn work(first: Date, last: Date) -> ListedWork {
        let lead = LeadId(Uuid::nil());
        ListedWork { lead, nombre: "Ana".into(), first, last, etapa: Etapa::EnObra, assigned: None }
    }

    #[test]
    fn works_at_the_same_time_lie_in_lanes_of_their_own() {
        // The first work lasts from Tuesday of the previous week to Wednesday, the second only Monday, the third from
        // Thursday to the next week, and the fourth is later.
        let works = [
            work(date(2026, 11, 24), date(2026, 12, 2)),
            work(date(2026, 11, 30), date(2026, 11, 30)),
            work(date(2026, 12, 3), date(2026, 12, 20)),
            work(date(2026, 12, 21), date(2026, 12, 22)),
        ];
        let week = of_week(&works, date(2026, 11, 30), SpanishTimeZone::Madrid);
        let piece = |bar: &Option<Bar>| bar.as_ref().map(|bar| (bar.days, bar.goes_on));
        let pieces = week.each_ref().map(|day| day.iter().map(piece).collect::<Vec<_>>());
        assert_eq!(pieces[0], [Some((3, (true, false))), Some((1, (false, false)))]);
        assert_eq!(pieces[1], [None, None]);
        assert_eq!(pieces[3], [Some((4, (false, true))), None], "the first lane is free again");
        assert_eq!(week[3][0].as_ref().map(|bar| bar.when.as_str()), Some("jue 3 dic – dom 20 dic"));
        let quiet = of_week(&works, date(2027, 1, 4), SpanishTimeZone::Madrid);
        assert!(quiet.iter().all(Vec::is_empty));
    }
}

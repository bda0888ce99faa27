//! The hours of a person, as `/panel/cuenta` shows them.

use embudo_domain::visita::{Agenda, DAY_NAMES};
use embudo_store::visits::StoredAgenda;

use super::Signed;
use super::words::moment;
use crate::WebState;
use crate::parts::{FormFields, Refusal};

/// The fields of the days, starting on Monday.
pub(super) const FIELDS: [&str; 7] =
    ["lunes", "martes", "miercoles", "jueves", "viernes", "sabado", "domingo"];

/// The hours as the page shows them.
pub(super) struct AgendaView {
    pub revision: i64,
    pub days: Vec<DayView>,
    pub buffer: String,
    pub days_off: String,
    /// The day on which the feed was created.
    pub feed: Option<String>,
    /// The new address of the feed, shown only once.
    pub address: Option<String>,
    /// The stored hours, if somebody else changed them meanwhile.
    pub other: Option<String>,
}

pub(super) struct DayView {
    pub field: &'static str,
    pub name: &'static str,
    pub typed: String,
}

/// The typed fields if the form had an error, and a new feed address, which is shown only once.
#[derive(Default)]
pub(super) struct AgendaBack {
    pub fields: Option<FormFields>,
    pub address: Option<String>,
    pub is_stale: bool,
}

impl AgendaView {
    pub async fn of(state: &WebState, signed: &Signed, back: AgendaBack) -> Result<Self, Refusal> {
        let kept = state.app.visits().agenda(signed.open.user.id).await?;
        let StoredAgenda { agenda, .. } = &kept;
        let typed = |name: &str, now: String| back.fields.as_ref().map_or(now, |fields| fields.text(name));
        let day = |n: usize| DayView {
            field: FIELDS[n],
            name: DAY_NAMES[n],
            typed: typed(FIELDS[n], agenda.write_hours(n)),
        };
        let label = |agenda: &Agenda| {
            let days = (0..7).map(|n| format!("{}: {}", DAY_NAMES[n], agenda.write_hours(n)));
            let off = agenda.write_days_off().replace('\n', ", ");
            format!("{}. Margen: {} min. Libres: {off}", days.collect::<Vec<_>>().join("; "), agenda.buffer)
        };
        Ok(Self {
            revision: kept.revision,
            days: (0..7).map(day).collect(),
            buffer: typed("margen", agenda.buffer.to_string()),
            days_off: typed("libres", agenda.write_days_off()),
            feed: kept.feed.map(|(_, since)| moment(since, state.app.now())),
            address: back.address,
            other: back.is_stale.then(|| label(agenda)),
        })
    }
}

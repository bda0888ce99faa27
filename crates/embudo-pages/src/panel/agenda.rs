//! When a person can go on visits, and the address by which calendars follow those visits: a part of `/panel/cuenta`.

use axum::extract::{Request, State};
use embudo_domain::visita::{Agenda, AgendaMistake, DAY_NAMES};
use embudo_store::visits::StoredAgenda;
use http::StatusCode;

use super::account::{self, Part};
use super::form_state::FormState;
use super::words::moment;
use super::{Caller, PanelResult, Signed};
use crate::WebState;
use crate::parts::{FormFields, Refusal, fields_of, redirect};

const FIELDS: [&str; 7] = ["lunes", "martes", "miercoles", "jueves", "viernes", "sabado", "domingo"];

/// The hours as the page shows them.
pub(super) struct AgendaView {
    pub revision: i64,
    pub days: Vec<DayView>,
    pub buffer: String,
    pub days_off: String,
    /// Since when the calendar is followed.
    pub feed: Option<String>,
    /// Its new address, shown once.
    pub address: Option<String>,
    /// What stands, where it was changed meanwhile.
    pub other: Option<String>,
}

pub(super) struct DayView {
    pub field: &'static str,
    pub name: &'static str,
    pub typed: String,
}

/// What came back of the form, or is shown once.
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
        let said = |agenda: &Agenda| {
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
            other: back.is_stale.then(|| said(agenda)),
        })
    }
}

/// `POST /panel/cuenta/agenda`.
pub(super) async fn save(State(state): State<WebState>, signed: Signed, request: Request) -> PanelResult {
    let fields = fields_of(&state, request).await?;
    let mut form = FormState::default();
    let agenda = read(&fields, &mut form);
    let seen = fields.raw("revision").parse::<i64>();
    let (Some(agenda), Ok(seen)) = (agenda, seen) else {
        if form.is_good() {
            form.add("", "No ha llegado entero. Vuelve a pulsar el botón.");
        }
        if !account::goes_on_visits(&signed) {
            form = FormState::wrong("", "Tu cuenta no lleva visitas, así que no tiene horario.");
        }
        let back = AgendaBack { fields: Some(fields), ..AgendaBack::default() };
        return account::again(&state, &signed, StatusCode::UNPROCESSABLE_ENTITY, form, Part::Agenda(back))
            .await;
    };
    if state.app.visits().save_agenda(&signed.open.user, seen, agenda, &signed.actor()).await? {
        return Ok(redirect("/panel/cuenta?hecho=agenda"));
    }
    let back = AgendaBack { fields: Some(fields), is_stale: true, ..AgendaBack::default() };
    let form = FormState::wrong("", super::kit::form::STALE);
    account::again(&state, &signed, StatusCode::CONFLICT, form, Part::Agenda(back)).await
}

fn read(fields: &FormFields, form: &mut FormState) -> Option<Agenda> {
    let mut agenda = Agenda::default();
    for (n, field) in FIELDS.into_iter().enumerate() {
        match Agenda::read_hours(&fields.text(field)) {
            Ok(hours) => agenda.week[n] = hours,
            Err(_) => form.add(field, "Escribe las horas así: 9:00-14:00, 16:00-19:00. Vacío: ese día no."),
        }
    }
    match Agenda::read_buffer(&fields.text("margen")) {
        Ok(buffer) => agenda.buffer = buffer,
        Err(AgendaMistake::Buffer | AgendaMistake::Hours | AgendaMistake::DaysOff) => {
            form.add("margen", "Escribe los minutos, de 0 a 240.");
        }
    }
    match Agenda::read_days_off(&fields.text("libres")) {
        Ok(days_off) => agenda.days_off = days_off,
        Err(_) => form.add(
            "libres",
            "Un día o un tramo en cada línea: 24/12/2026, o 01/08/2027 - 31/08/2027. Caben sesenta.",
        ),
    }
    form.is_good().then_some(agenda)
}

/// `POST /panel/cuenta/calendario`: a new address, shown this once; or none any more.
pub(super) async fn renew(
    State(state): State<WebState>,
    signed: Signed,
    caller: Caller,
    request: Request,
) -> PanelResult {
    let fields = fields_of(&state, request).await?;
    let (visits, user, actor) = (state.app.visits(), &signed.open.user, signed.actor());
    match fields.raw("hacer") {
        "quitar" => {
            visits.stop_feed(user, &actor).await?;
            Ok(redirect("/panel/cuenta?hecho=sin-calendario"))
        }
        "nueva" => {
            let secret = visits.renew_feed(user, &actor).await?;
            let address = Some(format!("{}/calendario/{secret}.ics", caller.home));
            let back = AgendaBack { address, ..AgendaBack::default() };
            account::again(&state, &signed, StatusCode::OK, FormState::default(), Part::Agenda(back)).await
        }
        _ => {
            let form = FormState::wrong("", "No ha llegado entero. Vuelve a pulsar el botón.");
            account::again(&state, &signed, StatusCode::UNPROCESSABLE_ENTITY, form, Part::None).await
        }
    }
}

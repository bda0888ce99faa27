//! A part of `/panel/cuenta`: the hours in which a person can go on visits, and the address of their calendar feed.

use axum::extract::{Request, State};
use embudo_domain::visita::{Agenda, AgendaMistake};
use http::StatusCode;

use super::account::{self, Part};
use super::agenda_view::{AgendaBack, FIELDS};
use super::form_state::FormState;
use super::{Caller, PanelResult, Signed};
use crate::WebState;
use crate::parts::{FormFields, fields_of, redirect};

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

/// `POST /panel/cuenta/calendario`: creates a new feed address, which is shown only now, or removes the address.
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

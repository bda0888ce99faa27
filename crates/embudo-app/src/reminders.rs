//! Reminders to clients: what each is about, and whether it may still be sent. This is checked when a reminder is
//! planned, and again when it is sent.

use embudo_domain::consentimiento::{Consentimiento, allows_reminders};
use embudo_domain::etapa::Etapa;
use embudo_domain::event::{Event, EventKind};
use embudo_domain::presupuesto::{DeliveryState, Presupuesto, PresupuestoDelivery, PresupuestoState};
use embudo_domain::record::StoredIntento;
use embudo_domain::settings::Settings;
use embudo_domain::timeline::{Moment, MomentKind};
use embudo_domain::{EmpresaId, LeadId, PresupuestoId, Timestamp, UserId};
use embudo_store::desk::LeadDesk;
use embudo_store::inbox::{MAX_DUPLICATES, Viewer};
use embudo_store::sheet::TimelinePage;
use embudo_store::{Result, StoreError};
use jiff::SignedDuration;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::forms::completion;
use crate::{App, in_spain};

/// Mails that nobody has just requested are sent in the daytime: from 10 to 20 h in Madrid, which is from 9 h in the
/// Canaries.
const DAYTIME: std::ops::Range<i8> = 10..20;

/// The maximum number of events and attempts that are searched, the newest first.
const LAST_MOMENTS: u32 = 100;

/// The subject of a reminder, as its job stores it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "sobre", rename_all = "lowercase")]
pub(crate) enum Reminder {
    /// A quote that waits for an answer. `days` says how many days after the quote this reminder is sent.
    Presupuesto {
        presupuesto: PresupuestoId,
        #[serde(rename = "dias")]
        days: u16,
    },
    /// A form that was left unfinished after the contact data.
    Formulario,
}

/// Why a reminder is not sent.
pub(crate) type Refusal = &'static str;

pub(crate) fn is_daytime(at: Timestamp) -> bool {
    DAYTIME.contains(&in_spain(at).hour())
}

/// The time until it is daytime again.
pub(crate) fn until_daytime(at: Timestamp) -> SignedDuration {
    let now = in_spain(at);
    let hours = (24 + DAYTIME.start - now.hour()) % 24;
    SignedDuration::from_hours(i64::from(hours)) - SignedDuration::from_mins(i64::from(now.minute()))
}

impl Reminder {
    /// Checks whether it may be sent to this lead; returns the reason if not.
    pub async fn check(self, app: &App, lead: LeadId, empresa: EmpresaId) -> Result<Option<Refusal>> {
        let settings = app.store.settings(empresa).await?;
        let refusal = match self {
            Self::Presupuesto { presupuesto, days } => match app.store.presupuesto(presupuesto).await {
                Ok(quote) => of_quote(app, &settings, &quote, days).await?,
                Err(StoreError::PresupuestoNotFound) => Some("el presupuesto ya no existe"),
                Err(error) => return Err(error),
            },
            Self::Formulario => of_form(app, &settings, lead, empresa).await?,
        };
        if refusal.is_some() {
            return Ok(refusal);
        }
        if app.store.lead(lead).await?.email.is_empty() {
            return Ok(Some("el cliente no ha dejado correo"));
        }
        // A refusal counts, whatever the person requested afterwards.
        for own in one_person(app, &desk(app, lead, empresa).await?).await? {
            if !allows_reminders(&app.store.consentimientos(own).await?) {
                return Ok(Some("el cliente no quiere recordatorios"));
            }
        }
        Ok(None)
    }
}

async fn of_quote(app: &App, settings: &Settings, quote: &Presupuesto, days: u16) -> Result<Option<Refusal>> {
    let reminders = &settings.reminders.quotes;
    let (Some(since), Some(issued)) = (reminders.since(), quote.emitido_en) else {
        return Ok(Some("los recordatorios de presupuestos están apagados"));
    };
    if issued < since || reminders.text(days).is_none() {
        return Ok(Some("este recordatorio ya no está entre los de la empresa"));
    }
    match quote.state {
        PresupuestoState::Emitido => {}
        PresupuestoState::Superseded => return Ok(Some("hay una versión más nueva")),
        _ => return Ok(Some("el cliente ya ha contestado")),
    }
    if !quote.validity.holds(app.today()) {
        return Ok(Some("el presupuesto ha caducado"));
    }
    let desk = desk(app, quote.lead, quote.empresa).await?;
    if desk.etapa != Etapa::PresupuestoEnviado {
        return Ok(Some("el lead ya no espera una respuesta"));
    }
    since_it_was_issued(app, &desk, quote, issued).await
}

/// The reason against a reminder in what happened since the quote was issued. One person may have several leads: their
/// actions with any of these leads count.
async fn since_it_was_issued(
    app: &App,
    desk: &LeadDesk,
    quote: &Presupuesto,
    issued: Timestamp,
) -> Result<Option<Refusal>> {
    let leads = one_person(app, desk).await?;
    let (events, attempts) = what_happened(app, leads.clone()).await?;
    if events.iter().any(|event| event.kind.ends_waiting() && event.creado_en > issued) {
        return Ok(Some("el cliente ha pedido otra cosa después"));
    }
    if attempts.iter().any(|attempt| attempt.intento.reached_client() && attempt.creado_en > issued) {
        return Ok(Some("ya se ha hablado con el cliente"));
    }
    let number = quote.number.to_string();
    let by_hand = |e: &Event| e.kind == EventKind::DeliveredByHand && e.detail.as_ref() == Some(&number);
    let mut is_there = events.iter().any(by_hand);
    for lead in leads {
        let sheet = app.store.sheet(lead).await?;
        if sheet.last_written.is_some_and(|at| at > issued) {
            return Ok(Some("el cliente ha escrito después"));
        }
        for other in &sheet.presupuestos {
            if other.emitido_en.is_some_and(|at| at > issued) || other.state == PresupuestoState::Aceptado {
                return Ok(Some("el cliente tiene otro presupuesto más nuevo o aceptado"));
            }
            let arrived = |d: &PresupuestoDelivery| {
                matches!(d.state, DeliveryState::Delivered | DeliveryState::Doubtful)
            };
            is_there |= other.id == quote.id && other.deliveries.iter().any(arrived);
        }
    }
    Ok((!is_there).then_some("no consta que el presupuesto le haya llegado"))
}

/// The last events and contact attempts.
async fn what_happened(app: &App, leads: Vec<LeadId>) -> Result<(Vec<Event>, Vec<StoredIntento>)> {
    let kinds = vec![MomentKind::Event, MomentKind::Intento];
    let page = TimelinePage { kinds, before: None, limit: LAST_MOMENTS };
    let (mut events, mut attempts) = (Vec::new(), Vec::new());
    for entry in app.store.timeline(leads, page).await? {
        match entry.moment {
            Moment::Event(event) => events.push(event),
            Moment::Intento(attempt) => attempts.push(attempt),
            _ => {}
        }
    }
    Ok((events, attempts))
}

async fn of_form(
    app: &App,
    settings: &Settings,
    lead: LeadId,
    empresa: EmpresaId,
) -> Result<Option<Refusal>> {
    let Some(since) = settings.reminders.form.since() else {
        return Ok(Some("los recordatorios del formulario están apagados"));
    };
    let own = app.store.lead(lead).await?;
    if own.creado_en < since {
        return Ok(Some("el formulario es de antes de encender los recordatorios"));
    }
    // A company's own website may send leads of its own form through the API. Such a lead has no form of ours to
    // continue.
    let is_ours = |c: &Consentimiento| c.is_notice() && c.source.as_deref() == Some("formulario_web");
    if !app.store.consentimientos(lead).await?.iter().any(is_ours) {
        return Ok(Some("no ha pasado por el formulario"));
    }
    if is_complete(app, lead).await? {
        return Ok(Some("el formulario está completo"));
    }
    let desk = desk(app, lead, empresa).await?;
    if desk.etapa != Etapa::Nuevo || desk.principal.is_some() || !desk.united.is_empty() {
        return Ok(Some("el lead ha seguido por otro lado"));
    }
    let (events, attempts) = what_happened(app, vec![lead]).await?;
    let has_reached = attempts.iter().any(|attempt| attempt.intento.reached_client());
    if has_reached || events.iter().any(|event| event.kind.ends_waiting()) {
        return Ok(Some("el cliente ha pedido otra cosa, o ya se ha hablado con él"));
    }
    // A person who left one form and continued with another has not stopped. These leads may not be united yet.
    let others = app.store.duplicates(&viewer(empresa), vec![lead]).await?;
    for other in others.iter().map(|row| &row.summary.lead) {
        let is_newer = (other.creado_en, other.id) > (own.creado_en, lead);
        if is_newer || is_complete(app, other.id).await? {
            return Ok(Some("la misma persona ha seguido con otra solicitud"));
        }
    }
    // There may be more leads than were read, and a newer one among them.
    Ok((others.len() >= MAX_DUPLICATES).then_some("la misma persona tiene muchas solicitudes"))
}

async fn is_complete(app: &App, lead: LeadId) -> Result<bool> {
    let done = completion(lead);
    app.store.was_done(done.scope, done.key, app.now()).await
}

async fn desk(app: &App, lead: LeadId, empresa: EmpresaId) -> Result<LeadDesk> {
    app.store.desk(&viewer(empresa), lead).await
}

/// A viewer that represents the service itself, in one company.
fn viewer(empresa: EmpresaId) -> Viewer {
    Viewer { who: UserId(Uuid::nil()), empresas: vec![empresa] }
}

/// Whether a lead is archived.
pub(crate) async fn is_archived(app: &App, lead: LeadId, empresa: EmpresaId) -> Result<bool> {
    Ok(desk(app, lead, empresa).await?.archived.is_some())
}

/// All leads of the same person, as far as people have united them.
async fn one_person(app: &App, desk: &LeadDesk) -> Result<Vec<LeadId>> {
    let (first, united) = match desk.principal {
        Some(principal) => (principal, self::desk(app, principal, desk.empresa).await?.united),
        None => (desk.lead, desk.united.clone()),
    };
    Ok([first].into_iter().chain(united).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_written_to_at_night() {
        let at = |text: &str| text.parse::<Timestamp>().expect("a moment");
        assert!(is_daytime(at("2026-11-14T09:00:00Z")) && is_daytime(at("2026-11-14T18:59:00Z")));
        assert!(!is_daytime(at("2026-11-14T08:59:00Z")) && !is_daytime(at("2026-11-14T19:00:00Z")));
        assert_eq!(until_daytime(at("2026-11-14T19:30:00Z")), SignedDuration::from_mins(13 * 60 + 30));
        assert_eq!(until_daytime(at("2026-11-14T08:59:00Z")), SignedDuration::from_mins(1));
    }
}

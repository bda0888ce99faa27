//! `GET /v/:pase`, `POST /v/:pase/elegir` and `/cancelar`.

use askama::Template;
use axum::extract::{Request, State};
use axum::response::Response;
use embudo_app::ClientChange;
use embudo_domain::Timestamp;
use embudo_domain::visita::{SpanishTimeZone, Visita, VisitaError, VisitaState};
use http::{StatusCode, Uri};
use jiff::SignedDuration;

use super::access::Opened;
use crate::WebState;
use crate::parts::{Frame, Refusal, Visibility, fields_of, read_fields, redirect, render_page};

/// How many days are shown at once. The other days are folded.
const DAYS_IN_SIGHT: usize = 5;

#[derive(Template)]
#[template(path = "visit/page.html")]
struct ClientVisitPage {
    frame: Frame,
    base: String,
    empresa: String,
    title: &'static str,
    /// The hour of the visit, once it is agreed.
    when: Option<String>,
    minutes: u32,
    place: String,
    /// Each day with its free hours.
    days: Vec<(String, Vec<Slot>)>,
    /// The days that are folded at first.
    more_days: Vec<(String, Vec<Slot>)>,
    /// An hour that the client chose instead of the agreed hour, but has not confirmed yet.
    change: Option<Change>,
    /// Why the last action was refused.
    denied: Option<&'static str>,
    done: Option<String>,
    is_proposed: bool,
    is_agreed: bool,
    is_moving: bool,
    can_change: bool,
    /// Until when the visit can be changed, or why it cannot be changed.
    limit: String,
    zone: Option<&'static str>,
}

struct Slot {
    value: i64,
    hour: String,
    label: String,
}

struct Change {
    from: i64,
    to: i64,
    /// The new hour, in words.
    label: String,
}

pub(super) async fn show(State(state): State<WebState>, open: Opened, uri: Uri) -> Result<Response, Refusal> {
    let query = read_fields(uri.query().unwrap_or_default().as_bytes());
    let done = match (query.raw("hecho"), open.visita.state) {
        ("elegida", VisitaState::Confirmada) => {
            let mail = " Te escribimos con la invitación para tu calendario.";
            let mail = if state.app.outbound.mail.is_some() { mail } else { "" };
            Some(format!("Hecho: nos vemos a esa hora.{mail}"))
        }
        ("cancelada", VisitaState::Cancelada) => Some("Hecho: ya no vamos.".to_owned()),
        _ => None,
    };
    let moving = query.raw("hacer") == "mover";
    match hour(query.raw("hora")) {
        Some(slot) if moving && open.visita.state == VisitaState::Confirmada => {
            confirm(&state, open, slot).await
        }
        _ => render(&state, open, StatusCode::OK, Shown { done, moving, ..Shown::default() }).await,
    }
}

/// Shows the old and the new hour. The visit is not moved before the client has seen both.
async fn confirm(state: &WebState, open: Opened, slot: Timestamp) -> Result<Response, Refusal> {
    match state.app.visits().why_not_move(&open.visita, slot).await? {
        Some(refused) => ended(state, open, refused, "elegida", true).await,
        None => {
            let shown = Shown { confirming: Some(slot), moving: true, ..Shown::default() };
            render(state, open, StatusCode::OK, shown).await
        }
    }
}

fn hour(text: &str) -> Option<Timestamp> {
    Timestamp::from_second(text.parse().ok()?).ok()
}

/// The client chooses an hour, for the first time or in place of the agreed one.
pub(super) async fn pick(
    State(state): State<WebState>,
    open: Opened,
    request: Request,
) -> Result<Response, Refusal> {
    state.quotas.visit(open.visita.id).await?;
    let fields = fields_of(&state, request).await?;
    let moving = open.visita.state == VisitaState::Confirmada;
    let Some(slot) = hour(fields.raw("hora")) else {
        let shown = Shown { denied: Some("Elige una de las horas."), moving, ..Shown::default() };
        return render(&state, open, StatusCode::UNPROCESSABLE_ENTITY, shown).await;
    };
    // The hour that was agreed when the client loaded the page.
    let seen = hour(fields.raw("desde"));
    if moving && seen.is_none() && open.visita.start != Some(slot) {
        return confirm(&state, open, slot).await;
    }
    let change = state.app.visits().client_picks(&open.visita, slot, seen).await?;
    ended(&state, open, change, "elegida", moving).await
}

pub(super) async fn cancel(State(state): State<WebState>, open: Opened) -> Result<Response, Refusal> {
    state.quotas.visit(open.visita.id).await?;
    let change = state.app.visits().client_cancels(&open.visita).await?;
    ended(&state, open, change, "cancelada", false).await
}

async fn ended(
    state: &WebState,
    open: Opened,
    change: ClientChange,
    what: &str,
    moving: bool,
) -> Result<Response, Refusal> {
    let (denied, visita) = match change {
        ClientChange::Done(_) => return Ok(redirect(&format!("{}?hecho={what}", open.base))),
        ClientChange::Taken => ("Esa hora ya no está libre: alguien la ha cogido antes. Elige otra.", None),
        ClientChange::Stale(visita) => {
            ("La visita ha cambiado mientras la mirabas. Así está ahora.", Some(visita))
        }
        ClientChange::Refused(error) => (refused(error), None),
        ClientChange::Unattended => {
            ("Ahora mismo no podemos darte hora por aquí. Llámanos o responde a nuestro correo.", None)
        }
    };
    let visita = match visita {
        Some(visita) => visita,
        None => state.app.store.visita(open.visita.id).await?.ok_or(Refusal::NotFound)?,
    };
    let shown = Shown { denied: Some(denied), moving, ..Shown::default() };
    render(state, Opened { visita, ..open }, StatusCode::CONFLICT, shown).await
}

fn refused(error: VisitaError) -> &'static str {
    match error {
        VisitaError::TooLate => "Ya es tarde para cambiarla por aquí. Llámanos y lo vemos.",
        VisitaError::State(VisitaState::Cancelada) => "La visita está cancelada. Escríbenos si quieres otra.",
        VisitaError::State(_) => "Esta visita ya no se puede cambiar.",
        VisitaError::OutOfReach => "Esa hora ya ha pasado. Elige otra.",
        VisitaError::TooSoon => "Falta muy poco para esa hora. Elige otra.",
        VisitaError::NotProposed | VisitaError::NotYet | VisitaError::NoSlots => {
            "Esa hora no es de las que ofrecemos. Elige otra."
        }
    }
}

#[derive(Default)]
struct Shown {
    done: Option<String>,
    denied: Option<&'static str>,
    moving: bool,
    /// An hour that the client has chosen and must still confirm.
    confirming: Option<Timestamp>,
}

async fn render(
    state: &WebState,
    open: Opened,
    status: StatusCode,
    shown: Shown,
) -> Result<Response, Refusal> {
    let Opened { base, visita, zone, settings, storefront, is_preview } = open;
    let (visits, now) = (state.app.visits(), state.app.now());
    let can_change = visita.may_client_change(now, settings.client_limit()).is_ok();
    let is_agreed = visita.state == VisitaState::Confirmada;
    let is_moving = shown.moving && is_agreed && can_change;
    let change = shown.confirming.zip(visita.start).filter(|_| is_moving).map(|(to, from)| Change {
        from: from.as_second(),
        to: to.as_second(),
        label: zone.long(to),
    });
    let free = match visita.state {
        VisitaState::Propuesta => visits.open_slots(&visita).await?,
        VisitaState::Confirmada if is_moving && change.is_none() => visits.slots_to_move(&visita).await?,
        _ => Vec::new(),
    };
    let mut days = days(zone, &free);
    let more_days = days.split_off(days.len().min(DAYS_IN_SIGHT));
    let title = match visita.state {
        VisitaState::Propuesta => "Elige hora para la visita",
        VisitaState::Confirmada if change.is_some() => "¿Cambiamos la hora?",
        VisitaState::Confirmada if is_moving => "Elige otra hora",
        VisitaState::Confirmada => "Tu visita",
        VisitaState::Realizada => "Gracias por recibirnos",
        VisitaState::NoPresentado => "No pudimos vernos",
        VisitaState::Cancelada => "La visita está cancelada",
    };
    let page = ClientVisitPage {
        empresa: storefront.empresa.nombre.clone(),
        frame: Frame::new(storefront, title).with(&["visitas.css"], &["errores.js"]).previewed(is_preview),
        base,
        title,
        when: visita.start.map(|start| zone.long(start)),
        minutes: visita.minutes,
        place: visita.address.clone(),
        days,
        more_days,
        change,
        denied: shown.denied,
        done: shown.done,
        is_proposed: visita.state == VisitaState::Propuesta,
        is_agreed,
        is_moving,
        can_change,
        limit: limit(&visita, now, settings.client_limit_hours),
        zone: (zone == SpanishTimeZone::Canary).then_some("Las horas son las de Canarias."),
    };
    Ok(render_page(status, Visibility::Personal, &page.frame, &page))
}

/// Until when an agreed visit can be changed, or why it can no longer be changed.
fn limit(visita: &Visita, now: Timestamp, hours: u16) -> String {
    let is_open = visita.may_client_change(now, SignedDuration::from_hours(i64::from(hours))).is_ok();
    let has_begun = visita.start.is_some_and(|start| start <= now);
    match (is_open, hours) {
        (true, 0) => "Puedes cambiarla o cancelarla hasta que empiece.".to_owned(),
        (true, 1) => "Puedes cambiarla o cancelarla hasta una hora antes.".to_owned(),
        (true, hours) => format!("Puedes cambiarla o cancelarla hasta {hours} horas antes."),
        (false, _) if visita.is_over(now) => {
            "Esta visita ya ha pasado. Si quieres que quedemos otro día, llámanos o responde a nuestro correo."
                .to_owned()
        }
        (false, _) if has_begun => "La visita ya ha empezado. Si necesitas algo, llámanos.".to_owned(),
        (false, 1) => {
            "Ya no se puede cambiar por aquí: falta menos de una hora. Si no puedes, llámanos.".to_owned()
        }
        (false, hours) => format!(
            "Ya no se puede cambiar por aquí: faltan menos de {hours} horas. Si no puedes, llámanos."
        ),
    }
}

/// Groups free hours by day.
fn days(zone: SpanishTimeZone, free: &[Timestamp]) -> Vec<(String, Vec<Slot>)> {
    let mut days: Vec<(String, Vec<Slot>)> = Vec::new();
    for at in free {
        let label = zone.long(*at);
        let day = label.split(',').next().unwrap_or_default().to_owned();
        let slot = Slot { value: at.as_second(), hour: zone.hour(*at), label };
        match days.last_mut() {
            Some((of, slots)) if *of == day => slots.push(slot),
            _ => days.push((day, vec![slot])),
        }
    }
    days
}

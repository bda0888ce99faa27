//! `/panel/leads/:id/visitas`: creates a visit. Hours are proposed to the client, or one is agreed at once.

use askama::Template;
use embudo_app::{Conflicts, NewVisita, Tell};
use embudo_domain::visita::{MAX_FREE, SpanishTimeZone, VisitSettings, Visita};
use embudo_domain::{Timestamp, UserId, VisitaId};
use embudo_store::visits::VisitaChange;
use http::{StatusCode, Uri};
use jiff::civil::Date;

use super::STYLES;
use super::calendar::day_in;
use super::fields::{Goer, Typed, conflicts, goers, read_slots, typed_hours};
use super::words::{Place, Warned, from_field, overlap, refused, to_field, warned};
use crate::panel::form_state::FormState;
use crate::panel::kit::people::People;
use crate::panel::kit::work::{OpenLead, Posted};
use crate::panel::{PanelFrame, PanelResult, Section};
use crate::parts::{FormFields, Refusal, private_page, read_fields, redirect};

/// The suggested hour on a day without free hours.
const MORNING: &str = "09:00";

/// The maximum number of free hours to choose from.
pub(super) const OFFERED: usize = 12;

#[derive(Template)]
#[template(path = "panel/visits/create.html")]
struct NewVisitPage {
    frame: PanelFrame,
    form: FormState,
    base: String,
    nombre: String,
    once: String,
    typed: Typed,
    goers: Vec<Goer>,
    slots: Vec<Slot>,
    others: Vec<String>,
    when: String,
    day: String,
    warned: Warned,
    tells: bool,
    has_mail: bool,
    zone: Option<&'static str>,
}

/// An hour that can be proposed.
pub(super) struct Slot {
    pub value: String,
    pub label: String,
    pub is_ticked: bool,
}

pub(super) fn slot_views(zone: SpanishTimeZone, free: &[Timestamp], ticked: &[Timestamp]) -> Vec<Slot> {
    let view = |slot: &Timestamp| Slot {
        value: to_field(zone, *slot),
        label: zone.short(*slot),
        is_ticked: ticked.contains(slot),
    };
    free.iter().map(view).collect()
}

pub(crate) async fn show(open: OpenLead, uri: Uri) -> PanelResult {
    let query = read_fields(uri.query().unwrap_or_default().as_bytes());
    let asked = Asked { day: day_in(&query), ..Asked::first(&open).await? };
    page(&open, StatusCode::OK, FormState::default(), asked).await
}

/// The contents of the form.
struct Asked {
    typed: Typed,
    fields: FormFields,
    settings: VisitSettings,
    zone: SpanishTimeZone,
    /// The day of the calendar from which the person came.
    day: Option<Date>,
    warned: Warned,
}

impl Asked {
    /// The suggested values. The person to whom the lead is assigned goes, or else the person who creates the visit.
    async fn first(open: &OpenLead) -> Result<Self, Refusal> {
        let (settings, zone) = open.state.app.visits().settings(open.lead.empresa.id).await?;
        let people = People::load(&open.state).await?;
        let (own, empresa) = (open.signed.open.user.id, open.lead.empresa.id);
        let assigned = open.desk().await?.assigned.filter(|id| people.goes(*id, empresa));
        let mut typed = Typed::new(settings.minutes, assigned.unwrap_or(own));
        // The lead in `open` lacks its address, so the lead is read again.
        let lead = open.state.app.store.sheet(open.lead.id).await?.lead;
        typed.address = lead.address_of_obra().unwrap_or_default();
        let fields = FormFields::default();
        Ok(Self { typed, fields, settings, zone, day: None, warned: Warned::default() })
    }
}

/// `POST /panel/leads/:id/visitas`.
pub(crate) async fn create(posted: Posted) -> PanelResult {
    let (settings, zone) = posted.state.app.visits().settings(posted.lead.empresa.id).await?;
    let people = People::load(&posted.state).await?;
    let typed = Typed::sent(&posted.fields, &people, posted.lead.empresa.id, &[]);
    let (fields, day) = (posted.fields.clone(), day_in(&posted.fields));
    let mut asked = Asked { typed, fields, settings, zone, day, warned: Warned::default() };
    let what = posted.fields.raw("hacer");
    if what == "buscar" {
        return page(&posted, StatusCode::OK, FormState::default(), asked).await;
    }
    let mut form = FormState::default();
    let details = asked.typed.read(&mut form);
    let Ok(once) = uuid::Uuid::try_parse(posted.fields.raw("vez")) else {
        let form = FormState::wrong("", "No ha llegado entero. Vuelve a pulsar el botón.");
        return page(&posted, StatusCode::UNPROCESSABLE_ENTITY, form, asked).await;
    };
    let Some(details) = details else {
        return page(&posted, StatusCode::UNPROCESSABLE_ENTITY, form, asked).await;
    };
    let new = posted.state.app.visits().prepare(NewVisita {
        lead: posted.lead.id,
        empresa: posted.lead.empresa.id,
        minutes: details.minutes,
        address: details.address,
        people: details.people,
        notes: details.notes,
    });
    // The id is derived from the lead and the form's random id. So a form that is sent twice creates one visit, and the
    // id of another lead's visit cannot be produced.
    let new = Visita { id: VisitaId::of_press(posted.lead.id, once), ..new };
    let (made, place) = match what {
        "confirmar" => (agreed(&posted, new, zone, &mut form), Place::Hour),
        _ => (proposed(&posted, new, zone, &mut form), Place::Slots),
    };
    let Some(made) = made else {
        return page(&posted, StatusCode::UNPROCESSABLE_ENTITY, form, asked).await;
    };
    let conflicts = conflicts(&posted.fields);
    if conflicts == Conflicts::Heed {
        let warnings = posted.state.app.visits().warnings(&made, zone).await?;
        asked.warned = Warned::at(place, warned(&made, &warnings, &people, zone));
        if !warnings.is_empty() {
            form.add("", "No se ha guardado nada todavía.");
            asked.warned.add_to(&mut form);
            return page(&posted, StatusCode::UNPROCESSABLE_ENTITY, form, asked).await;
        }
    }
    let tell = if posted.fields.has("avisar") { Tell::Everybody } else { Tell::People };
    match posted.state.app.visits().keep(None, made, conflicts, tell, &posted.signed.actor()).await? {
        // Somebody took the hour between the check and the save.
        VisitaChange::Taken(busy) => {
            asked.warned = Warned::at(place, busy.iter().map(|busy| overlap(busy, zone)).collect());
            form.add("", "No se ha guardado nada todavía.");
            asked.warned.add_to(&mut form);
            page(&posted, StatusCode::UNPROCESSABLE_ENTITY, form, asked).await
        }
        VisitaChange::Saved(visita) | VisitaChange::Stale(visita) if visita.lead == posted.lead.id => {
            Ok(redirect(&format!("/panel/visitas/{}?hecho=creada", visita.id)))
        }
        _ => Err(Refusal::NotUnderstood),
    }
}

fn proposed(posted: &Posted, new: Visita, zone: SpanishTimeZone, form: &mut FormState) -> Option<Visita> {
    let slots = read_slots(&posted.fields, zone, form);
    if !form.is_good() {
        return None;
    }
    new.propose(&slots, posted.state.app.now()).map_err(|error| form.add("hueco", refused(error))).ok()
}

fn agreed(posted: &Posted, new: Visita, zone: SpanishTimeZone, form: &mut FormState) -> Option<Visita> {
    let start = from_field(zone, &posted.fields.text("cuando"));
    let start = start.map_err(|mistake| form.add("cuando", mistake)).ok()?;
    new.agree(start, posted.state.app.now()).map_err(|error| form.add("cuando", refused(error))).ok()
}

/// The hours to offer: those from the wanted day on, or all if there are none.
fn from_day(free: Vec<Timestamp>, zone: SpanishTimeZone, day: Option<Date>) -> Vec<Timestamp> {
    let is_later = |slot: &&Timestamp| day.is_none_or(|day| zone.day(**slot) >= day);
    let later: Vec<Timestamp> = free.iter().filter(is_later).take(OFFERED).copied().collect();
    if later.is_empty() { free.into_iter().take(OFFERED).collect() } else { later }
}

/// The first free hour of a day, or else that day's morning, as the value of a date-and-time field.
fn on_day(free: &[Timestamp], zone: SpanishTimeZone, day: Date) -> String {
    let first = free.iter().find(|slot| zone.day(**slot) == day);
    first.map_or_else(|| format!("{day}T{MORNING}"), |slot| to_field(zone, *slot))
}

async fn page(open: &OpenLead, status: StatusCode, form: FormState, asked: Asked) -> PanelResult {
    let Asked { typed, fields, settings, zone, day, warned } = asked;
    let (app, empresa) = (&open.state.app, open.lead.empresa.id);
    let people = People::load(&open.state).await?;
    let goers = goers(&people, empresa, &typed.people);
    let going: Vec<UserId> = typed.people.iter().copied().filter(|id| people.goes(*id, empresa)).collect();
    let free = match going.len() {
        0 | 6.. => Vec::new(),
        _ => {
            let minutes = typed.minutes_or(settings.minutes);
            let most = if day.is_some() { MAX_FREE } else { OFFERED };
            app.visits().free_slots(empresa, (&settings, zone), &going, minutes, None, most).await?
        }
    };
    let free = from_day(free, zone, day);
    let ticked = read_slots(&fields, zone, &mut FormState::default());
    let frame = PanelFrame::new(&open.state, &open.signed, "Nueva visita", Section::Calendar).await?;
    let page = NewVisitPage {
        frame: frame.with(STYLES, &[]),
        form,
        base: format!("/panel/leads/{}", open.lead.id),
        nombre: open.lead.name(),
        once: match uuid::Uuid::try_parse(fields.raw("vez")) {
            Ok(once) => once.to_string(),
            Err(_) => app.id().to_string(),
        },
        typed,
        goers,
        slots: slot_views(zone, &free, &ticked),
        others: typed_hours(Some(&fields)),
        when: match (fields.text("cuando"), day) {
            (typed, Some(day)) if typed.is_empty() && fields.0.is_empty() => on_day(&free, zone, day),
            (typed, _) => typed,
        },
        day: day.map(|day| day.to_string()).unwrap_or_default(),
        warned,
        tells: fields.0.is_empty() || fields.has("avisar"),
        has_mail: app.outbound.mail.is_some(),
        zone: (zone == SpanishTimeZone::Canary).then_some("Las horas son las de Canarias."),
    };
    Ok(private_page(status, &page))
}

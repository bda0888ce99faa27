//! `GET /panel/visitas/:id`: one visit.

use askama::Template;
use embudo_domain::UserId;
use embudo_domain::facts::Facts;
use embudo_domain::role::Permission;
use embudo_domain::visita::{SpanishTimeZone, VisitaState};
use http::{StatusCode, Uri};

use super::create::{OFFERED, Slot, slot_views};
use super::fields::{Goer, Typed, goers, read_slots, typed_hours};
use super::measure::measured;
use super::shown::{Shown, is_of_measured};
use super::words::{Warned, cancelled, gone, map_link, to_field};
use super::{OpenVisita, STYLES, site};
use crate::panel::form_state::FormState;
use crate::panel::kit::chips::visita_state;
use crate::panel::kit::choices::{Choice, MOMENTOS, ZONAS};
use crate::panel::kit::people::People;
use crate::panel::kit::phone::Phone;
use crate::panel::{PanelFrame, PanelResult, Section};
use crate::parts::{Input, private_page, read_fields};

#[derive(Template)]
#[template(path = "panel/visits/page.html")]
struct VisitPage {
    frame: PanelFrame,
    form: FormState,
    done: Option<&'static str>,
    base: String,
    lead: String,
    nombre: String,
    telefono: Phone,
    revision: i64,
    state: (&'static str, &'static str),
    /// The agreed hour in words. `None` while hours are only proposed.
    when: Option<String>,
    /// Who cancelled the visit and when, in words. `None` if nobody did, or if that was not recorded.
    cancelled: Option<String>,
    place: String,
    /// Whether the visit has no address of its own, so that the lead's address is shown.
    is_leads_place: bool,
    map: Option<String>,
    people: String,
    proposed: Vec<String>,
    link: String,
    typed: Typed,
    /// The stored values, if somebody else changed them meanwhile.
    clash: Vec<(&'static str, String, String)>,
    goers: Vec<Goer>,
    slots: Vec<Slot>,
    others: Vec<String>,
    moment: String,
    warned: Warned,
    /// People of the visit who no longer work here.
    gone: Vec<String>,
    measured: Vec<Input>,
    versions: Vec<(&'static str, String)>,
    measurements: String,
    /// The text of an internal note that had an error.
    nota: String,
    once: String,
    has_mail: bool,
    tells: bool,
    is_proposed: bool,
    is_agreed: bool,
    can_end: bool,
    /// Whether the person may add what they find on site.
    can_add: bool,
    /// Whether the visit may still be changed.
    is_open: bool,
    data_open: bool,
    zone: Option<&'static str>,
}

pub(crate) async fn show(open: OpenVisita, uri: Uri) -> PanelResult {
    let query = read_fields(uri.query().unwrap_or_default().as_bytes());
    let done = match query.raw("hecho") {
        "creada" => Some("Visita preparada."),
        "propuesta" => Some("Horas propuestas."),
        "fijada" => Some("Hora fijada."),
        "datos" => Some("Datos guardados."),
        "cancelada" => Some("Visita cancelada."),
        "cerrada" => Some("Apuntado."),
        "medidas" => Some("Lo medido está en el lead."),
        "fotos" => Some("Fotos añadidas al lead."),
        "nota" => Some("Nota guardada."),
        _ => None,
    };
    render(&open, StatusCode::OK, Shown { done, ..Shown::default() }).await
}

/// The page of the visit. A person who sees only their own visits gets the page for work on site.
pub(super) async fn render(open: &OpenVisita, status: StatusCode, shown: Shown) -> PanelResult {
    if !open.may(Permission::SeeVisits) {
        return site::render(open, status, shown).await;
    }
    let (app, visita, zone) = (&open.state.app, &open.visita, open.zone);
    let people = People::load(&open.state).await?;
    let now = app.now();
    let can_plan = open.may(Permission::PlanVisits);
    let is_open = can_plan && matches!(visita.state, VisitaState::Propuesta | VisitaState::Confirmada);
    let free = match is_open {
        true => {
            let (settings, zone) = app.visits().settings(visita.empresa).await?;
            let (people, own) = (&visita.people, Some(visita.id));
            app.visits()
                .free_slots(visita.empresa, (&settings, zone), people, visita.minutes, own, OFFERED)
                .await?
        }
        false => Vec::new(),
    };
    // A visit without an address takes place at the lead's address.
    let of_lead = match visita.address.is_empty() {
        true => app.store.sheet(visita.lead).await?.lead.address_of_obra(),
        false => None,
    };
    let place = of_lead.clone().unwrap_or_else(|| visita.address.clone());
    let back = shown.fields.as_ref();
    let back_measured = back.filter(is_of_measured);
    let mut typed = match back.filter(|_| shown.data_open) {
        Some(fields) => Typed::sent(fields, &people, visita.empresa, &visita.people),
        None => Typed::of(visita),
    };
    if back.is_none() {
        typed.address.clone_from(&place);
    }
    let ticked = match back.map(|fields| read_slots(fields, zone, &mut FormState::default())) {
        Some(ticked) if !ticked.is_empty() => ticked,
        _ => visita.slots.clone(),
    };
    let name = |id: &UserId| people.name(*id).to_owned();
    let page = VisitPage {
        frame: PanelFrame::new(&open.state, &open.signed, "Visita", Section::Calendar)
            .await?
            .with(STYLES, &[]),
        base: open.path(),
        lead: format!("/panel/leads/{}", visita.lead),
        nombre: open.lead.name(),
        telefono: Phone::of(&open.lead.telefono_e164),
        revision: visita.revision,
        state: visita_state(visita.state),
        when: visita.start.map(|start| zone.long(start)),
        cancelled: cancelled(visita, &people, zone),
        map: (!place.is_empty()).then(|| map_link(&place)),
        place,
        is_leads_place: of_lead.is_some(),
        people: visita.people.iter().map(name).collect::<Vec<_>>().join(", "),
        proposed: visita.slots.iter().map(|slot| zone.long(*slot)).collect(),
        link: app.visits().page_path(visita),
        goers: goers(&people, visita.empresa, &typed.people),
        typed,
        clash: shown.clash,
        slots: slot_views(zone, &free, &ticked),
        others: typed_hours(back),
        moment: match back {
            Some(fields) if !fields.text("cuando").is_empty() => fields.text("cuando"),
            _ => visita.start.map(|start| to_field(zone, start)).unwrap_or_default(),
        },
        gone: match is_open {
            true => app.visits().gone(visita).await?.into_iter().map(|id| gone(&people, id)).collect(),
            false => Vec::new(),
        },
        warned: shown.warned,
        measured: measured(&Facts::of(&open.lead), &shown.form, back_measured),
        versions: super::measure::versions(&Facts::of(&open.lead)),
        measurements: match back_measured {
            Some(fields) => fields.text("medidas"),
            None => visita.measurements.clone(),
        },
        nota: back.map(|fields| fields.text("nota")).unwrap_or_default(),
        once: app.id().to_string(),
        has_mail: app.outbound.mail.is_some(),
        tells: back.is_none_or(|fields| fields.has("avisar")),
        is_proposed: visita.state == VisitaState::Propuesta,
        is_agreed: visita.state == VisitaState::Confirmada,
        can_add: open.may(Permission::GoOnVisits),
        can_end: can_plan
            && visita.start.is_some_and(|start| start <= now)
            && visita.state != VisitaState::Cancelada,
        is_open,
        data_open: shown.data_open,
        zone: (zone == SpanishTimeZone::Canary).then_some("Las horas son las de Canarias."),
        form: shown.form,
        done: shown.done,
    };
    Ok(private_page(status, &page))
}

impl VisitPage {
    fn zonas(&self) -> &'static [Choice] {
        ZONAS
    }

    fn momentos(&self) -> &'static [Choice] {
        MOMENTOS
    }
}

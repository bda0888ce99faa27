//! `GET /panel/visitas/:id` for a worker on site: the place, the client, the agreed work, and what the worker finds
//! there. It shows no price, no chat and no notes of other people.

use askama::Template;
use embudo_app::work_label;
use embudo_domain::facts::Facts;
use embudo_domain::presupuesto::{PresupuestoState, PrintedFoto, ScopePart};
use embudo_domain::timeline::{Moment, MomentKind};
use embudo_domain::visita::{SpanishTimeZone, VisitaState};
use embudo_domain::{LeadId, Timestamp, UserId, Zona};
use embudo_store::sheet::{LeadSheet, TimelinePage};
use http::StatusCode;

use super::measure::{measured, versions};
use super::shown::{Shown, is_of_measured};
use super::words::map_link;
use super::{OpenVisita, STYLES};
use crate::WebState;
use crate::panel::form_state::FormState;
use crate::panel::kit::chips::visita_state;
use crate::panel::kit::choices::{Choice, ZONAS};
use crate::panel::kit::people::People;
use crate::panel::kit::phone::Phone;
use crate::panel::kit::work::viewer;
use crate::panel::words::moment;
use crate::panel::{PanelFrame, PanelResult, Section};
use crate::parts::{Input, Refusal, private_page};
use crate::quote::pictures::{Album, Picture};
use crate::quote::words::phone_link;

/// How many internal notes of a lead are searched for the person's own.
const MAX_NOTAS: u32 = 200;

#[derive(Template)]
#[template(path = "panel/visits/site.html")]
struct SitePage {
    frame: PanelFrame,
    form: FormState,
    done: Option<&'static str>,
    base: String,
    nombre: String,
    telefono: Phone,
    /// The telephone number behind «Llamar».
    call: Option<String>,
    revision: i64,
    state: (&'static str, &'static str),
    when: Option<String>,
    zone: Option<&'static str>,
    is_cancelled: bool,
    place: String,
    map: Option<String>,
    people: String,
    minutes: u32,
    notes: String,
    /// The progress of the work, once it is accepted.
    work: Option<String>,
    scope: Vec<ScopePart>,
    fotos: Vec<(&'static str, Vec<Picture>)>,
    measured: Vec<Input>,
    versions: Vec<(&'static str, String)>,
    measurements: String,
    /// The person's own notes, newest first: moment and text.
    notas: Vec<(String, String)>,
    nota: String,
    once: String,
}

impl SitePage {
    fn zonas(&self) -> &'static [Choice] {
        ZONAS
    }

    /// No choices, so the form does not ask: a photo taken on site always shows the place before the work.
    fn momentos(&self) -> &'static [Choice] {
        &[]
    }
}

pub(super) async fn render(open: &OpenVisita, status: StatusCode, shown: Shown) -> PanelResult {
    let (state, visita, zone) = (&open.state, &open.visita, open.zone);
    let (app, now, who) = (&state.app, state.app.now(), open.signed.open.user.id);
    let sheet = app.store.sheet(visita.lead).await?;
    let desk = app.store.desk(&viewer(&open.signed, &open.lead), visita.lead).await?;
    let people = People::load(state).await?;
    let facts = Facts::of(&open.lead);
    let back = shown.fields.as_ref();
    let back_measured = back.filter(is_of_measured);
    let place = match visita.address.is_empty() {
        true => sheet.lead.address_of_obra().unwrap_or_default(),
        false => visita.address.clone(),
    };
    let page = SitePage {
        frame: PanelFrame::new(state, &open.signed, "Visita", Section::Calendar)
            .await?
            .with(SITE_STYLES, &[]),
        base: open.path(),
        nombre: open.lead.name(),
        telefono: Phone::of(&open.lead.telefono_e164),
        call: phone_link(&open.lead.telefono_e164),
        revision: visita.revision,
        state: visita_state(visita.state),
        when: visita.start.map(|start| zone.long(start)),
        zone: (zone == SpanishTimeZone::Canary).then_some("Las horas son las de Canarias."),
        is_cancelled: visita.state == VisitaState::Cancelada,
        map: (!place.is_empty()).then(|| map_link(&place)),
        place,
        people: visita.people.iter().map(|id| people.name(*id)).collect::<Vec<_>>().join(", "),
        minutes: visita.minutes,
        notes: visita.notes.clone(),
        work: desk.facts.accepted.then(|| work_label(desk.work)),
        scope: scope(state, &sheet).await?,
        fotos: fotos(state, &sheet).await?,
        measured: measured(&facts, &shown.form, back_measured),
        versions: versions(&facts),
        measurements: match back_measured {
            Some(fields) => fields.text("medidas"),
            None => visita.measurements.clone(),
        },
        notas: own_notas(state, visita.lead, who, now).await?,
        nota: back.map(|fields| fields.text("nota")).unwrap_or_default(),
        once: app.id().to_string(),
        form: shown.form,
        done: shown.done,
    };
    Ok(private_page(status, &page))
}

const SITE_STYLES: &[&str] = &[STYLES[0], "cuadros.css", "lead.css"];

/// The scope of the accepted quote, without prices.
async fn scope(state: &WebState, sheet: &LeadSheet) -> Result<Vec<ScopePart>, Refusal> {
    let accepted = sheet.presupuestos.iter().find(|quote| quote.state == PresupuestoState::Aceptado);
    let Some(accepted) = accepted else { return Ok(Vec::new()) };
    let quote = state.app.store.presupuesto(accepted.id).await?;
    let taken = quote.acceptance().map(|taken| taken.options).unwrap_or_default();
    Ok(quote.document.scope(&taken))
}

/// The lead's photos by zone, as pairs of before and after where possible.
async fn fotos(state: &WebState, sheet: &LeadSheet) -> Result<Vec<(&'static str, Vec<Picture>)>, Refusal> {
    let lead = sheet.lead.id;
    let album = Album::new(&format!("/panel/leads/{lead}"), state.app.store.renditions(lead).await?, false);
    let printed: Vec<PrintedFoto> =
        sheet.fotos.iter().map(|f| PrintedFoto { id: f.id, zona: f.zona, momento: f.momento }).collect();
    let of_zona = |zona: Zona| {
        let gallery = album.arrange(printed.iter().filter(|foto| foto.zona == zona), zona.label());
        let pairs = gallery.pairs.into_iter().flat_map(|pair| [pair.before, pair.after]);
        (zona.label(), pairs.chain(gallery.loose).collect::<Vec<_>>())
    };
    let all = Zona::WORDS.iter().filter_map(|word| Zona::parse(word)).map(of_zona);
    Ok(all.filter(|(_, pictures)| !pictures.is_empty()).collect())
}

/// The internal notes about a lead that this person wrote.
async fn own_notas(
    state: &WebState,
    lead: LeadId,
    who: UserId,
    now: Timestamp,
) -> Result<Vec<(String, String)>, Refusal> {
    let asked = TimelinePage { kinds: vec![MomentKind::NotaInterna], before: None, limit: MAX_NOTAS };
    let found = state.app.store.timeline(vec![lead], asked).await?.into_iter();
    let own = found.filter_map(|entry| match entry.moment {
        Moment::NotaInterna(nota) if nota.author == who => Some((moment(nota.creada_en, now), nota.text)),
        _ => None,
    });
    Ok(own.collect())
}

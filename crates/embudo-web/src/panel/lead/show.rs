//! `GET /panel/leads/:id`: the page.

use axum::extract::{Path, State};
use embudo_domain::lead::Lead;
use embudo_domain::rendition::Rendition;
use embudo_domain::role::Role;
use embudo_domain::timeline::{MomentKind, TimelineCursor};
use embudo_domain::words::name;
use embudo_domain::{LeadId, Timestamp};
use embudo_store::sheet::{LeadSheet, MAX_FOTOS, TimelinePage};
use http::{HeaderMap, Method, StatusCode, Uri};

use super::actions::sends_at_once;
use super::album::{self, ZonaView};
use super::cards::{CalificacionView, ConsentView, QuoteView};
use super::desk_view::{Around, Back};
use super::edit::Typed;
use super::lines::Teller;
use super::people::People;
use super::timeline::{FILTERS, Filter, PAGE};
use super::union::Union;
use super::view::{self, CallView, Head, LoopView, Page};
use super::{fact_views, open, timeline, viewer};
use crate::WebState;
use crate::panel::form_state::FormState;
use crate::panel::visits::short_state;
use crate::panel::words::moment;
use crate::panel::{PanelFrame, PanelResult, Section, Signed};
use crate::parts::{FormFields, Refusal, private_page, read_fields};

/// The internal notes that stand above what happened.
const LAST_NOTAS: u32 = 3;
/// The visits that are shown.
const MAX_VISITAS: u32 = 10;
/// How much of them.
const NOTA_CHARS: usize = 500;

/// What a page shows besides what the lead is.
#[derive(Default)]
pub(super) struct Shown {
    pub form: FormState,
    pub done: Option<&'static str>,
    /// A form of facts that came back.
    pub typed: Option<Typed>,
    /// A call that came back.
    pub call: Option<FormFields>,
    /// A form of the desk that came back.
    pub desk: Option<Back>,
    /// An internal note that came back.
    pub nota: String,
    /// Which lines are wanted, and older than what.
    pub filter: Option<&'static Filter>,
    pub before: Option<TimelineCursor>,
    /// The fact that is shown whole, however long it is.
    pub whole: String,
    /// Whether a person sees it, who has read it then.
    pub is_seen: bool,
}

pub(crate) async fn show(
    State(state): State<WebState>,
    signed: Signed,
    Path(id): Path<String>,
    method: Method,
    headers: HeaderMap,
    uri: Uri,
) -> PanelResult {
    let lead = open(&state, &signed, &id, Role::Lectura).await?;
    let query = read_fields(uri.query().unwrap_or_default().as_bytes());
    let filter = FILTERS.iter().find(|filter| filter.id == query.raw("ver"));
    let before = query.raw("antes").parse().ok();
    let is_seen = method == Method::GET && !is_prefetch(&headers);
    let (done, whole) = (done(query.raw("hecho")), query.text("entero"));
    let shown = Shown { done, filter, before, whole, is_seen, ..Shown::default() };
    render(&state, &signed, lead.id, StatusCode::OK, shown).await
}

/// Whether a browser asks for what nobody has opened yet.
fn is_prefetch(headers: &HeaderMap) -> bool {
    ["sec-purpose", "purpose", "x-moz"].iter().any(|name| {
        let value = headers.get(*name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        value.to_ascii_lowercase().contains("pre")
    })
}

fn done(word: &str) -> Option<&'static str> {
    Some(match word {
        "alta" => "Lead dado de alta.",
        "datos" => "Datos guardados.",
        "llamada" => "Llamada apuntada.",
        "fotos" => "Fotos añadidas.",
        "mensajeria" => "Mensajería iniciada.",
        "mensajeria-espera" => "La señal de mensajería está en camino: si no la aceptan, se repite sola.",
        "mensajeria-simulada" => "Apuntado, pero no hay ninguna mensajería conectada: no ha salido nada.",
        "completo" => "Perfil señalado: ya esperan los renders.",
        "completo-espera" => "La señal del perfil está en camino: si no la aceptan, se repite sola.",
        "completo-simulado" => "Apuntado, pero no hay nadie que reciba el perfil: no ha salido nada.",
        "finalizado" => "Presupuesto hecho. Abajo se ve cómo va su envío.",
        "finalizado-espera" => "El presupuesto está en marcha: en cuanto esté, sale solo.",
        "asignado" => "Asignado.",
        "obra" => "Apuntado cómo va la obra.",
        "accion" => "Próxima acción guardada.",
        "accion-quitada" => "Próxima acción quitada.",
        "archivado" => "Lead archivado. Sigue aceptando mensajes y llamadas.",
        "reabierto" => "Lead reabierto.",
        "nota" => "Nota interna guardada.",
        "nota-quitada" => "Nota interna quitada.",
        "unido" => "Leads unidos: aquí se ve todo junto. Se puede deshacer con «Separar».",
        "descartado" => "Borrador descartado.",
        "presupuesto-ido" => "Ese borrador ya no está: alguien lo ha enviado o descartado.",
        "separado" => "Leads separados: cada uno vuelve a estar por su cuenta.",
        _ => return None,
    })
}

/// The page of a lead that the person may see.
pub(super) async fn render(
    state: &WebState,
    signed: &Signed,
    id: LeadId,
    status: StatusCode,
    shown: Shown,
) -> PanelResult {
    let (store, now) = (&state.app.store, state.app.now());
    let sheet = store.sheet(id).await?;
    let lead = &sheet.lead;
    let viewer = viewer(signed, lead);
    let desk = store.desk(&viewer, id).await?;
    let union = Union::of(state, &viewer, &desk).await?;
    let people = People::load(state).await?;
    let duplicates = match desk.principal {
        None => store.duplicates(&viewer, union.leads()).await?,
        Some(_) => Vec::new(),
    };
    let principal = match desk.principal {
        Some(lead) => store.inbox_rows(&viewer, vec![lead]).await?.pop(),
        None => None,
    };
    let around = Around {
        desk: &desk,
        next: store.next_action(union.leads()).await?,
        union: &union,
        principal,
        duplicates: &duplicates,
        people: &people,
        back: shown.desk.as_ref(),
        now,
    };
    let role = signed.open.user.role_in(lead.empresa.id).unwrap_or(Role::Lectura);
    let teller = Teller { now, people: &people, union: &union, who: viewer.who, role };
    let filter = shown.filter.unwrap_or(&FILTERS[0]);
    let asked = TimelinePage { kinds: filter.kinds.to_vec(), before: shown.before, limit: PAGE };
    let (days, next) = timeline::days(store.timeline(union.leads(), asked).await?, &teller);
    let kinds = vec![MomentKind::NotaInterna];
    let asked = TimelinePage { kinds, before: None, limit: LAST_NOTAS };
    let notas = store.timeline(union.leads(), asked).await?;
    let things = Things::of(state, &sheet, &union, now).await?;
    let frame = PanelFrame::new(state, signed, lead.name(), Section::Inbox).await?;
    let base = format!("/panel/leads/{id}");
    if shown.is_seen {
        state.app.rights().saw(&union.leads(), viewer.who).await;
    }
    if shown.is_seen && union.is_unread() {
        store.mark_read(&viewer, union.leads(), now).await?;
    }
    let page = Page {
        frame: frame.with(&["cuadros.css", "lead.css"], &["comparador.js", "lead.js"]),
        done: shown.done,
        can_write: role >= Role::Comercial,
        can_keep: role >= Role::Gestor,
        sends_at_once: role >= Role::Comercial && sends_at_once(state, lead).await?,
        once: state.app.id().to_string(),
        head: Head::of(lead, sheet.calificacion.as_ref(), now),
        desk: around.view(),
        internas: notas
            .into_iter()
            .map(|entry| teller.line(entry.moment, entry.cursor.lead).shortened(NOTA_CHARS))
            .collect(),
        nota: shown.nota,
        window: view::window(things.last_written, now),
        looped: lead.watched_loop.as_ref().map(|looped| LoopView::of(looped, now)),
        groups: fact_views::groups(lead, shown.typed.as_ref(), &shown.whole, now),
        calificacion: sheet.calificacion.as_ref().map(CalificacionView::of),
        quotes: things.quotes,
        draft: store
            .draft_of(id)
            .await?
            .filter(|_| role >= Role::Comercial)
            .map(|draft| (format!("/panel/presupuestos/{}", draft.id), moment(draft.guardado_en, now))),
        visitas: visitas(state, lead, &union).await?,
        consents: things.consents,
        utm: lead.utm.iter().take(20).map(|(key, value)| (name(key), name(value))).collect(),
        more_fotos: things.fotos >= MAX_FOTOS as usize,
        zonas: things.zonas,
        hidden_fotos: things.hidden_fotos,
        days,
        filters: FILTERS,
        filter: filter.id,
        older: next.map(|next| format!("{base}?ver={}&antes={next}#historia", filter.id)),
        is_newest: shown.before.is_none(),
        call: CallView::of(sheet.last_call, shown.call.as_ref()),
        form: shown.form,
        base,
    };
    Ok(private_page(status, &page))
}

/// The last visits of the lead, and of those that it stands for.
async fn visitas(
    state: &WebState,
    lead: &Lead,
    union: &Union,
) -> Result<Vec<(String, String, (&'static str, &'static str))>, Refusal> {
    let mut found = Vec::new();
    for lead in union.leads() {
        found.extend(state.app.store.visitas_of(lead, MAX_VISITAS).await?);
    }
    found.sort_by_key(|visita| std::cmp::Reverse(visita.cambiada_en));
    found.truncate(MAX_VISITAS as usize);
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let zone = state.app.visits().zone(lead.empresa.id).await?;
    let row = |visita: &embudo_domain::visita::Visita| {
        let when = visita.start.map_or_else(|| "sin hora aún".to_owned(), |start| zone.short(start));
        (format!("/panel/visitas/{}", visita.id), when, short_state(visita.state))
    };
    Ok(found.iter().map(row).collect())
}

/// What a lead has, and the leads that it stands for.
#[derive(Default)]
struct Things {
    zonas: Vec<ZonaView>,
    fotos: usize,
    hidden_fotos: usize,
    quotes: Vec<QuoteView>,
    consents: Vec<ConsentView>,
    last_written: Option<Timestamp>,
}

impl Things {
    async fn of(state: &WebState, own: &LeadSheet, union: &Union, now: Timestamp) -> Result<Self, Refusal> {
        let store = &state.app.store;
        let mut things = Self::default();
        things.add(state, own, store.renditions(own.lead.id).await?, union, now);
        for row in union.others() {
            let Lead { id, .. } = row.summary.lead;
            things.add(state, &store.sheet(id).await?, store.renditions(id).await?, union, now);
        }
        Ok(things)
    }

    fn add(
        &mut self,
        state: &WebState,
        sheet: &LeadSheet,
        renditions: Vec<Rendition>,
        union: &Union,
        now: Timestamp,
    ) {
        let (lead, source) = (sheet.lead.id, union.source(sheet.lead.id, now));
        let room = (MAX_FOTOS as usize).saturating_sub(self.fotos);
        let fotos = &sheet.fotos[..sheet.fotos.len().min(room)];
        let (zonas, hidden) =
            album::hang(&format!("/panel/leads/{lead}"), fotos, renditions, source.as_ref());
        self.zonas.extend(zonas);
        self.fotos += fotos.len();
        self.hidden_fotos += hidden;
        let quotes = sheet.presupuestos.iter().map(|quote| {
            QuoteView::of(quote, state.app.quotes().page_path(quote.id), lead, source.clone(), now)
        });
        self.quotes.extend(quotes);
        self.consents.extend(ConsentView::all(&sheet.consentimientos, source.as_ref(), now));
        self.last_written = self.last_written.max(sheet.last_written);
    }
}

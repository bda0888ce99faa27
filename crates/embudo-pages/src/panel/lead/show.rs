//! `GET /panel/leads/:id`: the page of a lead.

use axum::extract::{Path, State};
use embudo_domain::lead::Lead;
use embudo_domain::presupuesto::{PresupuestoState, PresupuestoSummary, Terms};
use embudo_domain::rendition::Rendition;
use embudo_domain::role::{Permission, Role};
use embudo_domain::words::name;
use embudo_domain::{LeadId, Timestamp};
use embudo_store::StoreError;
use embudo_store::drafts::StoredDraft;
use embudo_store::sheet::{LeadSheet, MAX_FOTOS, TimelinePage};
use http::{HeaderMap, Method, StatusCode, Uri};

use super::album::{self, ZonaView};
use super::cards::{CalificacionView, ConsentView, QuoteView};
use super::desk_view::Around;
use super::head::{Amounts, Part, Places, Visits};
use super::lines::Teller;
use super::reply_view::ReplyBox;
use super::shown::Shown;
use super::timeline::{FILTERS, PAGE};
use super::union::Union;
use super::view::{self, CallView, Head, LeadPage, LoopView, WriteMode};
use super::{fact_views, near_visit, timeline};
use crate::WebState;
use crate::panel::kit::people::People;
use crate::panel::kit::work::{open, viewer};
use crate::panel::words::moment;
use crate::panel::{PanelFrame, PanelResult, Section, Signed};
use crate::parts::{Refusal, private_page, read_fields};

pub(crate) async fn show(
    State(state): State<WebState>,
    signed: Signed,
    Path(id): Path<String>,
    method: Method,
    headers: HeaderMap,
    uri: Uri,
) -> PanelResult {
    let lead = open(&state, &signed, &id).await?;
    let query = read_fields(uri.query().unwrap_or_default().as_bytes());
    let filter = FILTERS.iter().find(|filter| filter.id == query.raw("ver"));
    let before = query.raw("antes").parse().ok();
    let is_seen = method == Method::GET && !is_prefetch(&headers);
    let (done, whole) = (done(query.raw("hecho")), query.text("entero"));
    let part = Part::parse(query.raw("parte")).or_else(|| Part::of_done(query.raw("hecho")));
    let open = match query.raw("hecho") {
        // After a note, the box stays in note mode, so that a second note is not sent to the client by mistake.
        "nota" => "nota".to_owned(),
        _ => query.text("abrir"),
    };
    let undo = query.raw("lote").parse().ok().filter(|_| query.raw("hecho") == "archivado");
    let shown = Shown { done, undo, filter, before, whole, part, open, is_seen, ..Shown::default() };
    render(&state, &signed, lead.id, StatusCode::OK, shown).await
}

/// Whether the browser prefetches a page that nobody has opened yet.
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
        "desarchivado" => "Deshecho: el lead está como estaba.",
        "sin-deshacer" => "No se ha podido deshacer: alguien lo ha cambiado desde entonces.",
        "reabierto" => "Lead reabierto.",
        "nota" => "Nota interna guardada.",
        "nota-quitada" => "Nota interna quitada.",
        "respuesta" => "Mensaje en camino. En la conversación se ve cómo va.",
        "respuesta-preparada" => "Mensaje preparado: ábrelo en WhatsApp y, cuando lo envíes, dilo aquí.",
        "respuesta-enviada" => "Apuntado como enviado.",
        "respuesta-quitada" => "Quitado: no se ha enviado.",
        "respuesta-repetida" => "Ese mensaje ya se había enviado: no se ha enviado otra vez.",
        "atiendes" => "Ahora atiendes tú: el asistente lo sabe.",
        "devuelto" => "Vuelve a atender el asistente.",
        "unido" => "Leads unidos: aquí se ve todo junto. Se puede deshacer con «Separar».",
        "descartado" => "Borrador descartado.",
        "presupuesto-ido" => "Ese borrador ya no está: alguien lo ha enviado o descartado.",
        "separado" => "Leads separados: cada uno vuelve a estar por su cuenta.",
        _ => return None,
    })
}

/// Renders the page of a lead that the person may see.
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
    let things = Things::of(state, &sheet, &union, now).await?;
    let planned = match desk.facts.accepted && desk.work.start.is_none() {
        true => planned(state, &things.summaries).await?,
        false => None,
    };
    let around = Around {
        desk: &desk,
        next: store.outlook(union.leads()).await?.at(now),
        visit: near_visit::of(state, &viewer, &desk, now).await?,
        union: &union,
        principal,
        duplicates: &duplicates,
        people: &people,
        planned: planned.as_ref(),
        back: shown.desk.as_ref(),
        now,
    };
    let role = signed.open.user.role_in(lead.empresa.id).unwrap_or(Role::Lectura);
    let teller = Teller { now, people: &people, union: &union, who: viewer.who, role };
    let filter = shown.filter.unwrap_or(&FILTERS[0]);
    let asked = TimelinePage { kinds: filter.kinds.to_vec(), before: shown.before, limit: PAGE };
    let (days, next) = timeline::days(store.timeline(union.leads(), asked).await?, &teller, filter);
    let ways = state.app.replies().ways(lead, &union.leads()).await?;
    let frame = PanelFrame::new(state, signed, lead.name(), Section::Inbox).await?;
    let base = format!("/panel/leads/{id}");
    if shown.is_seen {
        state.app.rights().saw(&union.leads(), viewer.who).await;
    }
    if shown.is_seen && union.is_unread() {
        state.app.desk().mark_read(&viewer, union.leads()).await?;
    }
    let can_write = role.may(Permission::WorkLeads);
    let draft = draft(state, id, &union).await?.filter(|_| can_write);
    let amounts = Amounts::of(state, &things.summaries, draft.as_ref()).await?;
    let visits = Visits::of(state, lead, &union.leads(), now).await?;
    let head = Head::of(lead, sheet.calificacion.as_ref(), now);
    let draft_path = draft.as_ref().map(|draft| format!("/panel/presupuestos/{}", draft.id));
    let places = Places {
        base: &base,
        tel: head.tel.as_deref(),
        draft: draft_path.as_deref(),
        can_keep: role.may(Permission::KeepData),
    };
    let page = LeadPage {
        way: around.next.filter(|_| can_write).and_then(|next| places.of(next.kind)),
        part: shown.part(),
        mode: WriteMode::of(&shown),
        open: shown.open,
        frame: frame.with(&["cuadros.css", "lead.css"], &["lead.js"]),
        done: shown.done,
        undo: shown.undo.filter(|_| can_write && desk.archived.is_some()),
        can_write,
        can_keep: role.may(Permission::KeepData),
        sends_at_once: can_write && state.app.quotes().sends_at_once(lead).await?,
        once: state.app.id().to_string(),
        head,
        desk: around.view(),
        money: amounts.current,
        nota: shown.nota,
        reply: ReplyBox::of(lead, &ways, viewer.who, shown.reply.as_ref(), now),
        window: view::window(things.last_written, now),
        looped: lead.watched_loop.as_ref().map(|looped| LoopView::of(looped, now)),
        groups: fact_views::groups(lead, shown.typed.as_ref(), &shown.whole, now),
        calificacion: sheet.calificacion.as_ref().map(CalificacionView::of),
        quotes: things.quotes,
        draft: draft_path.zip(draft.map(|draft| moment(draft.guardado_en, now))),
        draft_amount: amounts.draft,
        visits,
        consents: things.consents,
        utm: lead.utm.iter().take(20).map(|(key, value)| (name(key), name(value))).collect(),
        more_fotos: things.fotos >= MAX_FOTOS as usize,
        fotos: things.fotos - things.hidden_fotos,
        zonas: things.zonas,
        hidden_fotos: things.hidden_fotos,
        days,
        filters: FILTERS,
        filter: filter.id,
        older: next.map(|next| format!("{base}?ver={}&antes={next}#historia", filter.id)),
        followed: union.leads().iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
        is_newest: shown.before.is_none(),
        call: CallView::of(sheet.last_call, shown.call.as_ref()),
        form: shown.form,
        base,
    };
    Ok(private_page(status, &page))
}

/// The terms of the work in the accepted quote.
async fn planned(state: &WebState, quotes: &[PresupuestoSummary]) -> Result<Option<Terms>, Refusal> {
    let accepted = quotes.iter().find(|quote| quote.state == PresupuestoState::Aceptado);
    Ok(match accepted {
        Some(quote) => Some(state.app.store.presupuesto(quote.id).await?.document.terms),
        None => None,
    })
}

/// The contents of a lead, together with those of the leads that it stands for.
#[derive(Default)]
struct Things {
    zonas: Vec<ZonaView>,
    fotos: usize,
    hidden_fotos: usize,
    quotes: Vec<QuoteView>,
    summaries: Vec<PresupuestoSummary>,
    consents: Vec<ConsentView>,
    last_written: Option<Timestamp>,
}

impl Things {
    async fn of(state: &WebState, own: &LeadSheet, union: &Union, now: Timestamp) -> Result<Self, Refusal> {
        let store = &state.app.store;
        let mut things = Self::default();
        things.add(own, store.renditions(own.lead.id).await?, union, now);
        for row in union.others() {
            let Lead { id, .. } = row.summary.lead;
            things.add(&store.sheet(id).await?, store.renditions(id).await?, union, now);
        }
        Ok(things)
    }

    fn add(&mut self, sheet: &LeadSheet, renditions: Vec<Rendition>, union: &Union, now: Timestamp) {
        let (lead, source) = (sheet.lead.id, union.source(sheet.lead.id, now));
        let left = (MAX_FOTOS as usize).saturating_sub(self.fotos);
        let fotos = &sheet.fotos[..sheet.fotos.len().min(left)];
        let (zonas, hidden) =
            album::galleries(&format!("/panel/leads/{lead}"), fotos, renditions, source.as_ref());
        self.zonas.extend(zonas);
        self.fotos += fotos.len();
        self.hidden_fotos += hidden;
        let quotes = sheet.presupuestos.iter().map(|quote| {
            QuoteView::of(
                quote,
                format!("/panel/presupuestos/{}/pagina", quote.id),
                lead,
                source.clone(),
                now,
            )
        });
        self.quotes.extend(quotes);
        self.summaries.extend_from_slice(&sheet.presupuestos);
        self.consents.extend(ConsentView::all(&sheet.consentimientos, source.as_ref(), now));
        self.last_written = self.last_written.max(sheet.last_written);
    }
}

/// The open draft of this lead, or else of a lead that is united with it.
async fn draft(state: &WebState, lead: LeadId, union: &Union) -> Result<Option<StoredDraft>, StoreError> {
    for one in std::iter::once(lead).chain(union.leads()) {
        if let Some(draft) = state.app.store.draft_of(one).await? {
            return Ok(Some(draft));
        }
    }
    Ok(None)
}

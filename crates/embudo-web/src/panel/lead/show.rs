//! `GET /panel/leads/:id`: the page.

use axum::extract::{Path, State};
use embudo_domain::role::Role;
use embudo_domain::timeline::TimelineCursor;
use embudo_domain::{LeadId, Timestamp};
use embudo_store::sheet::{LeadSheet, MAX_FOTOS, TimelinePage};
use http::{StatusCode, Uri};

use super::edit::Typed;
use super::timeline::{FILTERS, Filter, PAGE};
use super::view::{CalificacionView, CallView, ConsentView, Desk, Head, LoopView, Page, QuoteView};
use super::{album, open, timeline, view};
use crate::WebState;
use crate::panel::form_state::FormState;
use crate::panel::{PanelFrame, PanelResult, Section, Signed};
use crate::parts::{FormFields, private_page, read_fields};

/// What a page shows besides what the lead is.
#[derive(Default)]
pub(super) struct Shown {
    pub form: FormState,
    pub done: Option<&'static str>,
    /// A form of facts that came back.
    pub typed: Option<Typed>,
    /// A call that came back.
    pub call: Option<FormFields>,
    /// Which lines are wanted, and older than what.
    pub filter: Option<&'static Filter>,
    pub before: Option<TimelineCursor>,
}

pub(crate) async fn show(
    State(state): State<WebState>,
    signed: Signed,
    Path(id): Path<String>,
    uri: Uri,
) -> PanelResult {
    let lead = open(&state, &signed, &id, Role::Lectura).await?;
    let query = read_fields(uri.query().unwrap_or_default().as_bytes());
    let filter = FILTERS.iter().find(|filter| filter.id == query.raw("ver"));
    let before = query.raw("antes").parse().ok();
    let shown = Shown { done: done(query.raw("hecho")), filter, before, ..Shown::default() };
    render(&state, &signed, lead.id, StatusCode::OK, shown).await
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
    let sheet = state.app.store.sheet(id).await?;
    let renditions = state.app.store.renditions(id).await?;
    let filter = shown.filter.unwrap_or(&FILTERS[0]);
    let asked = TimelinePage { kinds: filter.kinds.to_vec(), before: shown.before, limit: PAGE };
    let entries = state.app.store.timeline(id, asked).await?;
    let now = state.app.now();
    let base = format!("/panel/leads/{id}");
    let (days, next) = timeline::days(entries, now);
    let (zonas, hidden_fotos) = album::hang(&base, &sheet.fotos, renditions);
    let LeadSheet { lead, calificacion, presupuestos, .. } = &sheet;
    let frame = PanelFrame::new(state, signed, lead.nombre.clone(), Section::Inbox).await?;
    let page_of = |id| state.app.quotes().page_path(id);
    let page = Page {
        frame: frame.with(&["cuadros.css", "lead.css"], &["comparador.js", "lead.js"]),
        done: shown.done,
        can_write: signed.within(lead.empresa.id, Role::Comercial).is_ok(),
        once: state.app.id().to_string(),
        head: Head::of(lead, calificacion.as_ref(), now),
        desk: Desk,
        window: view::window(sheet.last_written, now),
        looped: lead.watched_loop.as_ref().map(|looped| LoopView::of(looped, now)),
        groups: view::groups(lead, shown.typed.as_ref(), &shown.form, now),
        calificacion: calificacion.as_ref().map(CalificacionView::of),
        quotes: presupuestos.iter().map(|quote| QuoteView::of(quote, page_of(quote.id))).collect(),
        consents: consents(&sheet, now),
        utm: lead.utm.iter().take(20).cloned().collect(),
        zonas,
        hidden_fotos,
        more_fotos: sheet.fotos.len() >= MAX_FOTOS as usize,
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

/// What holds of each purpose and channel: the last that was said.
fn consents(sheet: &LeadSheet, now: Timestamp) -> Vec<ConsentView> {
    let mut seen = Vec::new();
    let mut views = Vec::new();
    for consent in &sheet.consentimientos {
        let about = (&consent.purpose, &consent.channel);
        if !seen.contains(&about) {
            seen.push(about);
            views.push(ConsentView::of(consent, now));
        }
    }
    views
}

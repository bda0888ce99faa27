//! The head of a lead's page: the next action and the link to it, the amount of the quote, and the next visit.

use embudo_domain::iva::TotalRange;
use embudo_domain::lead::Lead;
use embudo_domain::money::Cents;
use embudo_domain::next_action::ActionKind;
use embudo_domain::presupuesto::{Character, Document, Draft, PresupuestoState, PresupuestoSummary};
use embudo_domain::visita::{SpanishTimeZone, Visita, VisitaState};
use embudo_domain::{LeadId, Timestamp};
use embudo_store::drafts::{DraftReason, StoredDraft};

use crate::WebState;
use crate::panel::kit::chips::{quote_state, visita_state};
use crate::parts::Refusal;

/// The link to the next action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Way {
    pub href: String,
    pub icon: &'static str,
    /// The form of this page that the link opens. Empty if it opens none.
    pub opens: &'static str,
}

/// The addresses to which an action may lead.
pub(super) struct Places<'a> {
    /// The address of the lead's page.
    pub base: &'a str,
    pub tel: Option<&'a str>,
    pub draft: Option<&'a str>,
    /// Whether the person may manage the lead's personal data.
    pub can_keep: bool,
}

impl Places<'_> {
    /// The link for an action. `None` if there is nothing to press.
    pub fn of(&self, kind: ActionKind) -> Option<Way> {
        let base = self.base;
        let to = |href: String, icon| Some(Way { href, icon, opens: "" });
        let form = |opens: &'static str, icon| {
            Some(Way { href: format!("{base}?abrir={opens}#{opens}"), icon, opens })
        };
        match kind {
            ActionKind::Right if self.can_keep => to(format!("{base}/persona"), "candado"),
            ActionKind::Right => to(format!("{base}?parte=datos#consentimientos"), "candado"),
            ActionKind::Call => match self.tel {
                Some(tel) => to(tel.to_owned(), "telefono"),
                None => form("llamada", "telefono"),
            },
            ActionKind::AskedVisit => to(format!("{base}/visitas"), "reloj"),
            ActionKind::Review => match self.draft {
                Some(draft) => to(draft.to_owned(), "lapiz"),
                None => to(format!("{base}?parte=presupuesto#presupuestos"), "lapiz"),
            },
            ActionKind::Answer | ActionKind::Chase => form("responder", "mensaje"),
            ActionKind::Loop => to(format!("{base}?ver=envios#historia"), "otra-vez"),
            ActionKind::ByHand => form("accion", "hecho"),
            ActionKind::Contact => match self.tel {
                Some(tel) => to(tel.to_owned(), "telefono"),
                None => form("responder", "mensaje"),
            },
            ActionKind::PlanWork => form("trabajo", "reloj"),
            ActionKind::WaitVisit
            | ActionKind::WaitWork
            | ActionKind::WaitRenders
            | ActionKind::WaitClient
            | ActionKind::WaitBot => None,
        }
    }
}

/// The amount of the current quote.
pub(super) struct MoneyView {
    /// «5.320,00 €», or a range.
    pub amount: String,
    /// Whether the amount is not binding.
    pub is_orientative: bool,
    /// The status of the quote or draft: the words and the CSS class.
    pub state: (&'static str, &'static str),
    /// The address of the quote's or draft's page in the panel.
    pub href: String,
}

/// The current quote and the open draft, if they exist.
pub(super) struct Amounts {
    pub current: Option<MoneyView>,
    /// The amount of the open draft. `None` while the draft has errors that keep it from being sent.
    pub draft: Option<String>,
}

impl Amounts {
    /// Chooses the current quote. An accepted quote comes first, then a draft to be reviewed, then the last quote sent,
    /// then a draft being written, then the newest quote in any other state.
    pub async fn of(
        state: &WebState,
        quotes: &[PresupuestoSummary],
        draft: Option<&StoredDraft>,
    ) -> Result<Self, Refusal> {
        let written = match draft {
            Some(draft) => composed(state, draft).await?,
            None => None,
        };
        let of_draft = |draft: &StoredDraft| {
            let document = written.as_ref()?;
            let word = if draft.reason == DraftReason::Review { "por revisar" } else { "borrador" };
            let href = format!("/panel/presupuestos/{}", draft.id);
            Some(MoneyView::of(document, document.impuesto.total, (word, "ficha-ojo"), href))
        };
        let is = |wanted: PresupuestoState| quotes.iter().find(|quote| quote.state == wanted);
        let to_review = draft.filter(|draft| draft.reason == DraftReason::Review).and_then(of_draft);
        let sent = is(PresupuestoState::Emitido).or_else(|| is(PresupuestoState::Preparing));
        let current = match (is(PresupuestoState::Aceptado), to_review, sent) {
            (Some(accepted), ..) => Some(MoneyView::of_quote(state, accepted).await?),
            (None, Some(to_review), _) => Some(to_review),
            (None, None, Some(sent)) => Some(MoneyView::of_quote(state, sent).await?),
            (None, None, None) => match (draft.and_then(of_draft), quotes.first()) {
                (Some(draft), _) => Some(draft),
                (None, Some(last)) => Some(MoneyView::of_quote(state, last).await?),
                (None, None) => None,
            },
        };
        Ok(Self { current, draft: written.as_ref().map(amount) })
    }
}

impl MoneyView {
    async fn of_quote(state: &WebState, summary: &PresupuestoSummary) -> Result<Self, Refusal> {
        let quote = state.app.store.presupuesto(summary.id).await?;
        let shown_state = quote_state(summary.state);
        let href = format!("/panel/presupuestos/{}", summary.id);
        Ok(match &summary.accepted {
            // An accepted amount is no longer an estimate.
            Some(taken) => {
                Self { amount: taken.total.to_string(), is_orientative: false, state: shown_state, href }
            }
            None => Self::of(&quote.document, summary.total, shown_state, href),
        })
    }

    fn of(document: &Document, total: Cents, state: (&'static str, &'static str), href: String) -> Self {
        let is_orientative = document.character() == Character::Orientative;
        let amount = if is_orientative { amount(document) } else { total.to_string() };
        Self { amount, is_orientative, state, href }
    }
}

/// The total, or the range in which it may lie.
fn amount(document: &Document) -> String {
    let open = document.total_range().filter(|_| document.character() == Character::Orientative);
    match open {
        Some(TotalRange { minimum, maximum, .. }) => {
            format!("{}–{}", minimum.short().trim_end_matches("\u{a0}€"), maximum.short())
        }
        None => document.impuesto.total.to_string(),
    }
}

/// The quote that a draft would become if it was sent now, as its editor shows it.
async fn composed(state: &WebState, stored: &StoredDraft) -> Result<Option<Document>, Refusal> {
    let (quotes, record) = (state.app.quotes(), state.app.store.record(stored.lead).await?);
    let current = quotes.current(stored.clone(), &record).await?.draft;
    let Ok(draft) = Draft::read(current.json.as_bytes()) else { return Ok(None) };
    Ok(quotes.preview(&record, &draft).await?.ok())
}

/// A visit of the lead.
pub(super) struct VisitView {
    pub href: String,
    pub when: String,
    pub state: (&'static str, &'static str),
}

impl VisitView {
    fn of(visita: &Visita, zone: SpanishTimeZone) -> Self {
        let when = visita.start.map_or_else(|| "sin hora aún".to_owned(), |start| zone.short(start));
        let href = format!("/panel/visitas/{}", visita.id);
        Self { href, when, state: visita_state(visita.state) }
    }
}

/// The lead's visits, most recently changed first, and the next one: the first agreed visit, or else a proposed one.
#[derive(Default)]
pub(super) struct Visits {
    pub all: Vec<VisitView>,
    pub next: Option<VisitView>,
}

/// The maximum number of visits shown.
const MAX_VISITAS: u32 = 10;

impl Visits {
    pub async fn of(
        state: &WebState,
        lead: &Lead,
        leads: &[LeadId],
        now: Timestamp,
    ) -> Result<Self, Refusal> {
        let mut found = Vec::new();
        for lead in leads {
            found.extend(state.app.store.visitas_of(*lead, MAX_VISITAS).await?);
        }
        if found.is_empty() {
            return Ok(Self::default());
        }
        found.sort_by_key(|visita| std::cmp::Reverse(visita.cambiada_en));
        found.truncate(MAX_VISITAS as usize);
        let zone = state.app.visits().zone(lead.empresa.id).await?;
        let is_ahead = |visita: &&Visita| visita.end().is_some_and(|end| end > now);
        let agreed = found.iter().filter(|v| v.state == VisitaState::Confirmada).filter(is_ahead);
        let next = agreed
            .min_by_key(|visita| visita.start)
            .or_else(|| found.iter().find(|visita| visita.state == VisitaState::Propuesta));
        let next = next.map(|visita| VisitView::of(visita, zone));
        Ok(Self { all: found.iter().map(|visita| VisitView::of(visita, zone)).collect(), next })
    }
}

/// The parts of the page. A phone shows one part at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Part {
    #[default]
    Conversation,
    Photos,
    Quote,
    Visit,
    Facts,
}

impl Part {
    pub const ALL: [Self; 5] = [Self::Conversation, Self::Photos, Self::Quote, Self::Visit, Self::Facts];

    pub fn id(self) -> &'static str {
        match self {
            Self::Conversation => "conversacion",
            Self::Photos => "fotos",
            Self::Quote => "presupuesto",
            Self::Visit => "visita",
            Self::Facts => "datos",
        }
    }

    pub fn label(self) -> &'static str {
        match self {
            Self::Conversation => "Mensajes",
            Self::Photos => "Fotos",
            Self::Quote => "Presupuesto",
            Self::Visit => "Visita",
            Self::Facts => "Datos",
        }
    }

    pub fn parse(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|part| part.id() == id)
    }

    /// The part that shows the result of the last action.
    pub fn of_done(word: &str) -> Option<Self> {
        Some(match word {
            "datos" => Self::Facts,
            "fotos" => Self::Photos,
            "finalizado" | "finalizado-espera" | "descartado" | "presupuesto-ido" => Self::Quote,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_action_leads_to_where_it_is_done() {
        let all = Places {
            base: "/l",
            tel: Some("tel:+34612345678"),
            draft: Some("/panel/presupuestos/1"),
            can_keep: true,
        };
        let bare = Places { tel: None, draft: None, can_keep: false, ..all };
        let cases = [
            (ActionKind::Right, "/l/persona", "/l?parte=datos#consentimientos"),
            (ActionKind::Call, "tel:+34612345678", "/l?abrir=llamada#llamada"),
            (ActionKind::AskedVisit, "/l/visitas", "/l/visitas"),
            (ActionKind::Review, "/panel/presupuestos/1", "/l?parte=presupuesto#presupuestos"),
            (ActionKind::Answer, "/l?abrir=responder#responder", "/l?abrir=responder#responder"),
            (ActionKind::Chase, "/l?abrir=responder#responder", "/l?abrir=responder#responder"),
            (ActionKind::Loop, "/l?ver=envios#historia", "/l?ver=envios#historia"),
            (ActionKind::ByHand, "/l?abrir=accion#accion", "/l?abrir=accion#accion"),
            (ActionKind::Contact, "tel:+34612345678", "/l?abrir=responder#responder"),
            (ActionKind::PlanWork, "/l?abrir=trabajo#trabajo", "/l?abrir=trabajo#trabajo"),
        ];
        for (kind, with, without) in cases {
            let to = |places: &Places<'_>| places.of(kind).map(|way| way.href);
            assert_eq!((to(&all).as_deref(), to(&bare).as_deref()), (Some(with), Some(without)), "{kind}");
        }
    }
}

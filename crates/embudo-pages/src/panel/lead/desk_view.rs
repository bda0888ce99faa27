//! The decisions about a lead, as the page shows them: its etapa, the next action, the assigned person, and the united
//! leads.

use embudo_domain::etapa::Etapa;
use embudo_domain::next_action::{ActionKind, NextAction};
use embudo_domain::presupuesto::Terms;
use embudo_domain::{Timestamp, UserId};
use embudo_store::desk::{HandAction, LeadDesk};
use embudo_store::inbox::InboxRow;

use super::desk_forms::{Back, DeskForm};
use super::progress_view::WorkView;
use super::union::{Source, Union};
use super::union_views::{DuplicateView, UnitedView};
use crate::panel::kit::chips::{action_label, etapa_tone};
use crate::panel::kit::form::fingerprint;
use crate::panel::kit::people::People;
use crate::panel::words::{ago, moment, to_field};

pub(super) struct DeskView {
    /// The words and the CSS class.
    pub etapa: (&'static str, &'static str),
    pub etapa_since: String,
    pub next: Option<ActionView>,
    /// «hoy 16:00», if a visit is near.
    pub visit: Option<String>,
    pub plan: PlanView,
    pub assign: AssignView,
    /// The progress of accepted work. `None` before the acceptance.
    pub work: Option<WorkView>,
    /// Who archived the lead and when, and the reason.
    pub archived: Option<(String, String)>,
    pub is_lost: bool,
    pub is_archive_open: bool,
    /// The principal lead, if this one is united with another.
    pub principal: Option<Source>,
    pub united: Vec<UnitedView>,
    pub left_off: usize,
    pub duplicates: Vec<DuplicateView>,
}

pub(super) struct ActionView {
    pub text: String,
    /// Empty for an action that waits.
    pub when: String,
    /// «Próxima», «Vencida», «Ahora»; and the CSS class.
    pub word: &'static str,
    pub class: &'static str,
}

/// The planned action, and its form.
pub(super) struct PlanView {
    /// The current plan.
    pub current: Option<ActionView>,
    pub cuando: String,
    pub texto: String,
    pub version: String,
    pub is_open: bool,
    pub clash: Option<(String, String)>,
}

pub(super) struct AssignView {
    pub name: Option<String>,
    /// Id, name, and whether the person is selected.
    pub choices: Vec<(String, String, bool)>,
    pub version: String,
    pub is_open: bool,
    pub clash: Option<(String, String)>,
}

/// The data from which the view is made.
pub(super) struct Around<'a> {
    pub desk: &'a LeadDesk,
    pub next: Option<NextAction>,
    pub visit: Option<String>,
    pub union: &'a Union,
    pub principal: Option<InboxRow>,
    pub duplicates: &'a [InboxRow],
    pub people: &'a People,
    /// The dates and the duration in the accepted quote, while nobody has planned the work.
    pub planned: Option<&'a Terms>,
    pub back: Option<&'a Back>,
    pub now: Timestamp,
}

impl Around<'_> {
    pub fn view(&self) -> DeskView {
        let Self { desk, union, now, .. } = *self;
        let archived = desk.archived.as_ref().map(|archived| {
            let who = self.people.name(archived.by);
            (archived.reason.clone(), format!("{who}, {}", moment(archived.at, now)))
        });
        DeskView {
            etapa: (desk.etapa.label(), etapa_tone(desk.etapa)),
            etapa_since: moment(desk.etapa_since, now),
            next: self.next.map(|next| self.next(next)),
            visit: self.visit.clone(),
            plan: self.plan(),
            assign: self.assign(),
            work: self.work(),
            archived,
            is_lost: desk.etapa == Etapa::Perdido,
            is_archive_open: self.back(DeskForm::Archive).is_some(),
            principal: self.principal.as_ref().map(|row| {
                let lead = &row.summary.lead;
                Source { label: lead.name(), href: format!("/panel/leads/{}", lead.id) }
            }),
            united: union.others().iter().map(|row| UnitedView::of(row, now)).collect(),
            left_off: union.left_off,
            duplicates: self.duplicates.iter().map(|row| DuplicateView::of(row, union, now)).collect(),
        }
    }

    fn back(&self, form: DeskForm) -> Option<&Back> {
        self.back.filter(|back| back.form == form)
    }

    fn next(&self, next: NextAction) -> ActionView {
        let by_hand = self.desk.action.as_ref().filter(|plan| Some(plan.due) == next.due);
        let text = action_label(next.kind).to_owned();
        match (next.kind, by_hand, next.due) {
            (ActionKind::ByHand, Some(plan), _) => planned(plan, self.now),
            (kind, _, Some(at)) => due(text, at, late_word(kind), self.now),
            (_, _, None) => ActionView { text, when: String::new(), word: "Ahora", class: "" },
        }
    }

    fn plan(&self) -> PlanView {
        let (plan, back) = (self.desk.action.as_ref(), self.back(DeskForm::Plan));
        let typed = |name| back.map(|back| back.fields.text(name));
        PlanView {
            current: plan.map(|plan| planned(plan, self.now)),
            cuando: typed("cuando").or(plan.map(|plan| to_field(plan.due))).unwrap_or_default(),
            texto: typed("texto").or(plan.map(|plan| plan.text.clone())).unwrap_or_default(),
            version: version_of_plan(plan),
            is_open: back.is_some(),
            clash: back.and_then(Back::both),
        }
    }

    fn work(&self) -> Option<WorkView> {
        let is_open = self.desk.facts.accepted && self.desk.archived.is_none();
        is_open.then(|| WorkView::of(self.desk.work, self.planned, self.back(DeskForm::Work)))
    }

    fn assign(&self) -> AssignView {
        let (assigned, back) = (self.desk.assigned, self.back(DeskForm::Assign));
        let typed = back.map(|back| UserId::parse(back.fields.raw("persona")));
        let chosen = typed.unwrap_or(assigned);
        let mut choices: Vec<_> = self
            .people
            .workers(self.desk.empresa)
            .map(|user| (user.id.to_string(), user.nombre.clone(), Some(user.id) == chosen))
            .collect();
        // The assigned person may no longer be a valid choice, but is shown all the same.
        if let Some(id) = assigned.filter(|id| !self.people.works(*id, self.desk.empresa)) {
            choices.push((id.to_string(), self.people.name(id).to_owned(), assigned == chosen));
        }
        AssignView {
            name: assigned.map(|id| self.people.name(id).to_owned()),
            choices,
            version: version_of_assigned(assigned),
            is_open: back.is_some(),
            clash: back.and_then(Back::both),
        }
    }
}

/// «Medir la cocina, mar 14 nov, 10:30», or «(nada)».
pub(super) fn plan_label(plan: Option<&HandAction>, now: Timestamp) -> String {
    plan.map_or("(nada)".to_owned(), |plan| format!("{}, {}", plan.text, moment(plan.due, now)))
}

/// The version that the form carries.
pub(super) fn version_of_plan(plan: Option<&HandAction>) -> String {
    fingerprint(&plan.map(|plan| format!("{} {}", plan.due, plan.text)).unwrap_or_default())
}

pub(super) fn version_of_assigned(assigned: Option<UserId>) -> String {
    fingerprint(&assigned.map(|id| id.to_string()).unwrap_or_default())
}

fn planned(plan: &HandAction, now: Timestamp) -> ActionView {
    due(plan.text.clone(), plan.due, late_word(ActionKind::ByHand), now)
}

/// The label and the CSS class of an action that is due: «Pendiente» if the client or a draft waits for a person of the
/// company, otherwise «Vencida».
fn late_word(kind: ActionKind) -> (&'static str, &'static str) {
    match kind {
        ActionKind::Right
        | ActionKind::Call
        | ActionKind::AskedVisit
        | ActionKind::Answer
        | ActionKind::Review
        | ActionKind::Contact => ("Pendiente", "ficha-ojo"),
        _ => ("Vencida", "ficha-mal"),
    }
}

fn due(text: String, at: Timestamp, late: (&'static str, &'static str), now: Timestamp) -> ActionView {
    match at <= now {
        true => ActionView { text, when: ago(at, now), word: late.0, class: late.1 },
        false => ActionView { text, when: moment(at, now), word: "Próxima", class: "ficha-info" },
    }
}

//! The projected data of one lead, and its position in the inbox.

use embudo_domain::conversacion::Rol;
use embudo_domain::etapa::Etapa;
use embudo_domain::next_action::{ActionInput, ActionKind, Outlook};
use embudo_domain::perfil::CanalOrigen;
use embudo_domain::{EmpresaId, LeadId, Timestamp};
use jiff::civil::Date;

use crate::touches::Touch;

/// The due time of an action that is never due: the year 9999, which both databases can store.
pub const NO_ACTION: Timestamp = Timestamp::constant(253_370_764_800, 0);

/// The facts that are projected of a lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProjectedLead {
    pub lead: LeadId,
    pub empresa: EmpresaId,
    pub activity: Timestamp,
    /// The time of the client's last turn.
    pub client_wrote: Option<Timestamp>,
    /// The last turn, of the client or of us.
    pub turn: Option<(Timestamp, Rol)>,
    /// When the person made a request about their data, if nobody has said since that it was done.
    pub right_asked: Option<Timestamp>,
    /// When the client asked to be called, if nobody has reached them since.
    pub call_asked: Option<Timestamp>,
    /// When the client asked for a visit, if nobody has reached them since.
    pub visit_asked: Option<Timestamp>,
    /// Since when a drafted quote waits for a person.
    pub to_review: Option<Timestamp>,
    /// The start of the next agreed visit that is not over.
    pub visit: Option<Timestamp>,
    /// Whether a visit is proposed for which no hour is agreed yet.
    pub visit_proposed: bool,
    /// When the quote that waits for an answer was issued.
    pub issued: Option<Timestamp>,
    /// When a quote was accepted whose work has no first day yet.
    pub to_plan: Option<Timestamp>,
    /// When the lead was created, if nobody has written to it or called since; `None` for an imported lead.
    pub uncontacted: Option<Timestamp>,
    /// The last attempt that reached the client.
    pub reached: Option<Timestamp>,
    pub loop_limit: Option<Timestamp>,
    pub by_hand: Option<Timestamp>,
    pub etapa: Etapa,
    pub viable: Option<bool>,
    pub canal: Option<CanalOrigen>,
    pub urgent: bool,
    pub score: Option<i64>,
    /// The figures already count that we spoke with the lead or tried to (`contacted`), and that we did so after the
    /// client's first message (`answered`).
    pub contacted: bool,
    pub answered: bool,
    /// Whether it is in another etapa than when it was projected last.
    pub moved: bool,
}

/// Further data of a lead, with which `ProjectedLead::settled` completes the facts that were written.
pub(crate) struct Since {
    /// The last event, attempt, note or photo.
    pub latest: Option<Timestamp>,
    /// When a person last wrote to the client.
    pub answered_by_person: Option<Timestamp>,
    pub right_granted: Option<Timestamp>,
    pub is_imported: bool,
    /// Whether the client was written to, called, sent a quote or given a visit, by a program or a person.
    pub is_contacted: bool,
    /// The first day of the accepted work.
    pub work_begins: Option<Date>,
}

impl ProjectedLead {
    /// Completes the facts as they were written: updates the last turn and activity, and removes requests that were
    /// met, work that has a first day, and the wait for a first contact that was made.
    #[must_use]
    pub(crate) fn settled(mut self, since: &Since) -> Self {
        // A person's message to the client counts as a turn of ours.
        let by_person = since.answered_by_person.map(|at| (at, Rol::Assistant));
        self.turn = self.turn.into_iter().chain(by_person).max_by_key(|(at, _)| *at);
        let spoke = self.turn.map(|(at, _)| at);
        let last = spoke.max(self.client_wrote).max(since.latest);
        self.activity = self.activity.max(last.unwrap_or(self.activity));
        let waits = |asked: &Timestamp| self.reached.is_none_or(|at| at < *asked);
        self.right_asked = self.right_asked.filter(|asked| since.right_granted.is_none_or(|at| at < *asked));
        self.call_asked = self.call_asked.filter(waits);
        self.visit_asked = self.visit_asked.filter(waits);
        self.to_plan = self.to_plan.filter(|_| since.work_begins.is_none());
        let is_contacted = since.is_imported || since.is_contacted || by_person.is_some();
        self.uncontacted = self.uncontacted.filter(|_| !is_contacted);
        self
    }

    /// Whether the touch may change what the lead counts for in the figures.
    pub(crate) fn counts_anew(&self, touch: &Touch) -> bool {
        let has_written = self.client_wrote.or(touch.client_wrote).is_some();
        let is_awaited = !self.contacted || (has_written && !self.answered);
        self.moved || (touch.ours && is_awaited)
    }

    /// The facts after a touch. An event that arrives late changes nothing that came after it.
    #[must_use]
    pub fn after(mut self, touch: &Touch) -> Self {
        self.activity = self.activity.max(touch.activity.unwrap_or(self.activity));
        self.client_wrote = self.client_wrote.max(touch.client_wrote);
        // A turn of the system is no answer to anybody.
        let spoken = touch.turn.filter(|(_, rol)| *rol != Rol::System);
        self.turn = match (self.turn, spoken) {
            (Some(kept), Some(spoken)) if spoken.0 < kept.0 => Some(kept),
            (kept, spoken) => spoken.or(kept),
        };
        self.reached = self.reached.max(touch.reached);
        let waits = |asked: &Timestamp| touch.reached.is_none_or(|at| at < *asked);
        self.call_asked = self.call_asked.filter(waits);
        self.visit_asked = self.visit_asked.filter(waits);
        self
    }

    /// The facts of a principal for itself and for a lead that is united with it.
    #[must_use]
    pub fn with(mut self, other: &Self) -> Self {
        let earliest = |one: Option<Timestamp>, other: Option<Timestamp>| one.into_iter().chain(other).min();
        self.activity = self.activity.max(other.activity);
        self.client_wrote = self.client_wrote.max(other.client_wrote);
        self.turn = match (self.turn, other.turn) {
            (Some(one), Some(two)) if one.0 >= two.0 => Some(one),
            (one, two) => two.or(one),
        };
        self.right_asked = earliest(self.right_asked, other.right_asked);
        self.call_asked = earliest(self.call_asked, other.call_asked);
        self.visit_asked = earliest(self.visit_asked, other.visit_asked);
        self.to_review = earliest(self.to_review, other.to_review);
        self.visit = earliest(self.visit, other.visit);
        self.visit_proposed |= other.visit_proposed;
        self.issued = earliest(self.issued, other.issued);
        self.to_plan = earliest(self.to_plan, other.to_plan);
        // If one of the leads was contacted, the person was.
        self.uncontacted = self.uncontacted.zip(other.uncontacted).map(|(one, other)| one.min(other));
        self.reached = self.reached.max(other.reached);
        self.urgent |= other.urgent;
        self.score = self.score.max(other.score);
        self.loop_limit = earliest(self.loop_limit, other.loop_limit);
        self.by_hand = earliest(self.by_hand, other.by_hand);
        self
    }

    /// What is to do next, independently of the current time.
    pub fn outlook(&self) -> Outlook {
        let of_turn = |rol| self.turn.filter(|(_, spoke)| *spoke == rol).map(|(at, _)| at);
        let is_unanswered = |at: &Timestamp| self.reached.is_none_or(|reached| reached < *at);
        let is_asked = self.visit_proposed || self.issued.is_some() || of_turn(Rol::Assistant).is_some();
        Outlook::of(&ActionInput {
            by_hand: self.by_hand,
            right_asked: self.right_asked,
            call_asked: self.call_asked,
            visit_asked: self.visit_asked,
            client_wrote: of_turn(Rol::User).filter(is_unanswered),
            to_review: self.to_review,
            uncontacted: self.uncontacted,
            urgent: self.urgent,
            loop_limit: self.loop_limit,
            issued: self.issued,
            to_plan: self.to_plan.filter(|_| self.etapa == Etapa::Aceptado),
            visit: self.visit.is_some(),
            asked_client: is_asked,
            etapa: Some(self.etapa),
            viable: self.viable,
        })
    }

    /// Its position in the list.
    pub fn standing(&self) -> Standing {
        let outlook = self.outlook();
        let (part, key) = match outlook.in_time {
            None => (Part::Nothing, self.activity),
            Some(action) => match action.due {
                Some(due) => (Part::Later, due),
                None => (Part::Waiting, self.activity),
            },
        };
        let rank = outlook.due_from().map(|_| rank(self.urgent, self.score));
        Standing { rank, due_from: outlook.due_from().unwrap_or(NO_ACTION), part, key }
    }
}

/// Urgent leads come first; within each group the highest score first, and leads without a score last.
fn rank(urgent: bool, score: Option<i64>) -> i64 {
    let by_score = score.map_or(101, |score| 100 - score.clamp(0, 100));
    if urgent { by_score } else { 1_000 + by_score }
}

/// A part of the list when it is sorted by the next action. The parts follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// Due leads: by rank, then those that are due longest.
    Due = 0,
    /// Leads that will be due, by their time.
    Later = 1,
    /// Leads that wait for others, the newest activity first.
    Waiting = 2,
    /// Leads that need nobody any more, the newest activity first.
    Nothing = 3,
}

impl Part {
    pub const ALL: [Self; 4] = [Self::Due, Self::Later, Self::Waiting, Self::Nothing];

    pub fn parse(number: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|part| *part as i64 == number)
    }

    /// Whether later times come later in this part.
    pub fn is_rising(self) -> bool {
        self <= Self::Later
    }
}

/// The position of a lead in the list. It does not change when time passes: comparing `due_from` with the current time
/// shows whether the lead is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// The rank among due leads; `None` if it will never be due.
    pub rank: Option<i64>,
    /// The time from which on it is due.
    pub due_from: Timestamp,
    /// The part that it is in until then, and its sort key there.
    pub part: Part,
    pub key: Timestamp,
}

impl Standing {
    /// The standing of a lead that is not projected yet.
    pub fn unknown(activity: Timestamp) -> Self {
        Self { rank: None, due_from: NO_ACTION, part: Part::Waiting, key: activity }
    }
}

/// The next action as column values: its word, and its due time.
pub fn action_columns(outlook: &Outlook) -> (Option<&'static str>, Timestamp) {
    let action = outlook.in_time;
    (action.map(|action| ActionKind::as_str(action.kind)), action.and_then(|a| a.due).unwrap_or(NO_ACTION))
}

#[cfg(test)]
pub(crate) mod tests {
    use embudo_domain::next_action::ANSWER_WITHIN;
    use uuid::Uuid;

    use super::*;

    fn t(s: i64) -> Timestamp {
        Timestamp::from_second(s).expect("in range")
    }

    /// A lead of which nothing is known.
    pub(crate) fn facts() -> ProjectedLead {
        ProjectedLead {
            lead: LeadId(Uuid::nil()),
            empresa: EmpresaId(Uuid::nil()),
            activity: t(0),
            client_wrote: None,
            turn: None,
            right_asked: None,
            call_asked: None,
            visit_asked: None,
            to_review: None,
            visit: None,
            visit_proposed: false,
            issued: None,
            to_plan: None,
            uncontacted: None,
            reached: None,
            loop_limit: None,
            by_hand: None,
            etapa: Etapa::Nuevo,
            viable: None,
            canal: None,
            urgent: false,
            score: None,
            contacted: true,
            answered: true,
            moved: false,
        }
    }

    /// The next action, seen a long time later.
    fn next(facts: &ProjectedLead) -> Option<(ActionKind, Option<Timestamp>)> {
        facts.outlook().at(t(1_000_000)).map(|action| (action.kind, action.due))
    }

    #[test]
    fn what_happens_moves_the_facts_on_and_never_back() {
        let asked = facts().after(&Touch::turn(Rol::User, t(5)));
        assert_eq!(next(&asked), Some((ActionKind::Answer, Some(t(5) + ANSWER_WITHIN))));
        let answered = asked.after(&Touch::turn(Rol::Assistant, t(6)));
        assert_eq!(
            (next(&answered), answered.client_wrote),
            (Some((ActionKind::WaitClient, None)), Some(t(5)))
        );
        assert_eq!(answered.after(&Touch::turn(Rol::User, t(5))), answered, "told twice");
        let missed = Touch { reached: None, ..Touch::activity(t(8)) };
        let spoken = asked.after(&Touch { reached: Some(t(8)), ..missed });
        assert_eq!(next(&spoken).map(|(kind, _)| kind), Some(ActionKind::WaitBot), "a call answers too");
        let called = ProjectedLead { call_asked: Some(t(7)), ..answered };
        assert!(called.after(&missed).call_asked.is_some());
        assert!(called.after(&Touch { reached: Some(t(6)), ..missed }).call_asked.is_some());
        assert_eq!(called.after(&Touch { reached: Some(t(8)), ..missed }).call_asked, None);
        let asked = ProjectedLead { visit_asked: Some(t(7)), ..facts() };
        assert_eq!(next(&asked), Some((ActionKind::AskedVisit, Some(t(7)))));
        assert_eq!(asked.after(&Touch { reached: Some(t(8)), ..missed }).visit_asked, None);
    }

    /// The list is read by these values alone, whatever the current time is.
    #[test]
    fn a_lead_stands_in_the_list_where_its_action_puts_it() {
        let new = ProjectedLead { uncontacted: Some(t(0)), urgent: true, score: Some(80), ..facts() };
        let standing = new.standing();
        assert_eq!((standing.rank, standing.due_from, standing.part), (Some(20), t(0), Part::Later));
        let calm = ProjectedLead { urgent: false, score: None, ..new }.standing();
        assert_eq!((calm.rank, calm.due_from), (Some(1_101), t(0) + ANSWER_WITHIN));
        let looped = ProjectedLead { loop_limit: Some(t(50)), activity: t(9), ..facts() }.standing();
        assert_eq!((looped.rank, looped.due_from), (Some(1_101), t(50)), "due at its deadline");
        assert_eq!((looped.part, looped.key), (Part::Waiting, t(9)), "and waiting until then");
        let waiting = facts().standing();
        assert_eq!((waiting.rank, waiting.due_from, waiting.part), (None, NO_ACTION, Part::Waiting));
        assert_eq!(ProjectedLead { etapa: Etapa::Perdido, ..new }.standing().part, Part::Nothing);
    }

    #[test]
    fn two_leads_of_one_person_are_one() {
        let one = ProjectedLead { turn: Some((t(3), Rol::Assistant)), issued: Some(t(1)), ..facts() };
        let other = ProjectedLead { turn: Some((t(4), Rol::User)), activity: t(4), ..facts() };
        let both = one.with(&other);
        assert_eq!((both.turn, both.activity, both.issued), (Some((t(4), Rol::User)), t(4), Some(t(1))));
    }
}

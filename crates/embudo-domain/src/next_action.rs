//! What a person should do next about a lead, and by when.
//!
//! One table, read from the top: the first row that holds counts. The result says from when on an action is due, not
//! whether it is due now, so nothing has to be rewritten when time passes. One row depends on the clock: an overdue
//! loop. For this row the actions before and after the deadline are both derived, and the reader picks one.

use jiff::{SignedDuration, Timestamp};

use crate::etapa::Etapa;

enumeration! {
    ActionKind {
        /// Set by a person.
        ByHand = "manual",
        /// The person asked for a copy of their data, or that it be erased.
        Right = "derecho",
        /// The client asked to be called.
        Call = "llamar",
        /// The client asked for a visit, and none is agreed.
        AskedVisit = "visita_pedida",
        /// The client wrote last.
        Answer = "responder",
        /// A drafted quote waits for a person.
        Review = "revisar",
        /// A new lead that nobody has written to or called.
        Contact = "contactar",
        /// A step of the watched loop is overdue.
        Loop = "bucle",
        /// A quote was issued and not answered.
        Chase = "insistir",
        /// Accepted work has no day to begin.
        PlanWork = "planificar_obra",
        /// Nothing is to do until the visit.
        WaitVisit = "esperar_visita",
        /// Nothing is to do until the work begins, or ends.
        WaitWork = "esperar_obra",
        /// The watched loop is not overdue.
        WaitRenders = "esperar_renders",
        /// We spoke last, so the client has to answer.
        WaitClient = "esperar_cliente",
        /// The bot continues the conversation.
        WaitBot = "esperar_bot",
    }
}

impl ActionKind {
    /// Whether no person has to do anything.
    pub fn is_waiting(self) -> bool {
        matches!(
            self,
            Self::WaitVisit | Self::WaitWork | Self::WaitRenders | Self::WaitClient | Self::WaitBot
        )
    }

    /// Whether an overdue loop takes precedence over this action.
    fn gives_way_to_loop(self) -> bool {
        self.is_waiting() || matches!(self, Self::Chase | Self::PlanWork)
    }
}

/// How long a client may wait for an answer, or a new lead for the first contact, before a person has to act.
pub const ANSWER_WITHIN: SignedDuration = SignedDuration::from_mins(15);
/// How long a client has to think about a quote before somebody asks again.
pub const CHASE_AFTER: SignedDuration = SignedDuration::from_hours(3 * 24);
/// How soon after the acceptance of a quote its work should have a start date.
pub const PLAN_WITHIN: SignedDuration = SignedDuration::from_hours(24);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NextAction {
    pub kind: ActionKind,
    /// `None` for an action that only waits.
    pub due: Option<Timestamp>,
}

impl NextAction {
    fn due(kind: ActionKind, at: Timestamp, within: SignedDuration) -> Self {
        Self { kind, due: Some(at.saturating_add(within).unwrap_or(Timestamp::MAX)) }
    }

    /// Whether the action is due now.
    pub fn is_due(&self, now: Timestamp) -> bool {
        self.due.is_some_and(|due| due <= now)
    }
}

/// The facts that decide the next action: for each, since when or until when it waits for a person.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ActionInput {
    /// The day that a person set.
    pub by_hand: Option<Timestamp>,
    /// The person asked for a copy or the erasure of their data, and nobody has said since that it was done.
    pub right_asked: Option<Timestamp>,
    /// The client asked to be called, and nobody has reached them since.
    pub call_asked: Option<Timestamp>,
    /// The client asked for a visit, and nobody has reached them since.
    pub visit_asked: Option<Timestamp>,
    /// The client's last turn, if nobody answered it.
    pub client_wrote: Option<Timestamp>,
    /// Since when a drafted quote waits for a person.
    pub to_review: Option<Timestamp>,
    /// When the lead was created, if nobody has written to the client or called. `None` for an imported lead.
    pub uncontacted: Option<Timestamp>,
    /// The job is urgent.
    pub urgent: bool,
    /// The deadline of the watched loop.
    pub loop_limit: Option<Timestamp>,
    /// When the quote that waits for an answer was issued.
    pub issued: Option<Timestamp>,
    /// When the quote was accepted, if its work has no start date.
    pub to_plan: Option<Timestamp>,
    /// A visit is agreed.
    pub visit: bool,
    /// A visit was proposed, or we spoke last: it is for the client to decide.
    pub asked_client: bool,
    pub etapa: Option<Etapa>,
    /// Whether the job can be done; `false` hides every action but [`ActionKind::Right`].
    pub viable: Option<bool>,
}

impl ActionInput {
    /// What to do while the loop is not overdue.
    fn in_time(&self) -> Option<NextAction> {
        use ActionKind::*;
        let at_once = SignedDuration::ZERO;
        let right = self.right_asked.map(|at| NextAction::due(Right, at, at_once));
        let is_over = matches!(self.etapa, Some(Etapa::Perdido | Etapa::Terminado));
        if is_over || self.viable == Some(false) {
            // The legal deadline also holds for a person who is no longer a client.
            return right;
        }
        let contact_within = if self.urgent { at_once } else { ANSWER_WITHIN };
        let rows = [
            self.by_hand.map(|at| NextAction::due(ByHand, at, at_once)),
            right,
            self.call_asked.map(|at| NextAction::due(Call, at, at_once)),
            self.visit_asked.map(|at| NextAction::due(AskedVisit, at, at_once)),
            self.client_wrote.map(|at| NextAction::due(Answer, at, ANSWER_WITHIN)),
            self.to_review.map(|at| NextAction::due(Review, at, at_once)),
            self.uncontacted.map(|at| NextAction::due(Contact, at, contact_within)),
            self.issued.map(|at| NextAction::due(Chase, at, CHASE_AFTER)),
            self.to_plan.map(|at| NextAction::due(PlanWork, at, PLAN_WITHIN)),
        ];
        let wait = || NextAction { kind: self.wait(), due: None };
        Some(rows.into_iter().flatten().next().unwrap_or_else(wait))
    }

    /// What a lead waits for when no person has to act.
    fn wait(&self) -> ActionKind {
        let is_work = matches!(self.etapa, Some(Etapa::Aceptado | Etapa::EnObra));
        match self {
            _ if self.visit => ActionKind::WaitVisit,
            _ if is_work => ActionKind::WaitWork,
            _ if self.loop_limit.is_some() => ActionKind::WaitRenders,
            _ if self.asked_client => ActionKind::WaitClient,
            _ => ActionKind::WaitBot,
        }
    }
}

/// The next action, independent of the current time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Outlook {
    /// What to do while the loop is not overdue. `None` for a lead that is lost, done or not viable, unless its person
    /// asked for a copy or the erasure of their data.
    pub in_time: Option<NextAction>,
    /// From this moment on, the overdue loop is the next action.
    loop_limit: Option<Timestamp>,
}

impl Outlook {
    pub fn of(facts: &ActionInput) -> Self {
        Self::known(facts.in_time(), facts.loop_limit)
    }

    /// Made from an action that was derived earlier, and the deadline of the loop.
    pub fn known(in_time: Option<NextAction>, loop_limit: Option<Timestamp>) -> Self {
        let gives_way = in_time.is_some_and(|action| action.kind.gives_way_to_loop());
        Self { in_time, loop_limit: loop_limit.filter(|_| gives_way) }
    }

    /// What to do next at a moment.
    pub fn at(&self, now: Timestamp) -> Option<NextAction> {
        match self.loop_limit.filter(|limit| *limit <= now) {
            Some(limit) => Some(NextAction { kind: ActionKind::Loop, due: Some(limit) }),
            None => self.in_time,
        }
    }

    /// From when on something is due. `None`: nothing ever is.
    pub fn due_from(&self) -> Option<Timestamp> {
        let due = self.in_time.and_then(|action| action.due);
        due.into_iter().chain(self.loop_limit).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIN: i64 = 60;
    const DAY: i64 = 24 * 60 * 60;

    fn t(secs: i64) -> Timestamp {
        Timestamp::from_second(secs).expect("in range")
    }

    fn at(secs: i64) -> Option<Timestamp> {
        Some(t(secs))
    }

    /// The action long after every deadline.
    fn late(facts: &ActionInput) -> Option<(ActionKind, Option<Timestamp>)> {
        Outlook::of(facts).at(t(1_000 * DAY)).map(|action| (action.kind, action.due))
    }

    /// Each row alone, then together with every row below it.
    #[test]
    fn the_first_row_that_holds_counts() {
        let mut facts = ActionInput::default();
        assert_eq!(late(&facts), Some((ActionKind::WaitBot, None)));
        type Set = fn(&mut ActionInput);
        let rows: [(Set, ActionKind, Option<i64>); 15] = [
            (|f| f.asked_client = true, ActionKind::WaitClient, None),
            (|f| f.etapa = Some(Etapa::EnObra), ActionKind::WaitWork, None),
            (|f| f.visit = true, ActionKind::WaitVisit, None),
            (|f| f.to_plan = at(9), ActionKind::PlanWork, Some(9 + DAY)),
            (|f| f.issued = at(5), ActionKind::Chase, Some(5 + 3 * DAY)),
            (|f| f.loop_limit = at(7), ActionKind::Loop, Some(7)),
            (|f| f.uncontacted = at(5), ActionKind::Contact, Some(5 + 15 * MIN)),
            (|f| f.urgent = true, ActionKind::Contact, Some(5)),
            (|f| f.to_review = at(50), ActionKind::Review, Some(50)),
            (|f| f.client_wrote = at(60), ActionKind::Answer, Some(60 + 15 * MIN)),
            (|f| f.visit_asked = at(70), ActionKind::AskedVisit, Some(70)),
            (|f| f.call_asked = at(80), ActionKind::Call, Some(80)),
            (|f| f.right_asked = at(90), ActionKind::Right, Some(90)),
            (|f| f.by_hand = at(9 * DAY), ActionKind::ByHand, Some(9 * DAY)),
            (|f| f.etapa = Some(Etapa::Perdido), ActionKind::Right, Some(90)),
        ];
        for (set, kind, due) in rows {
            set(&mut facts);
            assert_eq!(late(&facts), Some((kind, due.map(t))), "{facts:?}");
            let mut alone = ActionInput::default();
            set(&mut alone);
            if !matches!(kind, ActionKind::Right | ActionKind::Contact) {
                assert_eq!(late(&alone), Some((kind, due.map(t))), "{alone:?}");
            }
        }
    }

    #[test]
    fn a_loop_is_overdue_after_its_deadline_and_not_before() {
        let facts = ActionInput { loop_limit: at(100), ..ActionInput::default() };
        let at_ = |facts: &ActionInput, now| Outlook::of(facts).at(t(now)).expect("something");
        assert_eq!(at_(&facts, 99), NextAction { kind: ActionKind::WaitRenders, due: None });
        assert_eq!(at_(&facts, 100), NextAction { kind: ActionKind::Loop, due: at(100) });
        assert_eq!(Outlook::of(&facts).due_from(), at(100));
        let chased = ActionInput { issued: at(1), ..facts };
        assert_eq!(at_(&chased, 99).kind, ActionKind::Chase);
        assert_eq!(at_(&chased, 100).kind, ActionKind::Loop);
        let answered = ActionInput { client_wrote: at(1), ..facts };
        assert_eq!(at_(&answered, 1_000).kind, ActionKind::Answer, "it comes before the loop");
        assert_eq!(Outlook::of(&answered).due_from(), at(1 + 15 * MIN));
    }

    #[test]
    fn a_lead_that_is_over_and_one_that_is_not_viable_need_nobody() {
        let due = ActionInput { call_asked: at(5), loop_limit: at(5), ..ActionInput::default() };
        for facts in [
            ActionInput { etapa: Some(Etapa::Perdido), ..due },
            ActionInput { etapa: Some(Etapa::Terminado), ..due },
            ActionInput { viable: Some(false), ..due },
        ] {
            assert_eq!(late(&facts), None);
            assert_eq!(Outlook::of(&facts).due_from(), None);
            let right = late(&ActionInput { right_asked: at(7), ..facts });
            assert_eq!(right, Some((ActionKind::Right, at(7))), "but for what the law asks for");
        }
        assert!(late(&ActionInput { viable: Some(true), ..due }).is_some());
    }

    #[test]
    fn the_end_of_time_is_no_panic() {
        let facts = ActionInput { issued: Some(Timestamp::MAX), ..ActionInput::default() };
        assert_eq!(late(&facts), Some((ActionKind::Chase, Some(Timestamp::MAX))));
    }
}

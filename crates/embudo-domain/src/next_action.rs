//! What a person should do next about a lead, and by when.
//!
//! It says when something is due, not whether it is late, so that nothing has to be written again when time passes.

use jiff::{SignedDuration, Timestamp};

enumeration! {
    /// Of two that are due at the same moment the first one counts.
    ActionKind {
        /// The person asked for a copy of their data, or that it be erased.
        Right = "derecho",
        /// The client asked to be called.
        Call = "llamar",
        /// One is agreed.
        Visit = "visita",
        /// The client asked for a visit, and none is agreed.
        AskedVisit = "visita_pedida",
        /// A drafted quote waits for a person.
        Review = "revisar",
        /// The client wrote last.
        Answer = "responder",
        /// The watched loop waits for something that others must do.
        Loop = "bucle",
        /// A quote was issued and not answered.
        Chase = "insistir",
        /// Set by a person.
        ByHand = "manual",
    }
}

/// How long a client is left in peace with a quote.
pub const CHASE_AFTER: SignedDuration = SignedDuration::from_hours(3 * 24);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NextAction {
    pub kind: ActionKind,
    pub due: Timestamp,
}

/// What the next action is derived from: since when, or until when, each of these waits for a person.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ActionFacts {
    /// The person asked for something of their data, and nobody has said since that it was done.
    pub right_asked: Option<Timestamp>,
    /// The client asked to be called, and nobody has reached them since.
    pub call_asked: Option<Timestamp>,
    /// The start of an agreed visit.
    pub visit: Option<Timestamp>,
    /// The client asked for a visit, and nobody has reached them since.
    pub visit_asked: Option<Timestamp>,
    /// Since when a drafted quote waits for a person.
    pub to_review: Option<Timestamp>,
    /// The last turn, if it is the client's.
    pub client_wrote: Option<Timestamp>,
    /// The deadline of the watched loop.
    pub loop_limit: Option<Timestamp>,
    /// When the quote was issued that waits for an answer.
    pub issued: Option<Timestamp>,
    /// The day that a person set.
    pub by_hand: Option<Timestamp>,
    /// The lead is lost.
    pub closed: bool,
    /// Whether the job can be done; `false` hides whatever is to do.
    pub viable: Option<bool>,
}

impl NextAction {
    /// What is due first.
    pub fn of(facts: &ActionFacts) -> Option<Self> {
        let right = facts.right_asked.map(|due| Self { kind: ActionKind::Right, due });
        if facts.closed || facts.viable == Some(false) {
            // The legal term runs also for a person who is no client any more.
            return right;
        }
        let chase = facts.issued.map(|at| at.saturating_add(CHASE_AFTER).unwrap_or(Timestamp::MAX));
        let candidates = [
            (ActionKind::Call, facts.call_asked),
            (ActionKind::Visit, facts.visit),
            (ActionKind::AskedVisit, facts.visit_asked),
            (ActionKind::Review, facts.to_review),
            (ActionKind::Answer, facts.client_wrote),
            (ActionKind::Loop, facts.loop_limit),
            (ActionKind::Chase, chase),
            (ActionKind::ByHand, facts.by_hand),
        ];
        let due = candidates.into_iter().filter_map(|(kind, due)| Some(Self { kind, due: due? }));
        right.into_iter().chain(due).min_by_key(|action| action.due)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 24 * 60 * 60;

    fn t(secs: i64) -> Timestamp {
        Timestamp::from_second(secs).expect("in range")
    }

    fn at(secs: i64) -> Option<Timestamp> {
        Some(t(secs))
    }

    #[test]
    fn what_is_due_first_is_next() {
        let none = ActionFacts::default();
        let cases = [
            (none, None),
            (ActionFacts { right_asked: at(5), ..none }, Some((ActionKind::Right, 5))),
            (ActionFacts { right_asked: at(5), call_asked: at(5), ..none }, Some((ActionKind::Right, 5))),
            (ActionFacts { call_asked: at(5), ..none }, Some((ActionKind::Call, 5))),
            (ActionFacts { visit: at(5), ..none }, Some((ActionKind::Visit, 5))),
            (ActionFacts { visit_asked: at(5), ..none }, Some((ActionKind::AskedVisit, 5))),
            (ActionFacts { to_review: at(5), ..none }, Some((ActionKind::Review, 5))),
            (ActionFacts { client_wrote: at(5), ..none }, Some((ActionKind::Answer, 5))),
            (ActionFacts { loop_limit: at(5), ..none }, Some((ActionKind::Loop, 5))),
            (ActionFacts { issued: at(5), ..none }, Some((ActionKind::Chase, 5 + 3 * DAY))),
            (ActionFacts { by_hand: at(5), ..none }, Some((ActionKind::ByHand, 5))),
            // A client who writes after the quote was issued comes before the chase.
            (ActionFacts { issued: at(5), client_wrote: at(9), ..none }, Some((ActionKind::Answer, 9))),
            (ActionFacts { by_hand: at(DAY), client_wrote: at(9), ..none }, Some((ActionKind::Answer, 9))),
            (ActionFacts { by_hand: at(7), issued: at(5), ..none }, Some((ActionKind::ByHand, 7))),
            (ActionFacts { call_asked: at(5), client_wrote: at(5), ..none }, Some((ActionKind::Call, 5))),
        ];
        for (facts, expected) in cases {
            let action = NextAction::of(&facts).map(|action| (action.kind, action.due));
            assert_eq!(action, expected.map(|(kind, due)| (kind, t(due))), "{facts:?}");
        }
    }

    #[test]
    fn a_lost_lead_and_one_that_is_not_viable_need_nobody() {
        let due = ActionFacts { call_asked: at(5), ..ActionFacts::default() };
        assert_eq!(NextAction::of(&ActionFacts { closed: true, ..due }), None);
        assert_eq!(NextAction::of(&ActionFacts { viable: Some(false), ..due }), None);
        assert!(NextAction::of(&ActionFacts { viable: Some(true), ..due }).is_some());
        let right = NextAction::of(&ActionFacts { closed: true, right_asked: at(7), ..due });
        assert_eq!(right.map(|action| action.kind), Some(ActionKind::Right), "but for what the law asks for");
    }

    #[test]
    fn the_end_of_time_is_no_panic() {
        let facts = ActionFacts { issued: Some(Timestamp::MAX), ..ActionFacts::default() };
        assert_eq!(NextAction::of(&facts).map(|action| action.due), Some(Timestamp::MAX));
    }
}

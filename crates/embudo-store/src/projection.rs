//! What the inbox is sorted and searched by, projected from what is written about leads.
//!
//! Projecting is idempotent: the facts of a lead are folded with what happened to it, or read anew, under a lock of their own; a plain
//! chat turn never touches the lead's row. The domain derives the next action.

use std::collections::{BTreeMap, BTreeSet};

use async_trait::async_trait;
use embudo_domain::conversacion::Rol;
use embudo_domain::etapa::Etapa;
use embudo_domain::next_action::{ActionFacts, ActionKind, Outlook};
use embudo_domain::perfil::CanalOrigen;
use embudo_domain::search::fold;
use embudo_domain::{EmpresaId, LeadId, Timestamp, UserId};

use crate::Result;
use crate::touches::{Touch, Touches};

/// A lead that changed, and whose it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LeadChange {
    pub lead: LeadId,
    pub empresa: EmpresaId,
}

/// What other processes tell of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard {
    Leads(Vec<LeadChange>),
    /// What these people may do changed, or a session of theirs ended.
    People(Vec<UserId>),
    /// Any lead may have changed, and any person: too many did, or nobody listened for a while.
    Everything,
}

/// What is kept of a lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeadFacts {
    pub lead: LeadId,
    pub empresa: EmpresaId,
    pub activity: Timestamp,
    /// The last turn of the client's.
    pub user: Option<Timestamp>,
    /// The last turn of the client's or ours.
    pub turn: Option<(Timestamp, Rol)>,
    /// The person asked for something of their data, and nobody has said since that it was done.
    pub right_asked: Option<Timestamp>,
    /// The client asked to be called, and nobody has reached them since.
    pub call_asked: Option<Timestamp>,
    /// The client asked for a visit, and nobody has reached them since.
    pub visit_asked: Option<Timestamp>,
    /// Since when a drafted quote waits for a person.
    pub to_review: Option<Timestamp>,
    /// The start of the next agreed visit that is not over.
    pub visit: Option<Timestamp>,
    /// A visit was proposed, and nobody has agreed on an hour.
    pub visit_proposed: bool,
    /// When the quote was issued that waits for an answer.
    pub issued: Option<Timestamp>,
    /// When a quote was accepted whose work has no day to begin.
    pub to_plan: Option<Timestamp>,
    /// When the lead was created, if nobody has written to it or called; of an imported one nothing.
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
    /// It is counted that we spoke or tried to, and that we did after the client's first message.
    pub contacted: bool,
    pub answered: bool,
    /// It stands elsewhere than when it was projected.
    pub moved: bool,
}

impl LeadFacts {
    /// Whether something of what happened may count that did not before.
    fn counts_anew(&self, touch: &Touch) -> bool {
        let client_wrote = self.user.or(touch.user).is_some();
        let is_awaited = !self.contacted || (client_wrote && !self.answered);
        self.moved || (touch.ours && is_awaited)
    }

    /// The facts after what happened. What is told late changes nothing that came after it.
    #[must_use]
    pub fn after(mut self, touch: &Touch) -> Self {
        self.activity = self.activity.max(touch.activity.unwrap_or(self.activity));
        self.user = self.user.max(touch.user);
        // The system answers nobody.
        let told = touch.turn.filter(|(_, rol)| *rol != Rol::System);
        self.turn = match (self.turn, told) {
            (Some(kept), Some(told)) if told.0 < kept.0 => Some(kept),
            (kept, told) => told.or(kept),
        };
        self.reached = self.reached.max(touch.reached);
        let waits = |asked: &Timestamp| touch.reached.is_none_or(|at| at < *asked);
        self.call_asked = self.call_asked.filter(waits);
        self.visit_asked = self.visit_asked.filter(waits);
        self
    }

    /// One lead that stands for this one and another one.
    #[must_use]
    pub fn with(mut self, other: &Self) -> Self {
        let earliest = |one: Option<Timestamp>, other: Option<Timestamp>| one.into_iter().chain(other).min();
        self.activity = self.activity.max(other.activity);
        self.user = self.user.max(other.user);
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
        // Whoever wrote to one of them wrote to the person.
        self.uncontacted = self.uncontacted.zip(other.uncontacted).map(|(one, other)| one.min(other));
        self.reached = self.reached.max(other.reached);
        self.urgent |= other.urgent;
        self.score = self.score.max(other.score);
        self.loop_limit = earliest(self.loop_limit, other.loop_limit);
        self.by_hand = earliest(self.by_hand, other.by_hand);
        self
    }

    /// What is to do next, whatever the time is.
    pub fn outlook(&self) -> Outlook {
        let of_turn = |rol| self.turn.filter(|(_, spoke)| *spoke == rol).map(|(at, _)| at);
        let is_unanswered = |at: &Timestamp| self.reached.is_none_or(|reached| reached < *at);
        let is_asked = self.visit_proposed || self.issued.is_some() || of_turn(Rol::Assistant).is_some();
        Outlook::of(&ActionFacts {
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

    /// Where the list shows it.
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

/// Urgent ones first, then by the score; those without one come last.
fn rank(urgent: bool, score: Option<i64>) -> i64 {
    let by_score = score.map_or(101, |score| 100 - score.clamp(0, 100));
    if urgent { by_score } else { 1_000 + by_score }
}

/// A part of the list in the order of what is to do. The parts come one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// What is due: by rank, then what is due longest.
    Due = 0,
    /// What will be due, by when.
    Later = 1,
    /// What waits for others, the newest activity first.
    Waiting = 2,
    /// What needs nobody any more, likewise.
    Nothing = 3,
}

impl Part {
    pub const ALL: [Self; 4] = [Self::Due, Self::Later, Self::Waiting, Self::Nothing];

    pub fn parse(number: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|part| *part as i64 == number)
    }

    /// Whether what is later comes later.
    pub fn is_rising(self) -> bool {
        self <= Self::Later
    }
}

/// Where the list shows a lead. It stays as it is when time passes: what is due is known by comparing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// Among what is due; none if it will never be.
    pub rank: Option<i64>,
    /// From when on it is due.
    pub due_from: Timestamp,
    /// Where it is until then, and its place there.
    pub part: Part,
    pub key: Timestamp,
}

impl Standing {
    /// Of a lead that is not projected yet.
    pub fn unknown(activity: Timestamp) -> Self {
        Self { rank: None, due_from: NO_ACTION, part: Part::Waiting, key: activity }
    }
}

/// The action as it is kept: its word, and when it is due.
pub fn kept(outlook: &Outlook) -> (Option<&'static str>, Timestamp) {
    let action = outlook.in_time;
    (action.map(|action| ActionKind::as_str(action.kind)), action.and_then(|a| a.due).unwrap_or(NO_ACTION))
}

/// What is to be projected together. Engines read and write; this says what, so that both do it alike.
#[derive(Debug, Default)]
pub struct Plan {
    touches: BTreeMap<LeadId, Touch>,
}

impl Plan {
    /// What happened to leads, and which leads stand for which of them: these are touched too.
    pub fn new(touches: Vec<(LeadId, Touch)>, principals: &[(LeadId, LeadId)]) -> Self {
        let mut plan = Self::default();
        for (lead, touch) in touches {
            plan.add(lead, touch);
            for (_, principal) in principals.iter().filter(|(united, _)| *united == lead) {
                plan.add(*principal, touch);
            }
        }
        plan
    }

    fn add(&mut self, lead: LeadId, touch: Touch) {
        let known = self.touches.entry(lead).or_default();
        *known = known.then(touch);
    }

    /// Every lead, in the order of their ids.
    pub fn leads(&self) -> Vec<LeadId> {
        self.touches.keys().copied().collect()
    }

    /// Leads that were spoken with.
    pub fn with_turns(&self) -> Vec<LeadId> {
        self.touches.iter().filter(|(_, touch)| touch.turn.is_some()).map(|(lead, _)| *lead).collect()
    }

    /// Leads of which it is enough to know what was projected before.
    pub fn folded(&self) -> Vec<LeadId> {
        self.touches.iter().filter(|(_, touch)| !touch.anew).map(|(lead, _)| *lead).collect()
    }

    /// These, after what happened; and the leads whose facts must be read anew, because that is asked for, they are not projected yet,
    /// figures change with it, or what was said differs from what is projected: it may have been said twice, in any order.
    pub fn fold(&self, before: Vec<LeadFacts>) -> (Vec<LeadFacts>, Vec<LeadId>) {
        let holds = |facts: &LeadFacts, touch: &Touch| {
            touch.viable.is_none_or(|said| facts.viable == Some(said))
                && touch.canal.is_none_or(|said| facts.canal == Some(said))
                && touch.urgent.is_none_or(|said| facts.urgent == said)
                && touch.score.is_none_or(|said| facts.score == Some(said))
                && !facts.counts_anew(touch)
        };
        let after = |facts: LeadFacts| {
            let touch = self.touches.get(&facts.lead).filter(|touch| holds(&facts, touch))?;
            Some(facts.after(touch))
        };
        let folded: Vec<LeadFacts> = before.into_iter().filter_map(after).collect();
        let known: BTreeSet<LeadId> = folded.iter().map(|facts| facts.lead).collect();
        let anew = self.touches.keys().filter(|lead| !known.contains(lead)).copied().collect();
        (folded, anew)
    }

    /// Leads read anew, each with the facts of those that it stands for.
    pub fn unite(anew: Vec<LeadFacts>, united: &[(LeadId, LeadId)], members: &[LeadFacts]) -> Vec<LeadFacts> {
        let whole = |facts: LeadFacts| {
            let of = united.iter().filter(|(_, principal)| *principal == facts.lead);
            let of = of.filter_map(|(lead, _)| members.iter().find(|member| member.lead == *lead));
            of.fold(facts, LeadFacts::with)
        };
        anew.into_iter().map(whole).collect()
    }
}

/// When something is due that never is. PostgreSQL keeps it too.
pub const NO_ACTION: Timestamp = Timestamp::constant(253_370_764_800, 0);

/// What a lead is found by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchText {
    pub lead: LeadId,
    pub empresa: EmpresaId,
    pub text: String,
    pub creado_en: Timestamp,
}

impl SearchText {
    /// Everything folded, a line each.
    pub fn fold(parts: &[&str]) -> String {
        fold(&parts.join("\n"))
    }
}

/// How far a table has been read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableCursor {
    pub table: &'static str,
    /// Everything up to here was projected.
    pub read: i64,
    /// The last row there was at that moment; it becomes `read` when nothing older can still be committed.
    pub seen: i64,
    pub seen_at: Timestamp,
}

/// How long a transaction may take that has drawn its serial already: PostgreSQL's are not in the order of commits.
pub const LONGEST_TRANSACTION: jiff::SignedDuration = jiff::SignedDuration::from_secs(180);

impl TableCursor {
    /// The mark after its table was read up to `last` at this moment.
    #[must_use]
    pub fn moved(self, last: i64, now: Timestamp) -> Self {
        match self.seen_at + LONGEST_TRANSACTION <= now {
            true => Self { read: self.seen, seen: last, seen_at: now, ..self },
            false => self,
        }
    }
}

/// What was appended since the cursors.
#[derive(Debug)]
pub struct Tail {
    pub touches: Vec<(LeadId, Touch)>,
    /// To be kept once they are projected.
    pub cursors: Vec<TableCursor>,
    /// Leads whose own row was written since then may have changed too.
    pub since: Timestamp,
    /// There were no cursors: nothing was ever projected.
    pub is_first: bool,
}

/// What keeps the inbox in order.
#[async_trait]
pub trait ProjectionStore: Send + Sync + 'static {
    /// What this process has committed since it was last asked.
    fn touches(&self) -> &Touches;
    /// Projects leads; returns those that exist. A lead that is united with another one is projected on both.
    async fn project(&self, touches: Vec<(LeadId, Touch)>) -> Result<Vec<LeadChange>>;
    /// How many commands were written so far, where one writer writes all of them and waits while leads are projected.
    fn written(&self) -> Option<u64>;
    /// Whose these leads are; unknown ones are left out.
    async fn owners(&self, leads: Vec<LeadId>) -> Result<Vec<LeadChange>>;
    /// What was appended since the cursors, with an overlap, by any process.
    async fn tail(&self, now: Timestamp) -> Result<Tail>;
    /// Keeps cursors whose rows are projected.
    async fn keep_cursors(&self, cursors: Vec<TableCursor>) -> Result<()>;
    /// Leads in the order of their ids, for a walk through all of them.
    async fn leads_after(&self, after: Option<LeadId>, limit: u32) -> Result<Vec<LeadId>>;
    /// Leads whose own row was written since.
    async fn leads_changed_since(&self, since: Timestamp) -> Result<Vec<LeadId>>;
    /// Tells other processes of what changed; nobody waits for it.
    fn tell_changes(&self, changes: Heard);
    /// Until another process told of something.
    async fn changes_told(&self) -> Heard;
}

/// Projects what a person has just done with leads, so that their next page shows it; the projector, which tells others of it, does so
/// where this fails.
pub async fn show_at_once(store: &impl ProjectionStore, leads: &[LeadId]) {
    if leads.is_empty() {
        return;
    }
    let anew = leads.iter().map(|lead| (*lead, Touch::anew())).collect();
    let touch = if store.project(anew).await.is_ok() { Touch::seen() } else { Touch::anew() };
    leads.iter().for_each(|lead| store.touches().note(*lead, touch));
}

#[cfg(test)]
mod tests {
    use embudo_domain::next_action::ANSWER_WITHIN;
    use uuid::Uuid;

    use super::*;

    fn t(s: i64) -> Timestamp {
        Timestamp::from_second(s).expect("in range")
    }

    fn facts() -> LeadFacts {
        LeadFacts {
            lead: LeadId(Uuid::nil()),
            empresa: EmpresaId(Uuid::nil()),
            activity: t(0),
            user: None,
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

    /// Whoever has been answered once is folded from then on, however long the conversation.
    #[test]
    fn a_lead_is_counted_anew_when_figures_change() {
        let is_anew = |facts: LeadFacts, touch: Touch| {
            let plan = Plan::new(vec![(facts.lead, touch)], &[]);
            !plan.fold(vec![facts]).1.is_empty()
        };
        let (hello, reply) = (Touch::turn(Rol::User, t(1)), Touch::turn(Rol::Assistant, t(2)));
        let new = LeadFacts { contacted: false, answered: false, ..facts() };
        assert!(is_anew(new, reply) && !is_anew(new, hello) && !is_anew(new, Touch::turn(Rol::System, t(1))));
        let greeted = LeadFacts { contacted: true, ..new };
        assert!(!is_anew(greeted, reply), "the client has said nothing yet");
        assert!(is_anew(greeted, hello.then(reply)) && is_anew(greeted, reply.then(hello)));
        assert!(is_anew(LeadFacts { user: Some(t(1)), ..greeted }, reply));
        assert!(!is_anew(facts(), hello.then(reply)));
        assert!(is_anew(LeadFacts { moved: true, ..facts() }, hello));
        let said = Touch { canal: Some(CanalOrigen::Anuncio), ..Touch::seen() };
        assert!(is_anew(facts(), said));
        assert!(!is_anew(LeadFacts { canal: Some(CanalOrigen::Anuncio), ..facts() }, said));
    }

    /// What is to do long after.
    fn next(facts: &LeadFacts) -> Option<(ActionKind, Option<Timestamp>)> {
        facts.outlook().at(t(1_000_000)).map(|action| (action.kind, action.due))
    }

    #[test]
    fn what_happens_moves_the_facts_on_and_never_back() {
        let asked = facts().after(&Touch::turn(Rol::User, t(5)));
        assert_eq!(next(&asked), Some((ActionKind::Answer, Some(t(5) + ANSWER_WITHIN))));
        let answered = asked.after(&Touch::turn(Rol::Assistant, t(6)));
        assert_eq!((next(&answered), answered.user), (Some((ActionKind::WaitClient, None)), Some(t(5))));
        assert_eq!(answered.after(&Touch::turn(Rol::User, t(5))), answered, "told twice");
        let missed = Touch { reached: None, ..Touch::activity(t(8)) };
        let spoken = asked.after(&Touch { reached: Some(t(8)), ..missed });
        assert_eq!(next(&spoken).map(|(kind, _)| kind), Some(ActionKind::WaitBot), "a call answers too");
        let called = LeadFacts { call_asked: Some(t(7)), ..answered };
        assert!(called.after(&missed).call_asked.is_some());
        assert!(called.after(&Touch { reached: Some(t(6)), ..missed }).call_asked.is_some());
        assert_eq!(called.after(&Touch { reached: Some(t(8)), ..missed }).call_asked, None);
        let asked = LeadFacts { visit_asked: Some(t(7)), ..facts() };
        assert_eq!(next(&asked), Some((ActionKind::AskedVisit, Some(t(7)))));
        assert_eq!(asked.after(&Touch { reached: Some(t(8)), ..missed }).visit_asked, None);
    }

    /// The list is read by these alone, whatever the time is.
    #[test]
    fn a_lead_stands_in_the_list_where_its_action_puts_it() {
        let new = LeadFacts { uncontacted: Some(t(0)), urgent: true, score: Some(80), ..facts() };
        let standing = new.standing();
        assert_eq!((standing.rank, standing.due_from, standing.part), (Some(20), t(0), Part::Later));
        let calm = LeadFacts { urgent: false, score: None, ..new }.standing();
        assert_eq!((calm.rank, calm.due_from), (Some(1_101), t(0) + ANSWER_WITHIN));
        let looped = LeadFacts { loop_limit: Some(t(50)), activity: t(9), ..facts() }.standing();
        assert_eq!((looped.rank, looped.due_from), (Some(1_101), t(50)), "due at its deadline");
        assert_eq!((looped.part, looped.key), (Part::Waiting, t(9)), "and waiting until then");
        let waiting = facts().standing();
        assert_eq!((waiting.rank, waiting.due_from, waiting.part), (None, NO_ACTION, Part::Waiting));
        assert_eq!(LeadFacts { etapa: Etapa::Perdido, ..new }.standing().part, Part::Nothing);
    }

    #[test]
    fn what_is_said_again_is_not_read_again() {
        let plan = |viable| {
            let touch = Touch { viable: Some(viable), ..Touch::seen() };
            Plan::new(vec![(facts().lead, touch)], &[])
        };
        let known = || vec![LeadFacts { viable: Some(true), ..facts() }];
        assert_eq!(plan(true).fold(known()), (known(), vec![]));
        assert_eq!(plan(false).fold(known()), (vec![], vec![facts().lead]));
        assert_eq!(plan(true).fold(vec![]), (vec![], vec![facts().lead]));
    }

    #[test]
    fn two_leads_of_one_person_are_one() {
        let one = LeadFacts { turn: Some((t(3), Rol::Assistant)), issued: Some(t(1)), ..facts() };
        let other = LeadFacts { turn: Some((t(4), Rol::User)), activity: t(4), ..facts() };
        let both = one.with(&other);
        assert_eq!((both.turn, both.activity, both.issued), (Some((t(4), Rol::User)), t(4), Some(t(1))));
    }

    #[test]
    fn a_mark_moves_when_nothing_older_can_come() {
        let cursor = TableCursor { table: "turno", read: 10, seen: 20, seen_at: t(0) };
        assert_eq!(cursor.clone().moved(30, t(100)), cursor);
        let moved = cursor.moved(30, t(200));
        assert_eq!((moved.read, moved.seen, moved.seen_at), (20, 30, t(200)));
    }
}

//! Projecting what is written about leads into what the inbox is sorted and searched by ([`crate::projected_lead`]).
//!
//! Projecting is idempotent: what is projected of a lead is folded with what happened to it, or read anew, under a lock
//! of its own; a plain chat turn never touches the lead's row. The domain derives the next action.

use std::collections::{BTreeMap, BTreeSet};

use async_trait::async_trait;
use embudo_domain::search::fold;
use embudo_domain::{EmpresaId, LeadId, Timestamp, UserId};

use crate::Result;
use crate::projected_lead::ProjectedLead;
use crate::touches::{Touch, Touches};

/// A lead that changed, and its company.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LeadChange {
    pub lead: LeadId,
    pub empresa: EmpresaId,
}

/// What another process announces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard {
    Leads(Vec<LeadChange>),
    /// What these people may do changed, or a session of theirs ended.
    People(Vec<UserId>),
    /// Any lead may have changed, and any person: too many did, or nobody listened for a while.
    Everything,
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

    /// The leads that can be folded, after what happened, and those that must be read anew: because that is asked for,
    /// they are not projected yet, their figures change, or what was said differs from what is projected (it may have
    /// been said twice, in any order).
    pub fn fold(&self, before: Vec<ProjectedLead>) -> (Vec<ProjectedLead>, Vec<LeadId>) {
        let holds = |facts: &ProjectedLead, touch: &Touch| {
            touch.viable.is_none_or(|said| facts.viable == Some(said))
                && touch.canal.is_none_or(|said| facts.canal == Some(said))
                && touch.urgent.is_none_or(|said| facts.urgent == said)
                && touch.score.is_none_or(|said| facts.score == Some(said))
                && !facts.counts_anew(touch)
        };
        let after = |facts: ProjectedLead| {
            let touch = self.touches.get(&facts.lead).filter(|touch| holds(&facts, touch))?;
            Some(facts.after(touch))
        };
        let folded: Vec<ProjectedLead> = before.into_iter().filter_map(after).collect();
        let known: BTreeSet<LeadId> = folded.iter().map(|facts| facts.lead).collect();
        let anew = self.touches.keys().filter(|lead| !known.contains(lead)).copied().collect();
        (folded, anew)
    }

    /// Leads read anew, each with the facts of those that it stands for.
    pub fn unite(
        anew: Vec<ProjectedLead>,
        united: &[(LeadId, LeadId)],
        members: &[ProjectedLead],
    ) -> Vec<ProjectedLead> {
        let whole = |facts: ProjectedLead| {
            let of = united.iter().filter(|(_, principal)| *principal == facts.lead);
            let of = of.filter_map(|(lead, _)| members.iter().find(|member| member.lead == *lead));
            of.fold(facts, ProjectedLead::with)
        };
        anew.into_iter().map(whole).collect()
    }
}

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
    /// The cursor after its table was read up to `last` at this moment.
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

/// Keeping what the inbox shows up to date.
#[async_trait]
pub trait ProjectionStore: Send + Sync + 'static {
    /// What this process has committed since it was last asked.
    fn touches(&self) -> &Touches;
    /// Projects leads; returns those that exist. A lead that is united with another one is projected on both.
    async fn project(&self, touches: Vec<(LeadId, Touch)>) -> Result<Vec<LeadChange>>;
    /// How many commands were written so far, where one writer writes all of them and waits while leads are projected.
    fn commands_written(&self) -> Option<u64>;
    /// The companies of these leads; unknown leads are left out.
    async fn owners(&self, leads: Vec<LeadId>) -> Result<Vec<LeadChange>>;
    /// What was appended since the cursors, with an overlap, by any process.
    async fn tail(&self, now: Timestamp) -> Result<Tail>;
    /// Keeps cursors whose rows are projected.
    async fn keep_cursors(&self, cursors: Vec<TableCursor>) -> Result<()>;
    /// Leads in the order of their ids, for a walk through all of them.
    async fn leads_after(&self, after: Option<LeadId>, limit: u32) -> Result<Vec<LeadId>>;
    /// Leads whose own row was written since.
    async fn leads_changed_since(&self, since: Timestamp) -> Result<Vec<LeadId>>;
    /// Announces to other processes what changed; nobody waits for it.
    fn tell_changes(&self, changes: Heard);
    /// Waits until another process announces something.
    async fn changes_told(&self) -> Heard;
}

/// Projects what a person has just done with leads, so that their next page shows it. If this fails, the projector does
/// it later; it also announces the change.
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
    use embudo_domain::conversacion::Rol;
    use embudo_domain::perfil::CanalOrigen;

    use super::*;
    use crate::projected_lead::tests::facts;

    fn t(s: i64) -> Timestamp {
        Timestamp::from_second(s).expect("in range")
    }

    /// Once we have answered a client, their lead is folded from then on, however long the conversation.
    #[test]
    fn a_lead_is_counted_anew_when_figures_change() {
        let is_anew = |facts: ProjectedLead, touch: Touch| {
            let plan = Plan::new(vec![(facts.lead, touch)], &[]);
            !plan.fold(vec![facts]).1.is_empty()
        };
        let (hello, reply) = (Touch::turn(Rol::User, t(1)), Touch::turn(Rol::Assistant, t(2)));
        let new = ProjectedLead { contacted: false, answered: false, ..facts() };
        assert!(is_anew(new, reply) && !is_anew(new, hello) && !is_anew(new, Touch::turn(Rol::System, t(1))));
        let greeted = ProjectedLead { contacted: true, ..new };
        assert!(!is_anew(greeted, reply), "the client has said nothing yet");
        assert!(is_anew(greeted, hello.then(reply)) && is_anew(greeted, reply.then(hello)));
        assert!(is_anew(ProjectedLead { client_wrote: Some(t(1)), ..greeted }, reply));
        assert!(!is_anew(facts(), hello.then(reply)));
        assert!(is_anew(ProjectedLead { moved: true, ..facts() }, hello));
        let said = Touch { canal: Some(CanalOrigen::Anuncio), ..Touch::seen() };
        assert!(is_anew(facts(), said));
        assert!(!is_anew(ProjectedLead { canal: Some(CanalOrigen::Anuncio), ..facts() }, said));
    }

    #[test]
    fn what_is_said_again_is_not_read_again() {
        let plan = |viable| {
            let touch = Touch { viable: Some(viable), ..Touch::seen() };
            Plan::new(vec![(facts().lead, touch)], &[])
        };
        let known = || vec![ProjectedLead { viable: Some(true), ..facts() }];
        assert_eq!(plan(true).fold(known()), (known(), vec![]));
        assert_eq!(plan(false).fold(known()), (vec![], vec![facts().lead]));
        assert_eq!(plan(true).fold(vec![]), (vec![], vec![facts().lead]));
    }

    #[test]
    fn a_cursor_moves_when_nothing_older_can_come() {
        let cursor = TableCursor { table: "turno", read: 10, seen: 20, seen_at: t(0) };
        assert_eq!(cursor.clone().moved(30, t(100)), cursor);
        let moved = cursor.moved(30, t(200));
        assert_eq!((moved.read, moved.seen, moved.seen_at), (20, 30, t(200)));
    }
}

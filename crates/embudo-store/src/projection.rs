//! Projects what is written about leads into the data by which the inbox is sorted and searched
//! ([`crate::projected_lead`]).
//!
//! Projecting is idempotent: the projected data of a lead is updated with what happened to it, or read anew, under a
//! lock of its own; a plain chat turn never touches the lead's row. The domain derives the next action.

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

/// A notification of another process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard {
    Leads(Vec<LeadChange>),
    /// The permissions of these people changed, or one of their sessions ended.
    People(Vec<UserId>),
    /// Any lead and any person may have changed: there were too many changes, or the connection was lost for a while.
    Everything,
}

/// The leads to be projected together. Engines read and write; this decides what, so that both do it alike.
#[derive(Debug, Default)]
pub struct Plan {
    touches: BTreeMap<LeadId, Touch>,
}

impl Plan {
    /// Makes a plan from what happened to leads. The principals of these leads are projected too.
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

    /// Leads that have new turns.
    pub fn with_turns(&self) -> Vec<LeadId> {
        self.touches.iter().filter(|(_, touch)| touch.turn.is_some()).map(|(lead, _)| *lead).collect()
    }

    /// Leads that may be updated from the data that was projected before; [`Self::fold`] decides.
    pub fn folded(&self) -> Vec<LeadId> {
        self.touches.iter().filter(|(_, touch)| !touch.anew).map(|(lead, _)| *lead).collect()
    }

    /// Splits the leads into two groups. The first ones are updated from `before` with what happened. The others must
    /// be read anew, because this was requested, they are not projected yet, their figures change, or a touch differs
    /// from what is projected (touches may arrive twice and in any order).
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

    /// Combines leads that were read anew with the facts of the leads that are united with them.
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

/// The texts by which a lead is found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchText {
    pub lead: LeadId,
    pub empresa: EmpresaId,
    pub text: String,
    pub creado_en: Timestamp,
}

impl SearchText {
    /// All parts folded, one per line.
    pub fn fold(parts: &[&str]) -> String {
        fold(&parts.join("\n"))
    }
}

/// How far a table was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableCursor {
    pub table: &'static str,
    /// All rows up to here were projected.
    pub read: i64,
    /// The last row at the time `seen_at`; it becomes `read` once no older row can still be committed.
    pub seen: i64,
    pub seen_at: Timestamp,
}

/// How long a transaction may last after it got its serial number: in PostgreSQL, serial numbers are not in the order
/// of commits.
pub const LONGEST_TRANSACTION: jiff::SignedDuration = jiff::SignedDuration::from_secs(180);

impl TableCursor {
    /// The cursor after its table was read up to `last` at this time.
    #[must_use]
    pub fn moved(self, last: i64, now: Timestamp) -> Self {
        match self.seen_at + LONGEST_TRANSACTION <= now {
            true => Self { read: self.seen, seen: last, seen_at: now, ..self },
            false => self,
        }
    }
}

/// The rows that were appended after the cursors.
#[derive(Debug)]
pub struct Tail {
    pub touches: Vec<(LeadId, Touch)>,
    /// To be stored once the rows are projected.
    pub cursors: Vec<TableCursor>,
    /// Leads whose own row was written since this time may have changed too.
    pub since: Timestamp,
    /// There were no cursors, so nothing was ever projected.
    pub is_first: bool,
}

/// Keeps the data of the inbox up to date.
#[async_trait]
pub trait ProjectionStore: Send + Sync + 'static {
    /// The touches that this process has committed since the last call.
    fn touches(&self) -> &Touches;
    /// Projects leads; returns those that exist. A united lead is also projected on its principal.
    async fn project(&self, touches: Vec<(LeadId, Touch)>) -> Result<Vec<LeadChange>>;
    /// How many commands were written so far, on an engine whose single writer waits while leads are projected. `None`
    /// on other engines.
    fn commands_written(&self) -> Option<u64>;
    /// The companies of these leads; unknown leads are left out.
    async fn owners(&self, leads: Vec<LeadId>) -> Result<Vec<LeadChange>>;
    /// The rows that any process appended after the cursors, with an overlap.
    async fn tail(&self, now: Timestamp) -> Result<Tail>;
    /// Stores cursors whose rows are projected.
    async fn keep_cursors(&self, cursors: Vec<TableCursor>) -> Result<()>;
    /// Leads in the order of their ids, so that callers can go through all of them.
    async fn leads_after(&self, after: Option<LeadId>, limit: u32) -> Result<Vec<LeadId>>;
    /// Leads whose own row was written since.
    async fn leads_changed_since(&self, since: Timestamp) -> Result<Vec<LeadId>>;
    /// Notifies other processes of changes; the caller does not wait for it.
    fn tell_changes(&self, changes: Heard);
    /// Waits until another process notifies of changes.
    async fn changes_told(&self) -> Heard;
}

/// Projects leads that a person has just changed, so that their next page shows it. If this fails, the projector does
/// it later and also notifies of the change.
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

    /// Once we have answered a client, later turns only update the projected data, however long the conversation is.
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

//! Ends of attempts.
//!
//! They take two round trips, and one more where jobs follow: the affected leads are locked, then the jobs, and the
//! data for the decision is read once the locks are held; the store's rules decide; everything is written together with
//! the commit. If an end is repeated after a commit in doubt, its job is found freed, and nothing is done.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use embudo_domain::etapa::LoopEffect;
use embudo_domain::event::Event;
use embudo_domain::watched_loop::WatchedLoop;
use embudo_domain::{JobId, LeadId, Timestamp};
use embudo_store::Result;
use embudo_store::finish::{Decided, Seen};
use embudo_store::outbox::JobAttemptEnd;
use uuid::Uuid;

use super::etapa::{self, Raised};
use super::event::{self, EventOf};
use super::{column, job, len, locked_leads, watched_loop};
use crate::failure::Step;
use crate::rows::{self, Held, Instant};
use crate::statement::{Sql, params, sql};
use crate::writer::{Claim, Grouped, Lane, Session};

static LOCK: &Sql = sql!("bucle/lock_of_jobs.sql");
static HELD: &Sql = sql!("trabajo/held.sql");
static FINISH: &Sql = sql!("trabajo/finish.sql");
static DELIVERY: &Sql = sql!("entrega/insert.sql");

/// An end with its lead and the decision about it.
struct Ended<'a> {
    end: &'a JobAttemptEnd,
    lead: LeadId,
    empresa: Uuid,
    decided: Decided,
}

/// How an attempt was ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Finished {
    pub(crate) lead: LeadId,
    /// Whether a job without a lease was made, which any process may take.
    pub(crate) loose: bool,
}

/// The watched loops of leads.
type Loops = HashMap<LeadId, Option<WatchedLoop>>;

impl Grouped for JobAttemptEnd {
    /// `None`: the process does not hold the job any more.
    type End = Option<Finished>;

    const LANE: Lane = Lane::Ends;
    const IS_TRANSACTION: bool = true;
    /// If an end is lost, its job is tried again, and no caller waits for an end: so an end may take long.
    const PATIENCE: Duration = Duration::from_secs(60);

    fn sql() -> Vec<&'static Sql> {
        vec![
            LOCK,
            HELD,
            FINISH,
            DELIVERY,
            event::INSERT,
            watched_loop::SET,
            etapa::RAISE,
            etapa::SET,
            etapa::FACTS,
            locked_leads::LEADS,
            locked_leads::FOTOS,
            locked_leads::NOTAS,
            job::INSERT,
        ]
    }

    /// Ends that run alone share the turns of one key, because the leads that they will wait for are not known
    /// beforehand.
    fn key(&self) -> Uuid {
        Uuid::nil()
    }

    fn claim(&self) -> Claim {
        Claim::Only(self.id.0)
    }

    fn bytes(&self) -> usize {
        let detail = self.event.as_ref().and_then(|e| e.detail.as_ref());
        256 + len(self.delivery.error.as_ref()) + len(self.delivery.answer.as_ref()) + len(detail)
    }

    async fn run(on: &Session<'_>, group: &[&Self]) -> Step<Vec<Result<Option<Finished>>>> {
        let mut attempt_ends = group.to_vec();
        attempt_ends.sort_by_key(|end| end.id);
        let (mut held, mut loops) = look(on, &attempt_ends).await?;
        let mut ended = Vec::with_capacity(attempt_ends.len());
        let mut moved = BTreeSet::new();
        let mut etapas = Etapas::default();
        for end in attempt_ends {
            let Some(Held { lead, empresa, seen }) = held.remove(&end.id) else { continue };
            // A lead that was erased has no loop.
            let before = loops.get_mut(&lead);
            let decided = end.decide(Seen { watched_loop: before.as_deref().copied().flatten(), ..seen });
            decided.event.iter().for_each(|event| etapas.raised.by(lead, event));
            if let (Some(before), Some(after)) = (before, decided.watched_loop) {
                etapas.after_loop(lead, *before, after, end.at);
                *before = after;
                moved.insert(lead);
            }
            ended.push(Ended { end, lead, empresa, decided });
        }
        let moved: Vec<_> = moved.into_iter().map(|lead| (lead, loops[&lead])).collect();
        let loose = write(on, &ended, &moved, &etapas).await?;
        let finished = |e: &Ended| Finished { lead: e.lead, loose: loose.contains(&e.end.id) };
        let ends: HashMap<JobId, Finished> = ended.iter().map(|e| (e.end.id, finished(e))).collect();
        Ok(group.iter().map(|end| Ok(ends.get(&end.id).copied())).collect())
    }
}

/// The changes to the etapas of leads.
#[derive(Default)]
struct Etapas {
    raised: Raised,
    /// Leads whose etapa must be derived: their loop no longer waits for renders, because renders came before the
    /// signal was answered.
    derived: Vec<(LeadId, Timestamp)>,
}

impl Etapas {
    fn after_loop(
        &mut self,
        lead: LeadId,
        before: Option<WatchedLoop>,
        after: Option<WatchedLoop>,
        at: Timestamp,
    ) {
        match LoopEffect::of(before, after) {
            LoopEffect::Raises(etapa) => self.raised.to(lead, etapa, at),
            LoopEffect::Settles => self.derived.push((lead, at)),
            LoopEffect::None => {}
        }
    }
}

/// Begins the transaction, takes the locks, and reads the data that is needed: of each job that its process holds, and
/// of the locked leads.
async fn look(on: &Session<'_>, attempt_ends: &[&JobAttemptEnd]) -> Step<(HashMap<JobId, Held>, Loops)> {
    let locking: Vec<Uuid> = attempt_ends.iter().filter(|end| end.needs_lock()).map(|end| end.id.0).collect();
    let locking = params! { id: locking };
    let ends = params! {
        id: column(attempt_ends, |end| end.id.0),
        quien: column(attempt_ends, |end| end.who.0),
        has_newer: column(attempt_ends, |end| end.lookups().has_newer),
        since_sent: column(attempt_ends, |end| end.lookups().since_sent),
        since_made: column(attempt_ends, |end| end.lookups().since_made),
        inicio: column(attempt_ends, |end| Instant::from(end.delivery.start)),
    };
    let (begun, locked, held) =
        tokio::join!(biased; on.begin(), on.query(LOCK, locking), on.query(HELD, ends));
    begun?;
    let mut loops = Loops::new();
    for row in &locked? {
        loops.insert(LeadId(row.try_get("id")?), rows::watched_loop(row)?);
    }
    let held = held?;
    let held = held.iter().map(|row| Ok((JobId(row.try_get("id")?), rows::held(row)?)));
    Ok((held.collect::<Step<_>>()?, loops))
}

/// Writes everything and commits; returns the ends that made a job which any process may take.
async fn write(
    on: &Session<'_>,
    ended: &[Ended<'_>],
    moved: &[(LeadId, Option<WatchedLoop>)],
    etapas: &Etapas,
) -> Step<Vec<JobId>> {
    let following: Vec<&Ended> =
        ended.iter().filter(|e| e.decided.is_followed && !e.end.jobs.is_empty()).collect();
    let mut new_ones = Vec::new();
    if !following.is_empty() {
        let jobs = following.iter().map(|e| (e.lead, &e.end.jobs[..]));
        let records = locked_leads::read(on, jobs).await?;
        for e in &following {
            let Some(record) = records.get(&e.lead) else { continue };
            new_ones.extend(job::ready(&e.end.jobs, record, e.end.at)?);
        }
    }
    let events: Vec<(&Ended, &Event)> =
        ended.iter().filter_map(|e| Some((e, e.decided.event.as_ref()?))).collect();
    let events: Vec<EventOf> = events.iter().map(|(e, event)| (e.lead, e.empresa, *event)).collect();
    // The statements are sent together, in this order.
    let (finished, logged, events_written, loops_written, raised, made, committed) = tokio::join!(
        biased;
        write_jobs(on, ended),
        write_log(on, ended),
        event::write(on, &events),
        watched_loop::write(on, moved),
        etapas.raised.write(on),
        job::write(on, &new_ones),
        async { if etapas.derived.is_empty() { on.commit().await } else { Ok(()) } },
    );
    finished?;
    logged?;
    events_written?;
    loops_written?;
    raised?;
    let made = made?;
    committed?;
    if !etapas.derived.is_empty() {
        for (lead, at) in &etapas.derived {
            etapa::settle_on(on, *lead, *at).await?;
        }
        on.commit().await?;
    }
    let is_loose = |e: &&&Ended| e.end.jobs.iter().any(|t| t.lease.is_none() && made.contains(&t.id.0));
    Ok(following.iter().filter(is_loose).map(|e| e.end.id).collect())
}

async fn write_jobs(on: &Session<'_>, ended: &[Ended<'_>]) -> Step<()> {
    let params = params! {
        id: column(ended, |e| e.end.id.0),
        estado: column(ended, |e| e.decided.state.as_str()),
        proximo_en: column(ended, |e| e.decided.proximo_en.map(Instant::from)),
        terminado_en: column(ended, |e| e.decided.terminado_en.map(Instant::from)),
        en_duda: column(ended, |e| e.decided.en_duda),
        ultimo_error: column(ended, |e| e.decided.ultimo_error.as_deref()),
    };
    on.query(FINISH, params).await.map(drop)
}

async fn write_log(on: &Session<'_>, ended: &[Ended<'_>]) -> Step<()> {
    let log = column(ended, |e| &e.end.delivery);
    let params = params! {
        trabajo: column(ended, |e| e.end.id.0),
        inicio: column(&log, |l| Instant::from(l.start)),
        duracion_ms: column(&log, |l| l.duracion_ms),
        ok: column(&log, |l| l.ok),
        status: column(&log, |l| l.status.map(i32::from)),
        error: column(&log, |l| l.error.as_deref()),
        respuesta: column(&log, |l| l.answer.as_deref()),
    };
    on.query(DELIVERY, params).await.map(drop)
}

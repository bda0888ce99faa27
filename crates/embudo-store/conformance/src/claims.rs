//! Claims and leases: a due job is worked on by one process, and by another once the first is gone.
//!
//! The contract leaves open in which order one claim returns jobs of different kinds, and which of two jobs that are
//! due at the same moment comes first.

use std::sync::Arc;

use embudo_domain::JobId;
use embudo_domain::job::{JobKind, JobState};
use tokio::task::JoinSet;

use super::data::outbox::{
    LENGTH, SHORT, allotment, end, finish, job, job_of, lead_with_notices, make, of, of_all, process, state,
    take, take_ids, take_when_due, until_due,
};
use super::data::{a_lead, micros, other_lead, t};
use embudo_store::Store;
use embudo_store::outbox::{Allotment, JobOutcome, Lease, NewJob};
use embudo_store::outbox_admin::{DueJobs, JobCount};

/// A job is due from its moment on, by the clock of the worker, and taken once.
pub async fn a_job_is_taken_when_due(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let who = process();
    assert_eq!(take(&store, who, t(99)).await, vec![]);
    let id = make(&store, lead, job(JobKind::Perfil), t(10)).await;
    let before = job_of(&store, id).await;
    let almost = micros(t(10).as_microsecond() - 1);
    assert_eq!(take(&store, who, almost).await, vec![]);
    assert_eq!(take(&store, who, t(10)).await, vec![before.clone()]);
    assert_eq!(job_of(&store, id).await, before, "a claim is no attempt");
    for other in [who, process()] {
        assert_eq!(take(&store, other, t(99)).await, vec![], "also for its holder it is taken");
    }
}

/// Of each kind the jobs that have waited longest are taken, in that order, up to the number that is asked for.
pub async fn the_longest_due_are_taken_first(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let mut expected_ones = Vec::new();
    for n in [7, 3, 9, 1, 5] {
        let id = make(&store, lead, job(JobKind::Mensajeria), t(n)).await;
        expected_ones.push((n, id));
    }
    let perfil = make(&store, lead, job(JobKind::Perfil), t(8)).await;
    expected_ones.sort();
    let ids: Vec<JobId> = expected_ones.into_iter().map(|(_, id)| id).collect();
    let lease = Lease { who: process(), lasts: LENGTH };
    let take = async |allotments, n| -> Vec<JobId> {
        store.claim(allotments, lease, t(n)).await.expect("claimed").into_iter().map(|t| t.id).collect()
    };
    assert_eq!(take(vec![], 99).await, vec![]);
    assert_eq!(take(allotment(JobKind::Mensajeria, 0), 99).await, vec![]);
    assert_eq!(take(allotment(JobKind::Mensajeria, 2), 99).await, ids[..2]);
    let two = [allotment(JobKind::Mensajeria, 2), allotment(JobKind::Perfil, 1)].concat();
    let mut taken = take(two, 8).await;
    taken.retain(|id| *id != perfil);
    assert_eq!(taken, ids[2..4], "the fifth is not due at 8");
    assert_eq!(take(of_all(), 99).await, ids[4..]);
}

/// Each kind has its own share, and only the kinds asked for are taken.
pub async fn each_kind_has_its_share(store: Arc<dyn Store>) {
    let lead = lead_with_notices(&store).await;
    for n in 0..3 {
        for kind in [JobKind::Mensajeria, JobKind::EmpresaMail] {
            make(&store, lead, job(kind), t(n)).await;
        }
    }
    make(&store, lead, job(JobKind::Pdf), t(0)).await;
    let allotments = [
        allotment(JobKind::Mensajeria, 2),
        allotment(JobKind::EmpresaMail, 9),
        allotment(JobKind::ClientMail, 9),
    ];
    let lease = Lease { who: process(), lasts: LENGTH };
    let mut kinds: Vec<JobKind> = store
        .claim(allotments.concat(), lease, t(9))
        .await
        .expect("claimed")
        .iter()
        .map(|t| t.kind)
        .collect();
    kinds.sort();
    let (m, c) = (JobKind::Mensajeria, JobKind::EmpresaMail);
    assert_eq!(kinds, [m, m, c, c, c]);
}

/// A worker that knows a receiver to be down takes only jobs that were never tried.
pub async fn first_attempts_can_be_taken_alone(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let who = process();
    let tried = make(&store, lead, of(JobKind::Mensajeria, who, LENGTH), t(1)).await;
    finish(&store, end(tried, who, JobOutcome::Retry(t(2)), t(2))).await;
    let pristine = make(&store, lead, job(JobKind::Mensajeria), t(3)).await;
    let lease = Lease { who, lasts: LENGTH };
    let first = vec![Allotment { kind: JobKind::Mensajeria, how_many: 9, first_attempts_only: true }];
    let taken = store.claim(first.clone(), lease, t(9)).await.expect("claimed");
    assert_eq!(taken.iter().map(|t| t.id).collect::<Vec<_>>(), [pristine]);
    assert_eq!(store.claim(first, lease, t(9)).await.expect("claimed"), vec![]);
    assert_eq!(take_ids(&store, who, t(9)).await, [tried]);
}

/// A job that is made under a lease belongs to that process from the start; no other process takes it while the lease
/// lives.
pub async fn a_lease_from_the_start_is_respected(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let who = process();
    let id = make(&store, lead, of(JobKind::Perfil, who, LENGTH), t(1)).await;
    for other in [who, process()] {
        assert_eq!(take(&store, other, t(9)).await, vec![]);
    }
    assert!(store.finish(end(id, who, JobOutcome::Done, t(2))).await.expect("ended"));
}

/// A lease that ran out frees the job, whether it came with the job or with a claim; reports of its old holder are
/// ignored from then on.
pub async fn a_lease_that_ran_out_frees_the_job(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let (one, two, three) = (process(), process(), process());
    let id = make(&store, lead, of(JobKind::Perfil, one, SHORT), t(1)).await;
    take_when_due(&store, id, Lease { who: two, lasts: SHORT }, t(1)).await;
    take_when_due(&store, id, Lease { who: three, lasts: LENGTH }, t(1)).await;
    for old in [one, two] {
        assert!(!store.finish(end(id, old, JobOutcome::Done, t(2))).await.expect("answered"));
        assert!(!store.begin_send(id, old).await.expect("answered"));
        let length = Lease { who: old, lasts: LENGTH };
        assert_eq!(store.renew(vec![id], length).await.expect("answered"), vec![]);
        assert_eq!(store.release(old).await.expect("answered"), 0);
    }
    let (read, deliveries) = store.job(id).await.expect("it exists");
    assert_eq!((read.state, read.intentos, deliveries), (JobState::Pending, 0, vec![]));
    assert!(store.finish(end(id, three, JobOutcome::Done, t(2))).await.expect("ended"));
}

/// Processes that claim at once never take the same job, and together take all.
pub async fn claimers_at_once_take_disjoint_sets(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let another = other_lead(&store).await;
    let mut all = Vec::new();
    for n in 0..60 {
        let whose = if n % 2 == 0 { lead } else { another };
        all.push(make(&store, whose, job(JobKind::Mensajeria), t(n % 4)).await);
    }
    let mut tasks = JoinSet::new();
    for _ in 0..8 {
        let (store, who) = (Arc::clone(&store), process());
        tasks.spawn(async move {
            let mut own = Vec::new();
            let lease = Lease { who, lasts: LENGTH };
            // A claim may find everything locked by its neighbours and come back empty once.
            let mut empty = 0;
            while empty < 3 {
                let allotments = allotment(JobKind::Mensajeria, 3);
                let taken = store.claim(allotments, lease, t(9)).await.expect("claimed");
                assert!(taken.len() <= 3);
                empty = if taken.is_empty() { empty + 1 } else { 0 };
                own.extend(taken.into_iter().map(|t| t.id));
            }
            assert_eq!(store.renew(own.clone(), lease).await.expect("renewed").len(), own.len());
            own
        });
    }
    let mut taken = tasks.join_all().await.concat();
    taken.extend(take_ids(&store, process(), t(9)).await);
    taken.sort();
    all.sort();
    assert_eq!(taken, all);
}

/// A process can prolong only the jobs that it holds, and the prolonged lease is in force afterwards.
pub async fn only_what_is_held_is_renewed(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let (me, other) = (process(), process());
    let mine = make(&store, lead, of(JobKind::Mensajeria, me, LENGTH), t(1)).await;
    let own = make(&store, lead, of(JobKind::Mensajeria, other, LENGTH), t(1)).await;
    let of_nobody = make(&store, lead, job(JobKind::Mensajeria), t(1)).await;
    let ended = make(&store, lead, of(JobKind::Mensajeria, me, LENGTH), t(1)).await;
    finish(&store, end(ended, me, JobOutcome::Done, t(2))).await;
    let returned = make(&store, lead, of(JobKind::Mensajeria, me, LENGTH), t(1)).await;
    finish(&store, end(returned, me, JobOutcome::Retry(t(50)), t(2))).await;
    let ids = vec![mine, own, of_nobody, ended, returned, JobId(uuid::Uuid::new_v4())];
    let renewed = store.renew(ids, Lease { who: me, lasts: LENGTH }).await.expect("renewed");
    assert_eq!(renewed, [mine]);
    assert_eq!(store.renew(vec![], Lease { who: me, lasts: LENGTH }).await.expect("renewed"), vec![]);
    // Only the free job can be taken.
    assert_eq!(take_ids(&store, process(), t(2)).await, [of_nobody]);
    // A lease can also be shortened; then it runs out.
    let short = Lease { who: me, lasts: SHORT };
    assert_eq!(store.renew(vec![mine], short).await.expect("renewed"), [mine]);
    take_when_due(&store, mine, Lease { who: other, lasts: LENGTH }, t(2)).await;
}

/// A process gives back all it holds and nothing else; no attempt is counted.
pub async fn a_release_gives_back_what_is_held(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let (me, other) = (process(), process());
    assert_eq!(store.release(me).await.expect("released"), 0);
    let mut mine = Vec::new();
    for n in 0..3 {
        mine.push(make(&store, lead, of(JobKind::Mensajeria, me, LENGTH), t(n)).await);
    }
    make(&store, lead, of(JobKind::Mensajeria, other, LENGTH), t(1)).await;
    let ended = make(&store, lead, of(JobKind::Mensajeria, me, LENGTH), t(1)).await;
    finish(&store, end(ended, me, JobOutcome::Done, t(1))).await;
    assert_eq!(store.release(me).await.expect("released"), 3);
    assert_eq!(store.release(me).await.expect("released"), 0);
    assert!(!store.finish(end(mine[0], me, JobOutcome::Done, t(2))).await.expect("answered"));
    assert!(!store.begin_send(mine[0], me).await.expect("answered"));
    mine.sort();
    let third = process();
    assert_eq!(take_ids(&store, third, t(9)).await, mine);
    assert_eq!(job_of(&store, mine[0]).await.intentos, 0);
}

/// A mail that was about to be handed over is in doubt for the worker that takes it next, however the first process
/// ended.
pub async fn a_doubt_survives_its_process(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let (me, other) = (process(), process());
    let closed = make(&store, lead, of(JobKind::ClientMail, me, LENGTH), t(1)).await;
    assert!(!store.begin_send(closed, other).await.expect("answered"));
    assert!(!job_of(&store, closed).await.en_duda);
    for _ in 0..2 {
        assert!(store.begin_send(closed, me).await.expect("noted"));
        assert!(job_of(&store, closed).await.en_duda);
    }
    assert_eq!(store.release(me).await.expect("released"), 1);
    let taken = take(&store, other, t(1)).await;
    assert_eq!(taken.iter().map(|t| (t.id, t.en_duda)).collect::<Vec<_>>(), [(closed, true)]);

    let dead = make(&store, lead, of(JobKind::ClientMail, me, LENGTH), t(2)).await;
    assert!(store.begin_send(dead, me).await.expect("noted"));
    let short = Lease { who: me, lasts: SHORT };
    assert_eq!(store.renew(vec![dead], short).await.expect("renewed"), [dead]);
    let length = Lease { who: other, lasts: LENGTH };
    assert!(take_when_due(&store, dead, length, t(2)).await.en_duda);
    assert!(!store.begin_send(JobId(uuid::Uuid::new_v4()), me).await.expect("answered"));
}

/// The next moment is when a pending job that nobody holds is due, or when a lease runs out, whichever comes first.
pub async fn the_next_moment_is_known(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let who = process();
    let next = async || store.next_due(JobKind::ALL.into()).await.expect("answered");
    assert_eq!(next().await, None);
    let late = make(&store, lead, job(JobKind::Mensajeria), t(-500)).await;
    assert_eq!(next().await, Some(t(-500)));
    let pronto = make(&store, lead, job(JobKind::Pdf), t(-900)).await;
    assert_eq!(next().await, Some(t(-900)));
    let lease = Lease { who, lasts: LENGTH };
    store.claim(allotment(JobKind::Pdf, 1), lease, t(0)).await.expect("claimed");
    let with_lease = next().await.expect("something waits");
    assert_ne!(with_lease, t(-900), "what someone holds is not due before its lease ends");
    finish(&store, end(pronto, who, JobOutcome::Done, t(0))).await;
    assert_eq!(next().await, Some(t(-500)));
    store.claim(allotment(JobKind::Mensajeria, 1), lease, t(0)).await.expect("claimed");
    assert!(next().await.is_some(), "a lease may run out");
    finish(&store, end(late, who, JobOutcome::Retry(t(700)), t(0))).await;
    assert_eq!(next().await, Some(t(700)));
    let others = vec![JobKind::Perfil, JobKind::Pdf];
    assert_eq!(store.next_due(others).await.expect("answered"), None, "it is of another kind");
    store.discard(late, t(1), None).await.expect("discarded");
    assert_eq!(next().await, None);
}

/// A job of a kind that is not asked for causes no wake-up, not even when its lease has run out.
pub async fn what_is_held_back_wakes_nobody(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    make(&store, lead, of(JobKind::Perfil, process(), SHORT), t(-500)).await;
    until_due(&store, lead).await;
    let next = async |kind| store.next_due(vec![kind]).await.expect("answered");
    assert_eq!(next(JobKind::Perfil).await, Some(t(-500)));
    assert_eq!(next(JobKind::Pdf).await, None);
}

/// Jobs that wait, are dead or are parked are counted by kind; jobs that ended in another way are not.
pub async fn jobs_are_counted_by_kind_and_state(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let who = process();
    assert_eq!(store.count_jobs().await.expect("counted"), vec![]);
    for (kind, result) in [
        (JobKind::Mensajeria, Some(JobOutcome::Dead)),
        (JobKind::Mensajeria, Some(JobOutcome::Dead)),
        (JobKind::Mensajeria, None),
        (JobKind::Mensajeria, Some(JobOutcome::Retry(t(9)))),
        (JobKind::Mensajeria, Some(JobOutcome::Done)),
        (JobKind::ClientMail, Some(JobOutcome::Parked)),
    ] {
        let id = make(&store, lead, of(kind, who, LENGTH), t(1)).await;
        if let Some(result) = result {
            finish(&store, end(id, who, result, t(2))).await;
        }
    }
    let discarded = make(&store, lead, job(JobKind::Mensajeria), t(1)).await;
    store.discard(discarded, t(2), None).await.expect("discarded");
    let mut counts = store.count_jobs().await.expect("counted");
    counts.sort();
    let count = |kind, state, count| JobCount { kind, state, count };
    let mut expected = vec![
        count(JobKind::Mensajeria, JobState::Pending, 2),
        count(JobKind::Mensajeria, JobState::Dead, 2),
        count(JobKind::ClientMail, JobState::Parked, 1),
    ];
    expected.sort();
    assert_eq!(counts, expected);
}

/// Jobs that are due and could be tried are counted by kind, with the moment from which the oldest is due. Jobs that
/// are for later, held by a process or ended are not counted.
pub async fn due_jobs_are_counted_with_the_oldest(store: Arc<dyn Store>) {
    let (lead, other) = (a_lead(&store).await, other_lead(&store).await);
    let who = process();
    assert_eq!(store.due_jobs(t(99)).await.expect("counted"), vec![]);
    make(&store, lead, job(JobKind::Pdf), t(20)).await;
    make(&store, other, job(JobKind::Pdf), t(10)).await;
    make(&store, lead, job(JobKind::Perfil), t(50)).await;
    make(&store, lead, of(JobKind::Mensajeria, who, LENGTH), t(1)).await;
    let ended = make(&store, lead, job(JobKind::ClientMail), t(1)).await;
    store.discard(ended, t(2), None).await.expect("discarded");
    let pdf = DueJobs { kind: JobKind::Pdf, count: 2, oldest: t(10) };
    assert_eq!(store.due_jobs(t(30)).await.expect("counted"), [pdf]);
    let mut later = store.due_jobs(t(50)).await.expect("counted");
    later.sort();
    let mut expected = vec![pdf, DueJobs { kind: JobKind::Perfil, count: 1, oldest: t(50) }];
    expected.sort();
    assert_eq!(later, expected);
    assert_eq!(take_ids(&store, who, t(30)).await.len(), 2);
    assert_eq!(store.due_jobs(t(30)).await.expect("counted"), vec![], "somebody tries them");
}

/// A job made for later waits until then; a newer one of its kind and lead that is due at once replaces it.
pub async fn a_job_for_later_waits(store: Arc<dyn Store>) {
    let lead = lead_with_notices(&store).await;
    let who = process();
    let then = |second| NewJob { proximo_en: Some(t(second)), ..job(JobKind::FormNotice) };
    let first = make(&store, lead, then(60), t(1)).await;
    assert_eq!(
        (job_of(&store, first).await.proximo_en, job_of(&store, first).await.creado_en),
        (t(60), t(1))
    );
    assert_eq!(store.next_due(vec![JobKind::FormNotice]).await.expect("known"), Some(t(60)));
    assert_eq!(take_ids(&store, who, t(59)).await, []);
    let complete = make(&store, lead, job(JobKind::FormNotice), t(30)).await;
    assert_eq!(state(&store, first).await, JobState::Superseded);
    assert_eq!(take_ids(&store, who, t(90)).await, [complete]);
    let second = make(&store, lead, then(100), t(95)).await;
    assert_eq!(take_ids(&store, who, t(100)).await, [second]);
}

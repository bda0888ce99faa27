//! What a person sees in the outbox and does there: lists, another try, an end, and the purge.

use std::sync::Arc;

use embudo_domain::job::{Job, JobKind, JobState};
use embudo_domain::{JobId, LeadId, ProcessId};
use uuid::Uuid;

use super::data::outbox::{LENGTH, end, finish, job, job_of, make, of, own, process, state, take_ids};
use super::data::{a_lead, micros, other_lead, t};
use embudo_store::Store;
use embudo_store::outbox::{JobOutcome, Lease, NewJob};
use embudo_store::outbox_admin::JobFilter;

fn unknown() -> JobId {
    JobId(Uuid::new_v4())
}

/// A job that ended in this state at `t(2)`.
async fn ended(store: &Arc<dyn Store>, lead: LeadId, at: JobState, who: ProcessId) -> JobId {
    let id = make(store, lead, of(JobKind::ClientMail, who, LENGTH), t(1)).await;
    assert!(store.begin_send(id, who).await.expect("noted"));
    let result = match at {
        JobState::Done => JobOutcome::Done,
        JobState::Dead => JobOutcome::Dead,
        JobState::Parked => JobOutcome::Parked,
        JobState::Expired => JobOutcome::Expired,
        JobState::Superseded => {
            make(store, lead, job(JobKind::ClientMail), t(1) + jiff::SignedDuration::from_millis(1)).await;
            JobOutcome::Retry(t(9))
        }
        JobState::Discarded => {
            store.discard(id, t(2), None).await.expect("discarded");
            return id;
        }
        JobState::Pending => JobOutcome::Retry(t(9)),
    };
    finish(store, end(id, who, result, t(2))).await;
    assert_eq!(state(store, id).await, at);
    id
}

const FAILED: [JobState; 5] =
    [JobState::Dead, JobState::Parked, JobState::Superseded, JobState::Discarded, JobState::Expired];

/// Several jobs come in the order in which they were asked for; unknown ones are left out.
pub async fn several_come_in_the_order_asked(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let mut ids = Vec::new();
    for n in 0..4 {
        ids.push(make(&store, lead, job(JobKind::Mensajeria), t(n)).await);
    }
    let requests = vec![ids[2], unknown(), ids[0], ids[3]];
    let parsed = store.jobs(requests).await.expect("read");
    assert_eq!(parsed.iter().map(|t| t.id).collect::<Vec<_>>(), [ids[2], ids[0], ids[3]]);
    assert_eq!(parsed[0], job_of(&store, ids[2]).await);
    assert_eq!(store.jobs(vec![]).await.expect("read"), vec![]);
    assert_fails!(store.job(unknown()).await, JobNotFound);
}

/// Pages cover every job once, newest first, even if many were made at the same moment; each filter works.
pub async fn lists_cover_everything_once(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let another = other_lead(&store).await;
    let who = process();
    for n in 0..24_i64 {
        let kind = if n % 2 == 0 { JobKind::Mensajeria } else { JobKind::Pdf };
        let whose = if n % 3 == 0 { another } else { lead };
        let id = make(&store, whose, of(kind, who, LENGTH), t(n / 8)).await;
        if n % 4 == 0 {
            finish(&store, end(id, who, JobOutcome::Dead, t(9))).await;
        }
    }
    let mut all = store.list_jobs(JobFilter::default(), None, 1000).await.expect("a list");
    assert_eq!(all.len(), 24);
    assert!(all.is_sorted_by(|a, b| (a.creado_en, a.id) > (b.creado_en, b.id)));
    assert_eq!(store.list_jobs(JobFilter::default(), None, 0).await.expect("a list"), vec![]);
    let state = Some(JobState::Dead);
    let kind = Some(JobKind::Mensajeria);
    for (filter, how_many) in [
        (JobFilter::default(), 24),
        (JobFilter { state, ..Default::default() }, 6),
        (JobFilter { kind, ..Default::default() }, 12),
        (JobFilter { lead: Some(another), ..Default::default() }, 8),
        (JobFilter { state, kind, lead: Some(another) }, 2),
        (JobFilter { state: Some(JobState::Done), ..Default::default() }, 0),
    ] {
        let meets = |t: &Job| {
            filter.state.is_none_or(|e| t.state == e)
                && filter.kind.is_none_or(|kind| t.kind == kind)
                && filter.lead.is_none_or(|l| t.lead == l)
        };
        let expected_ones: Vec<Job> = all.iter().filter(|t| meets(t)).cloned().collect();
        assert_eq!(expected_ones.len(), how_many, "{filter:?}");
        for limit in [1, 5, 24] {
            let (mut parsed, mut cursor) = (Vec::<Job>::new(), None);
            loop {
                let page = store.list_jobs(filter.clone(), cursor, limit).await.expect("a page");
                assert!(page.len() <= limit as usize);
                let Some(last) = page.last() else { break };
                cursor = Some((last.creado_en, last.id));
                parsed.extend(page);
            }
            assert_eq!(parsed, expected_ones, "{filter:?} by {limit}");
        }
    }
    all.reverse();
    assert_eq!(store.jobs(all.iter().map(|t| t.id).collect()).await.expect("read"), all);
}

/// A job that ended without being done can be tried again from the start, and its log is kept; a job that is done
/// cannot.
pub async fn what_failed_can_be_tried_again(store: Arc<dyn Store>) {
    a_lead(&store).await;
    let who = process();
    assert_fails!(store.retry(unknown(), t(3), None).await, JobNotFound);
    for ends in FAILED {
        let lead = other_lead(&store).await;
        let id = ended(&store, lead, ends, who).await;
        let (before, deliveries) = store.job(id).await.expect("it exists");
        store.retry(id, t(20), None).await.expect("again");
        let (read, after) = store.job(id).await.expect("it exists");
        assert_eq!((read.state, read.proximo_en), (JobState::Pending, t(20)), "{ends}");
        assert_eq!((read.intentos, read.en_duda, read.terminado_en), (0, false, None), "{ends}");
        assert_eq!((read.payload, read.creado_en, after), (before.payload, before.creado_en, deliveries));
        assert!(!take_ids(&store, who, t(19)).await.contains(&id), "{ends}");
        assert!(take_ids(&store, who, t(20)).await.contains(&id), "{ends}");
    }
    let lead = other_lead(&store).await;
    let done = ended(&store, lead, JobState::Done, who).await;
    let before = job_of(&store, done).await;
    assert_fails!(store.retry(done, t(3), None).await, JobFinished);
    assert_eq!(job_of(&store, done).await, before);
}

/// A waiting job becomes due now; a job that a process works on stays with that process.
pub async fn what_waits_can_be_hurried(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let who = process();
    let wait = make(&store, lead, of(JobKind::Mensajeria, who, LENGTH), t(1)).await;
    finish(&store, end(wait, who, JobOutcome::Retry(t(1000)), t(2))).await;
    let taken = make(&store, lead, of(JobKind::Mensajeria, who, LENGTH), t(1)).await;
    store.retry(wait, t(5), None).await.expect("hurried");
    store.retry(taken, t(5), None).await.expect("hurried");
    assert_eq!(job_of(&store, wait).await.proximo_en, t(5));
    assert_eq!(take_ids(&store, process(), t(5)).await, [wait]);
    assert!(store.finish(end(taken, who, JobOutcome::Done, t(6))).await.expect("ended"));
}

/// A person can end any job that is not done, for good.
pub async fn a_person_can_end_a_job(store: Arc<dyn Store>) {
    a_lead(&store).await;
    let who = process();
    assert_fails!(store.discard(unknown(), t(3), None).await, JobNotFound);
    for ends in FAILED.into_iter().chain([JobState::Pending]) {
        let lead = other_lead(&store).await;
        let id = ended(&store, lead, ends, who).await;
        store.discard(id, t(8), None).await.expect("discarded");
        let read = job_of(&store, id).await;
        assert_eq!(read.state, JobState::Discarded, "{ends}");
        assert!(read.terminado_en.is_some(), "{ends}");
        if ends == JobState::Pending {
            assert_eq!(read.terminado_en, Some(t(8)));
        }
        assert!(!take_ids(&store, who, t(99)).await.contains(&id), "{ends}");
    }
    let lead = other_lead(&store).await;
    let done = ended(&store, lead, JobState::Done, who).await;
    assert_fails!(store.discard(done, t(8), None).await, JobFinished);
    assert_eq!(state(&store, done).await, JobState::Done);
}

/// A job that a person ends while a process works on it stays ended, whatever that process reports later.
pub async fn an_ended_job_is_taken_from_its_process(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let who = process();
    let id = make(&store, lead, of(JobKind::Perfil, who, LENGTH), t(1)).await;
    store.discard(id, t(2), None).await.expect("discarded");
    let before = job_of(&store, id).await;
    assert_eq!(store.renew(vec![id], Lease { who, lasts: LENGTH }).await.expect("renewed"), vec![]);
    assert!(!store.begin_send(id, who).await.expect("answered"));
    assert!(!store.finish(end(id, who, JobOutcome::Retry(t(9)), t(3))).await.expect("answered"));
    assert_eq!(job_of(&store, id).await, before);
    store.retry(id, t(4), None).await.expect("again");
    assert_eq!(take_ids(&store, process(), t(4)).await, [id], "its old lease is over");
}

/// The purge deletes jobs that ended before a moment, with their logs, up to a given number, and never a job that
/// waits.
pub async fn the_purge_deletes_what_ended_long_ago(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let who = process();
    let cut = micros(t(2).as_microsecond() + 1);
    let mut old = Vec::new();
    for ends in FAILED.into_iter().chain([JobState::Done]) {
        old.push(ended(&store, other_lead(&store).await, ends, who).await);
    }
    let pending = ended(&store, other_lead(&store).await, JobState::Pending, who).await;
    let young = make(&store, lead, of(JobKind::Pdf, who, LENGTH), t(1)).await;
    finish(&store, end(young, who, JobOutcome::Done, cut)).await;
    for (before, max, how_many) in [(t(2), 100, 0), (cut, 0, 0), (cut, 2, 2), (cut, 100, 4), (cut, 9, 0)] {
        assert_eq!(store.purge_jobs(before, max).await.expect("purged"), how_many);
    }
    for id in &old {
        assert_fails!(store.job(*id).await, JobNotFound);
        assert_fails!(store.retry(*id, t(9), None).await, JobNotFound);
    }
    for id in [pending, young] {
        assert_eq!(store.job(id).await.expect("it stays").1.len(), 1);
    }
    // A new job with the id of a purged one has none of its log.
    let again = NewJob { id: old[0], ..job(JobKind::Mensajeria) };
    make(&store, lead, again, t(9)).await;
    assert_eq!(store.job(old[0]).await.expect("made again").1, vec![]);
    assert_eq!(own(&store, lead).await.len(), 2);
}

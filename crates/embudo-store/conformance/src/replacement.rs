//! A newer job makes an older one that still waits pointless: only of its kind and lead, only while nobody works on it.

use std::sync::Arc;

use embudo_domain::JobId;
use embudo_domain::job::{JobKind, JobState};

use super::data::outbox::{
    LENGTH, SHORT, end, finish, job, job_of, lead_with_notices, make, of, process, state, take_ids, until_due,
};
use super::data::{create, ingesta, new_lead, other_lead, t};
use embudo_store::Store;
use embudo_store::lead_writes::Ingest;
use embudo_store::leads::CreateLead;
use embudo_store::outbox::{JobAttemptEnd, JobOutcome};

/// A newer job ends older ones of its kind that wait, if the kind is one of those; others stand side by side.
pub async fn a_newer_one_replaces_those_that_wait(store: Arc<dyn Store>) {
    let lead = lead_with_notices(&store).await;
    for kind in JobKind::ALL {
        let old = make(&store, lead, job(kind), t(1)).await;
        let new = make(&store, lead, job(kind), t(2)).await;
        let read = job_of(&store, old).await;
        if kind.is_superseded_by_newer() {
            assert_eq!((read.state, read.terminado_en), (JobState::Superseded, Some(t(2))), "{kind}");
        } else {
            assert_eq!((read.state, read.terminado_en), (JobState::Pending, None), "{kind}");
        }
        assert_eq!(state(&store, new).await, JobState::Pending, "{kind}");
    }
    // The newer one of each kind, and the older one where it stands beside it.
    let wait =
        JobKind::ALL.into_iter().map(|kind| if kind.is_superseded_by_newer() { 1 } else { 2 }).sum::<usize>();
    assert_eq!(take_ids(&store, process(), t(9)).await.len(), wait);
}

/// Every command replaces: an ingestion, the end of an attempt, and not the creation of another lead.
pub async fn every_command_replaces(store: Arc<dyn Store>) {
    let lead = lead_with_notices(&store).await;
    let who = process();
    let one = make(&store, lead, job(JobKind::Perfil), t(1)).await;
    create(&store, CreateLead { jobs: vec![job(JobKind::Perfil)], ..new_lead("Eva") }).await;
    assert_eq!(state(&store, one).await, JobState::Pending);
    let two = job(JobKind::Perfil);
    let two_id = two.id;
    store.ingest(Ingest { jobs: vec![two], ..ingesta(lead, vec![], t(2)) }).await.expect("saved");
    assert_eq!(state(&store, one).await, JobState::Superseded);
    let notice = make(&store, lead, of(JobKind::EmpresaMail, who, LENGTH), t(3)).await;
    let jobs = vec![job(JobKind::Perfil)];
    finish(&store, JobAttemptEnd { jobs, ..end(notice, who, JobOutcome::Done, t(4)) }).await;
    assert_eq!(state(&store, two_id).await, JobState::Superseded);
}

/// Another lead's job, another kind and a job that someone works on are left alone; a lease that ran out protects
/// nothing.
pub async fn only_what_waits_is_replaced(store: Arc<dyn Store>) {
    let lead = lead_with_notices(&store).await;
    let another = other_lead(&store).await;
    let who = process();
    let alive = make(&store, lead, of(JobKind::Perfil, who, LENGTH), t(1)).await;
    let overdue = make(&store, lead, of(JobKind::Perfil, who, SHORT), t(1)).await;
    until_due(&store, lead).await;
    let foreign = make(&store, another, job(JobKind::Perfil), t(1)).await;
    let different = make(&store, lead, job(JobKind::Pdf), t(1)).await;
    let new = make(&store, lead, of(JobKind::Perfil, who, LENGTH), t(2)).await;
    let now = async |id| state(&store, id).await;
    assert_eq!(now(alive).await, JobState::Pending);
    assert_eq!(now(overdue).await, JobState::Superseded);
    for id in [foreign, different, new] {
        assert_eq!(now(id).await, JobState::Pending);
    }
    // A process that comes late with what became of the replaced one is not heard.
    assert!(!store.finish(end(overdue, who, JobOutcome::Done, t(3))).await.expect("answered"));
    assert_eq!(now(overdue).await, JobState::Superseded);
}

pub async fn what_has_ended_stays_so(store: Arc<dyn Store>) {
    let lead = lead_with_notices(&store).await;
    let who = process();
    let mut finishes: Vec<(JobId, JobState)> = Vec::new();
    for (result, ends) in [
        (JobOutcome::Done, JobState::Done),
        (JobOutcome::Dead, JobState::Dead),
        (JobOutcome::Parked, JobState::Parked),
    ] {
        let id = make(&store, lead, of(JobKind::ClientMail, who, LENGTH), t(1)).await;
        finish(&store, end(id, who, result, t(2))).await;
        finishes.push((id, ends));
    }
    let id = make(&store, lead, job(JobKind::ClientMail), t(1)).await;
    store.discard(id, t(2), None).await.expect("discarded");
    finishes.push((id, JobState::Discarded));
    make(&store, lead, job(JobKind::ClientMail), t(3)).await;
    for (id, ends) in finishes {
        let read = job_of(&store, id).await;
        assert_eq!((read.state, read.terminado_en), (ends, Some(t(2))));
    }
}

/// A job that someone worked on while a newer one was made is not tried again: it ends as replaced. Kinds that stand
/// side by side are.
pub async fn a_failed_attempt_gives_way_to_a_newer_one(store: Arc<dyn Store>) {
    let lead = lead_with_notices(&store).await;
    let who = process();
    for kind in JobKind::ALL {
        let old = make(&store, lead, of(kind, who, LENGTH), t(1)).await;
        let new = make(&store, lead, of(kind, who, LENGTH), t(2)).await;
        // The newer one counts also when it was already accepted.
        if kind == JobKind::Perfil {
            finish(&store, end(new, who, JobOutcome::Done, t(3))).await;
        }
        finish(&store, end(old, who, JobOutcome::Retry(t(60)), t(4))).await;
        let (read, deliveries) = store.job(old).await.expect("it exists");
        assert_eq!((read.intentos, deliveries.len()), (1, 1), "{kind}");
        if kind.is_superseded_by_newer() {
            assert_eq!((read.state, read.terminado_en), (JobState::Superseded, Some(t(4))), "{kind}");
        } else {
            assert_eq!((read.state, read.proximo_en), (JobState::Pending, t(60)), "{kind}");
        }
    }
}

/// A newer job of another lead or of another kind, or an older one, takes no place.
pub async fn a_failed_attempt_without_a_newer_one_is_tried_again(store: Arc<dyn Store>) {
    let lead = lead_with_notices(&store).await;
    let another = other_lead(&store).await;
    let who = process();
    let old = make(&store, lead, of(JobKind::Pdf, who, LENGTH), t(1)).await;
    let new = make(&store, lead, of(JobKind::Pdf, who, LENGTH), t(2)).await;
    make(&store, another, job(JobKind::Pdf), t(3)).await;
    make(&store, lead, job(JobKind::Perfil), t(3)).await;
    finish(&store, end(new, who, JobOutcome::Retry(t(60)), t(4))).await;
    assert_eq!(state(&store, new).await, JobState::Pending);
    assert_eq!(state(&store, old).await, JobState::Pending);
}

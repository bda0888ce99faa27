//! A newer job supersedes an older one that still waits: only of the same kind and lead, and only while no process
//! works on the older one.

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

/// A newer job ends older waiting jobs of its kind, if jobs of that kind supersede each other; jobs of other kinds are
/// kept together.
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
    // The newer job of each kind, and also the older one if its kind is not superseded.
    let wait =
        JobKind::ALL.into_iter().map(|kind| if kind.is_superseded_by_newer() { 1 } else { 2 }).sum::<usize>();
    assert_eq!(take_ids(&store, process(), t(9)).await.len(), wait);
}

/// Every command supersedes: an ingestion and the end of an attempt do; the creation of another lead does not.
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

/// Another lead's job, a job of another kind and a job that a process works on are left alone; an expired lease
/// protects nothing.
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
    // The late report of a process about its superseded job is ignored.
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

/// If a newer job is made while a process works on the older one, a failed attempt is not tried again: the older job
/// ends as superseded. Kinds that are not superseded are tried again.
pub async fn a_failed_attempt_gives_way_to_a_newer_one(store: Arc<dyn Store>) {
    let lead = lead_with_notices(&store).await;
    let who = process();
    for kind in JobKind::ALL {
        let old = make(&store, lead, of(kind, who, LENGTH), t(1)).await;
        let new = make(&store, lead, of(kind, who, LENGTH), t(2)).await;
        // The newer job also counts if it was accepted already.
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

/// A newer job of another lead or of another kind supersedes nothing, and neither does an older one.
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

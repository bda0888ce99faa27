//! Paused destinations: the jobs that wait for them cost no attempt, are looked at once, and continue where they were
//! when the destination is resumed.

use std::sync::Arc;

use embudo_domain::audit::AuditEntry;
use embudo_domain::job::{Destination, HELD, JobKind};
use embudo_domain::{EmpresaId, LeadId};

use super::data::access::entry;
use super::data::outbox::{
    LENGTH, SHORT, end, finish, job, job_of, make, of, own, process, take_ids, until_due,
};
use super::data::{a_lead, create, empresa, new_lead, other_lead, record, t};
use embudo_store::Store;
use embudo_store::audit::AuditFilter;
use embudo_store::leads::CreateLead;
use embudo_store::outbox::{JobOutcome, NewJob};
use embudo_store::pauses::{Pause, SetPause};

fn set(empresa: EmpresaId, destination: Destination, secs: i64) -> SetPause {
    let audit = AuditEntry { empresa: Some(empresa), ..entry(None, secs) };
    SetPause { empresa, kinds: destination.kinds(), at: t(secs), audit }
}

async fn company_of(store: &Arc<dyn Store>, lead: LeadId) -> EmpresaId {
    record(store, lead).await.lead.empresa.id
}

/// A pause reads back; a second pause does not replace the first; resuming removes it; each leaves its entry in the
/// log.
pub async fn a_pause_reads_back(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let empresa = company_of(&store, lead).await;
    assert_eq!(store.pauses(empresa).await.expect("read"), vec![]);
    store.pause(set(empresa, Destination::Mail, 1)).await.expect("paused");
    store.pause(set(empresa, Destination::Mail, 2)).await.expect("paused again");
    store.pause(set(empresa, Destination::Pdf, 3)).await.expect("paused");
    store.pause(set(empresa, Destination::Events, 3)).await.expect("paused");
    let mut pauses = store.pauses(empresa).await.expect("read");
    pauses.sort_by_key(|pause| pause.kind);
    let expected = [
        (JobKind::Pdf, 3),
        (JobKind::ClientMail, 1),
        (JobKind::EmpresaMail, 1),
        (JobKind::FormNotice, 1),
        (JobKind::PersonNotice, 1),
        (JobKind::FormReceipt, 1),
        (JobKind::Reminder, 1),
        (JobKind::VisitaMail, 1),
        (JobKind::ReplyMail, 1),
        (JobKind::AcceptanceMail, 1),
        (JobKind::Event, 3),
    ];
    let expected = expected.map(|(kind, at)| Pause { kind, since: t(at), who: "Ana".into() });
    assert_eq!(pauses, expected);
    let other = self::empresa("Otra");
    store.create_empresa(other.clone(), t(0)).await.expect("created");
    let other = other.id;
    store.pause(set(other, Destination::Pdf, 3)).await.expect("paused");
    let mut kinds = store.paused_kinds().await.expect("read");
    kinds.sort();
    let mut of_all: Vec<_> = expected.iter().map(|pause| (empresa, pause.kind)).collect();
    of_all.push((other, JobKind::Pdf));
    of_all.sort();
    assert_eq!(kinds, of_all);
    assert_eq!(store.pauses(EmpresaId(uuid::Uuid::new_v4())).await.expect("read"), vec![]);
    store.resume(set(empresa, Destination::Mail, 4)).await.expect("resumed");
    store.resume(set(empresa, Destination::Mail, 5)).await.expect("resumed again");
    let mut left: Vec<JobKind> =
        store.pauses(empresa).await.expect("read").into_iter().map(|pause| pause.kind).collect();
    left.sort();
    assert_eq!(left, [JobKind::Pdf, JobKind::Event]);
    let filter = AuditFilter { empresa: Some(empresa), ..Default::default() };
    assert_eq!(store.audit_log(filter, None, 100).await.expect("read").len(), 6);
}

/// A claim holds jobs of paused destinations without an attempt, takes the jobs behind them, and finds the held ones
/// again after a resumption.
pub async fn what_is_paused_waits(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let empresa = company_of(&store, lead).await;
    let first = make(&store, lead, job(JobKind::Mensajeria), t(1)).await;
    let second = make(&store, lead, job(JobKind::Mensajeria), t(2)).await;
    let free = make(&store, lead, job(JobKind::Pdf), t(3)).await;
    store.pause(set(empresa, Destination::Mensajeria, 4)).await.expect("paused");
    assert_eq!(take_ids(&store, process(), t(9)).await, [free]);
    assert_eq!(take_ids(&store, process(), t(9)).await, []);
    for id in [first, second] {
        let read = job_of(&store, id).await;
        assert!(read.is_held() && read.proximo_en == HELD, "{read:?}");
        assert_eq!((read.intentos, read.ultimo_error), (0, None));
    }
    let late = make(&store, lead, job(JobKind::Mensajeria), t(5)).await;
    let later = NewJob { proximo_en: Some(t(500)), ..job(JobKind::Mensajeria) };
    let later = make(&store, lead, later, t(5)).await;
    store.resume(set(empresa, Destination::Mensajeria, 20)).await.expect("resumed");
    assert_eq!(job_of(&store, first).await.proximo_en, t(20));
    let mut due = [first, second, late];
    due.sort();
    assert_eq!(take_ids(&store, process(), t(20)).await, due);
    assert_eq!(job_of(&store, later).await.proximo_en, t(500), "what was not due keeps its moment");
}

/// A pause counts for one company and one destination only.
pub async fn a_pause_is_one_companys(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let company = company_of(&store, lead).await;
    let other = empresa("Otra casa");
    store.create_empresa(other.clone(), t(0)).await.expect("created");
    let theirs = create(&store, CreateLead { empresa: Some(other.id), ..new_lead("Eva") }).await;
    let mine = make(&store, lead, job(JobKind::Mensajeria), t(1)).await;
    let foreign = make(&store, theirs, job(JobKind::Mensajeria), t(2)).await;
    let mail = make(&store, lead, job(JobKind::ClientMail), t(3)).await;
    store.pause(set(company, Destination::Mensajeria, 4)).await.expect("paused");
    let mut free = [foreign, mail];
    free.sort();
    assert_eq!(take_ids(&store, process(), t(9)).await, free);
    store.resume(set(other.id, Destination::Mensajeria, 10)).await.expect("nothing to resume");
    assert_eq!(take_ids(&store, process(), t(99)).await, []);
    store.resume(set(company, Destination::Mensajeria, 11)).await.expect("resumed");
    assert_eq!(take_ids(&store, process(), t(99)).await, [mine]);
}

/// A process can hold jobs that it has just made; jobs that are not paused are given back, and jobs of other processes
/// are left alone.
pub async fn a_process_holds_its_own(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let empresa = company_of(&store, lead).await;
    let (me, other) = (process(), process());
    let paused = make(&store, lead, of(JobKind::Mensajeria, me, LENGTH), t(1)).await;
    let free = make(&store, lead, of(JobKind::Pdf, me, LENGTH), t(1)).await;
    let foreign = make(&store, lead, of(JobKind::Mensajeria, other, LENGTH), t(1)).await;
    store.pause(set(empresa, Destination::Mensajeria, 2)).await.expect("paused");
    store.hold(vec![paused, free, foreign], me).await.expect("held");
    store.hold(vec![], me).await.expect("nothing");
    assert!(job_of(&store, paused).await.is_held());
    assert!(!store.finish(end(paused, me, JobOutcome::Done, t(3))).await.expect("answered"), "given back");
    assert_eq!(take_ids(&store, other, t(9)).await, [free]);
    // A running attempt goes on, and its job waits afterwards.
    finish(&store, end(foreign, other, JobOutcome::Retry(t(5)), t(3))).await;
    assert_eq!(job_of(&store, foreign).await.proximo_en, t(5));
    assert_eq!(take_ids(&store, other, t(9)).await, []);
    assert_eq!((job_of(&store, foreign).await.intentos, job_of(&store, foreign).await.is_held()), (1, true));
}

/// A held job can be ended, replaced and hurried; a hurried job is held again.
pub async fn what_is_held_can_be_ended(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let empresa = company_of(&store, lead).await;
    store.pause(set(empresa, Destination::Pdf, 1)).await.expect("paused");
    let old = make(&store, lead, job(JobKind::Pdf), t(1)).await;
    assert_eq!(take_ids(&store, process(), t(9)).await, []);
    let new = make(&store, lead, job(JobKind::Pdf), t(2)).await;
    assert_eq!(job_of(&store, old).await.terminado_en, Some(t(2)), "a newer one took its place");
    assert_eq!(take_ids(&store, process(), t(9)).await, []);
    store.retry(new, t(10), None).await.expect("hurried");
    assert_eq!(job_of(&store, new).await.proximo_en, t(10));
    assert_eq!(take_ids(&store, process(), t(10)).await, []);
    store.discard(new, t(11), None).await.expect("ended");
    store.resume(set(empresa, Destination::Pdf, 12)).await.expect("resumed");
    assert_eq!(take_ids(&store, process(), t(99)).await, []);
}

/// Jobs after an expired lease and first attempts are held like all others, and cause no wake-up.
pub async fn every_way_to_be_due_is_held(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let empresa = company_of(&store, lead).await;
    let lapsed = make(&store, lead, of(JobKind::Pdf, process(), SHORT), t(1)).await;
    until_due(&store, lead).await;
    let fresh = make(&store, other_lead(&store).await, job(JobKind::Pdf), t(1)).await;
    store.pause(set(empresa, Destination::Pdf, 1)).await.expect("paused");
    let first = super::data::outbox::allotment(JobKind::Pdf, 1)
        .into_iter()
        .map(|a| embudo_store::outbox::Allotment { first_attempts_only: true, ..a });
    let lease = embudo_store::outbox::Lease { who: process(), lasts: LENGTH };
    assert_eq!(store.claim(first.collect(), lease, t(9)).await.expect("claimed"), vec![]);
    assert_eq!(take_ids(&store, process(), t(9)).await, []);
    assert!(job_of(&store, lapsed).await.is_held() && job_of(&store, fresh).await.is_held());
    assert_eq!(store.next_due(vec![JobKind::Pdf]).await.expect("answered"), Some(HELD));
    assert_eq!(own(&store, lead).await.len(), 2);
}

/// A claim that races with a resumption leaves no job held.
pub async fn a_claim_and_a_resumption_never_leave_one_held(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let empresa = company_of(&store, lead).await;
    for n in 0..30 {
        let id = make(&store, lead, job(JobKind::Mensajeria), t(n)).await;
        store.pause(set(empresa, Destination::Mensajeria, n)).await.expect("paused");
        let claim = {
            let store = store.clone();
            tokio::spawn(async move { take_ids(&store, process(), t(1_000)).await })
        };
        store.resume(set(empresa, Destination::Mensajeria, n)).await.expect("resumed");
        let mut taken = claim.await.expect("it ends");
        taken.extend(take_ids(&store, process(), t(1_000)).await);
        assert_eq!(taken, [id], "round {n}");
    }
}

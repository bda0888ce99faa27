//! A company's outbox as its people see it, and what they do there beyond another try and an end.

use std::sync::Arc;

use embudo_domain::job::{Destination, JobKind, JobStanding, JobState};
use embudo_domain::{EmpresaId, JobId, LeadId, ProcessId, Timestamp};
use uuid::Uuid;

use super::data::access::entry;
use super::data::outbox::{
    LENGTH, end, finish, job, job_of, lead_with_notices, make, of, own, process, take_ids,
};
use super::data::{a_lead, create, empresa, new_lead, other_lead, record, t};
use embudo_store::Store;
use embudo_store::audit::AuditFilter;
use embudo_store::empresas::EmpresaPatch;
use embudo_store::leads::CreateLead;
use embudo_store::outbox::JobOutcome;
use embudo_store::outbox_admin::{ListedJob, MOST_STOPPED, OutboxFilter, RepeatJob, StandingCount};
use embudo_store::pauses::SetPause;

fn all_of(empresa: EmpresaId) -> OutboxFilter {
    OutboxFilter { empresa, standing: None, kind: None }
}

async fn company_of(store: &Arc<dyn Store>, lead: LeadId) -> EmpresaId {
    record(store, lead).await.lead.empresa.id
}

/// How many entries the audit log has.
async fn audit_lines(store: &Arc<dyn Store>) -> usize {
    store.audit_log(AuditFilter::default(), None, 1_000).await.expect("read").len()
}

/// A job that ended with this outcome.
async fn ended(
    store: &Arc<dyn Store>,
    lead: LeadId,
    kind: JobKind,
    who: ProcessId,
    result: JobOutcome,
) -> JobId {
    let id = make(store, lead, of(kind, who, LENGTH), t(1)).await;
    finish(store, end(id, who, result, t(2))).await;
    id
}

fn repeat(id: JobId, secs: i64) -> RepeatJob {
    RepeatJob { id, new: JobId(Uuid::new_v4()), at: t(secs), audit: entry(None, secs) }
}

/// The list shows each job with its standing and its lead's name, and none of another company; pages cover every job
/// once.
pub async fn a_list_shows_where_jobs_stand(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let company = company_of(&store, lead).await;
    let other = empresa("Otra casa");
    store.create_empresa(other.clone(), t(0)).await.expect("created");
    let theirs = create(&store, CreateLead { empresa: Some(other.id), ..new_lead("Eva") }).await;
    let (who, now) = (process(), Timestamp::now());
    let foreign = make(&store, theirs, job(JobKind::Mensajeria), t(1)).await;
    let pause =
        SetPause { empresa: company, kinds: Destination::Pdf.kinds(), at: t(1), audit: entry(None, 1) };
    store.pause(pause).await.expect("paused");
    let dropped = make(&store, lead, job(JobKind::Mensajeria), t(3)).await;
    store.discard(dropped, t(4), None).await.expect("ended");
    let replaced = make(&store, other_lead(&store).await, job(JobKind::ClientMail), t(2)).await;
    let of_replaced = job_of(&store, replaced).await.lead;
    let expected = [
        (make(&store, lead, job(JobKind::Mensajeria), t(5)).await, JobStanding::Waiting),
        (make(&store, of_replaced, job(JobKind::ClientMail), t(5)).await, JobStanding::Waiting),
        (make(&store, lead, of(JobKind::Mensajeria, who, LENGTH), t(5)).await, JobStanding::Running),
        (ended(&store, lead, JobKind::Mensajeria, who, JobOutcome::Retry(t(60))).await, JobStanding::Failing),
        (make(&store, lead, job(JobKind::Pdf), t(5)).await, JobStanding::Paused),
        (ended(&store, lead, JobKind::Mensajeria, who, JobOutcome::Dead).await, JobStanding::Dead),
        (ended(&store, lead, JobKind::ClientMail, who, JobOutcome::Parked).await, JobStanding::Parked),
        (ended(&store, lead, JobKind::Mensajeria, who, JobOutcome::Done).await, JobStanding::Done),
        (replaced, JobStanding::Superseded),
        (dropped, JobStanding::Discarded),
    ];
    let list = store.list_outbox(all_of(company), now, None, 100).await.expect("a list");
    assert!(list.is_sorted_by(|a, b| (a.creado_en, a.id) > (b.creado_en, b.id)));
    assert_eq!(list.len(), expected.len());
    for (id, standing) in expected {
        let listed = list.iter().find(|l| l.id == id).expect("it is listed");
        assert_eq!(listed.standing, standing);
        assert_eq!(store.listed_job(id, now).await.expect("read"), *listed);
        let kept = job_of(&store, id).await;
        let lead = record(&store, kept.lead).await.lead;
        let whole = ListedJob {
            id,
            lead: lead.id,
            nombre: Some(lead.nombre),
            empresa: company,
            kind: kept.kind,
            standing,
            intentos: kept.intentos,
            proximo_en: kept.proximo_en,
            ultimo_error: kept.ultimo_error,
            creado_en: kept.creado_en,
            terminado_en: kept.terminado_en,
        };
        assert_eq!(*listed, whole);
    }
    assert_eq!(store.listed_job(foreign, now).await.expect("read").empresa, other.id);
    assert_fails!(store.listed_job(JobId(Uuid::new_v4()), now).await, JobNotFound);
    let standings = JobStanding::WORDS.iter().map(|word| JobStanding::parse(word));
    for standing in standings.chain([None]) {
        for kind in [None, Some(JobKind::Mensajeria)] {
            let filter = OutboxFilter { standing, kind, ..all_of(company) };
            let meets = |l: &&ListedJob| {
                standing.is_none_or(|s| l.standing == s) && kind.is_none_or(|kind| l.kind == kind)
            };
            let wanted: Vec<ListedJob> = list.iter().filter(meets).cloned().collect();
            let (mut read, mut after) = (Vec::new(), None);
            loop {
                let page = store.list_outbox(filter.clone(), now, after, 2).await.expect("a page");
                let Some(last) = page.last() else { break };
                after = Some((last.creado_en, last.id));
                read.extend(page);
            }
            assert_eq!(read, wanted, "{filter:?}");
        }
    }
    let mut counts = store.count_outbox(company, now).await.expect("counted");
    counts.sort();
    let two = |standing| if standing == JobStanding::Waiting { 2 } else { 1 };
    let standings = JobStanding::WORDS.iter().filter_map(|word| JobStanding::parse(word));
    // Only replies expire, and there is none here.
    let standings = standings.filter(|standing| *standing != JobStanding::Expired);
    let expected: Vec<StandingCount> =
        standings.map(|standing| StandingCount { standing, count: two(standing) }).collect();
    assert_eq!(counts, expected);
    let of_others = store.count_outbox(other.id, now).await.expect("counted");
    assert_eq!(of_others, [StandingCount { standing: JobStanding::Waiting, count: 1 }]);
}

/// Jobs that wait for a person are counted per company, up to a maximum.
pub async fn what_waits_for_a_person_is_counted(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let (company, who) = (company_of(&store, lead).await, process());
    assert_eq!(store.count_stopped(company).await.expect("counted"), 0);
    ended(&store, lead, JobKind::Mensajeria, who, JobOutcome::Dead).await;
    ended(&store, lead, JobKind::ClientMail, who, JobOutcome::Parked).await;
    ended(&store, lead, JobKind::Mensajeria, who, JobOutcome::Done).await;
    make(&store, lead, job(JobKind::Mensajeria), t(1)).await;
    assert_eq!(store.count_stopped(company).await.expect("counted"), 2);
    assert_eq!(store.count_stopped(EmpresaId(Uuid::new_v4())).await.expect("counted"), 0);
    for _ in 0..MOST_STOPPED {
        ended(&store, lead, JobKind::Mensajeria, who, JobOutcome::Dead).await;
    }
    assert_eq!(store.count_stopped(company).await.expect("counted"), u64::from(MOST_STOPPED));
}

/// What people do has its entry in the log, written with the change or not at all.
pub async fn what_people_do_is_told(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let who = process();
    let dead = ended(&store, lead, JobKind::Mensajeria, who, JobOutcome::Dead).await;
    let done = ended(&store, lead, JobKind::Mensajeria, who, JobOutcome::Done).await;
    store.retry(dead, t(5), Some(entry(None, 5))).await.expect("again");
    store.discard(dead, t(6), Some(entry(None, 6))).await.expect("ended");
    assert_eq!(audit_lines(&store).await, 2);
    assert_fails!(store.retry(done, t(7), Some(entry(None, 7))).await, JobFinished);
    assert_fails!(store.discard(done, t(7), Some(entry(None, 7))).await, JobFinished);
    assert_fails!(store.discard(JobId(Uuid::new_v4()), t(7), Some(entry(None, 7))).await, JobNotFound);
    assert_eq!(audit_lines(&store).await, 2);
}

/// Only a parked job can be declared as sent; then it is done and no longer in doubt.
pub async fn a_parked_mail_can_be_taken_as_sent(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let who = process();
    let id = make(&store, lead, of(JobKind::ClientMail, who, LENGTH), t(1)).await;
    assert!(store.begin_send(id, who).await.expect("noted"));
    assert!(!store.take_as_sent(id, t(2), entry(None, 2)).await.expect("answered"), "it runs");
    finish(&store, end(id, who, JobOutcome::Parked, t(2))).await;
    assert!(job_of(&store, id).await.en_duda);
    assert!(store.take_as_sent(id, t(3), entry(None, 3)).await.expect("taken"));
    let read = job_of(&store, id).await;
    assert_eq!((read.state, read.en_duda, read.terminado_en), (JobState::Done, false, Some(t(3))));
    assert!(!store.take_as_sent(id, t(4), entry(None, 4)).await.expect("answered"));
    assert!(!store.take_as_sent(JobId(Uuid::new_v4()), t(4), entry(None, 4)).await.expect("answered"));
    assert_eq!(audit_lines(&store).await, 1);
}

/// A job that is done is sent again by a new job that has the same content and names the old one.
pub async fn what_was_done_can_be_sent_again(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let who = process();
    let old = ended(&store, lead, JobKind::Mensajeria, who, JobOutcome::Done).await;
    let before = job_of(&store, old).await;
    let command = repeat(old, 10);
    let new = command.new;
    assert!(store.repeat_job(command).await.expect("made"));
    let read = job_of(&store, new).await;
    assert_eq!((read.repeats, read.state, read.proximo_en), (Some(old), JobState::Pending, t(10)));
    assert_eq!(
        (read.lead, read.empresa, read.kind, &read.payload),
        (lead, before.empresa, before.kind, &before.payload)
    );
    assert_eq!((read.intentos, read.creado_en, job_of(&store, old).await), (0, t(10), before));
    assert_eq!(take_ids(&store, who, t(10)).await, [new]);
    assert!(!store.repeat_job(repeat(new, 11)).await.expect("answered"), "it is not done");
    assert!(store.repeat_job(repeat(old, 12)).await.expect("made"), "as often as wanted");
    assert_fails!(store.repeat_job(repeat(JobId(Uuid::new_v4()), 12)).await, JobNotFound);
    assert_eq!(audit_lines(&store).await, 2);
    assert_eq!(own(&store, lead).await.len(), 3);
}

/// A job that was superseded by a newer one is not sent again, nor is a notice that nobody wants any more.
pub async fn what_is_outdated_is_not_sent_again(store: Arc<dyn Store>) {
    let lead = lead_with_notices(&store).await;
    let who = process();
    let old = ended(&store, lead, JobKind::ClientMail, who, JobOutcome::Done).await;
    let new = ended(&store, lead, JobKind::ClientMail, who, JobOutcome::Done).await;
    let notice = ended(&store, lead, JobKind::EmpresaMail, who, JobOutcome::Done).await;
    assert!(!store.repeat_job(repeat(old, 5)).await.expect("answered"));
    assert!(store.repeat_job(repeat(new, 5)).await.expect("made"));
    let company = company_of(&store, lead).await;
    let quiet = EmpresaPatch { notices: Some(false), ..Default::default() };
    store.update_empresa(company, quiet).await.expect("changed");
    assert!(!store.repeat_job(repeat(notice, 6)).await.expect("answered"));
    assert_eq!(audit_lines(&store).await, 1);
}

//! The end of an attempt is written as a whole: the job, its log, the lead's history and the jobs that follow.

use std::sync::Arc;

use embudo_domain::JobId;
use embudo_domain::event::EventKind;
use embudo_domain::job::{Delivery, Job, JobKind, JobState};
use tokio::task::JoinSet;

use super::data::outbox::{
    LENGTH, end, failed_delivery, finish, good_delivery, job, job_of, lead_with_notices, make, of, own,
    process, take, take_ids, watched_loop,
};
use super::data::{ODD_TEXT, a_lead, event, extreme_instants, long_text, record, t};
use embudo_store::Store;
use embudo_store::outbox::{JobAttemptEnd, JobOutcome};

/// Each outcome leaves the job in the right state, with the attempt counted, and held by no process.
pub async fn each_outcome_leaves_its_state(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let who = process();
    for (result, state) in [
        (JobOutcome::Done, JobState::Done),
        (JobOutcome::Retry(t(60)), JobState::Pending),
        (JobOutcome::Dead, JobState::Dead),
        (JobOutcome::Parked, JobState::Parked),
        (JobOutcome::Discarded, JobState::Discarded),
        (JobOutcome::Expired, JobState::Expired),
    ] {
        let id = make(&store, lead, of(JobKind::Mensajeria, who, LENGTH), t(1)).await;
        let before = job_of(&store, id).await;
        finish(&store, end(id, who, result, t(3))).await;
        let pending = state == JobState::Pending;
        let expected = Job {
            state,
            intentos: 1,
            proximo_en: job_of(&store, id).await.proximo_en,
            ultimo_error: (result != JobOutcome::Done).then(|| "rechazado".to_owned()),
            terminado_en: (!pending).then_some(t(3)),
            ..before
        };
        assert_eq!(job_of(&store, id).await, expected);
        if pending {
            assert_eq!(expected.proximo_en, t(60));
        }
        assert!(!store.finish(end(id, who, JobOutcome::Done, t(4))).await.expect("answered"), "freed");
        assert_eq!(job_of(&store, id).await, expected);
    }
    assert_eq!(take(&store, who, t(59)).await, vec![]);
    assert_eq!(take(&store, who, t(60)).await.len(), 1);
}

/// Only the holder of a job can end its attempt, and a refused end leaves nothing behind.
pub async fn only_its_holder_is_heard(store: Arc<dyn Store>) {
    let lead = lead_with_notices(&store).await;
    let (me, other) = (process(), process());
    let mine = make(&store, lead, of(JobKind::Perfil, me, LENGTH), t(1)).await;
    let of_nobody = make(&store, lead, job(JobKind::Mensajeria), t(1)).await;
    let before = (record(&store, lead).await, own(&store, lead).await);
    for (id, who) in [(mine, other), (of_nobody, other), (JobId(uuid::Uuid::new_v4()), me)] {
        let late = JobAttemptEnd {
            event: Some(event(EventKind::PerfilComplete, t(2))),
            watched_loop: Some(Default::default()),
            jobs: vec![job(JobKind::EmpresaMail)],
            ..end(id, who, JobOutcome::Done, t(2))
        };
        assert!(!store.finish(late).await.expect("answered"));
        assert_eq!((record(&store, lead).await, own(&store, lead).await), before);
    }
    assert_eq!(store.job(mine).await.expect("it exists").1, vec![]);
    assert_eq!(watched_loop(&store, lead).await, None);
}

/// Attempts are counted, and the log keeps their order and all their text.
pub async fn the_log_keeps_every_attempt(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let who = process();
    let id = make(&store, lead, of(JobKind::Perfil, who, LENGTH), t(1)).await;
    let mut deliveries = vec![
        Delivery { duracion_ms: 30_001, ..failed_delivery(t(9), ODD_TEXT) },
        Delivery { status: Some(599), answer: Some(String::new()), ..failed_delivery(t(1), "") },
        Delivery { duracion_ms: 1 << 40, answer: Some(long_text(65_536)), ..failed_delivery(t(1), "x") },
    ];
    deliveries.extend(extreme_instants().into_iter().map(|at| failed_delivery(at, "otra vez")));
    deliveries.push(good_delivery(t(5)));
    let last = deliveries.len() - 1;
    for (n, delivery) in deliveries.iter().enumerate() {
        let result = if n == last { JobOutcome::Done } else { JobOutcome::Retry(t(1)) };
        finish(&store, JobAttemptEnd { delivery: delivery.clone(), ..end(id, who, result, t(1)) }).await;
        let read = job_of(&store, id).await;
        let error = deliveries[..=n].iter().rfind(|e| !e.ok).and_then(|e| e.error.clone());
        assert_eq!((read.intentos as usize, read.ultimo_error), (n + 1, error));
        if n < last {
            assert_eq!(take_ids(&store, who, t(1)).await, [id]);
        }
    }
    assert!(store.job(id).await.expect("it exists").1 == deliveries);
}

/// With the end of an attempt, the lead's history gets its event and the outbox the jobs that follow.
pub async fn history_and_follow_ups_come_with_it(store: Arc<dyn Store>) {
    let lead = lead_with_notices(&store).await;
    let who = process();
    let id = make(&store, lead, of(JobKind::Perfil, who, LENGTH), t(1)).await;
    let before = record(&store, lead).await.lead;
    let past = event(EventKind::PerfilComplete, t(3));
    let (notice, start) = (job(JobKind::EmpresaMail), of(JobKind::Mensajeria, who, LENGTH));
    let new_ones = [notice.id, start.id];
    let command = JobAttemptEnd {
        event: Some(past.clone()),
        jobs: vec![notice, start],
        ..end(id, who, JobOutcome::Dead, t(4))
    };
    finish(&store, command).await;
    assert_eq!(record(&store, lead).await.events, vec![past]);
    assert_eq!(record(&store, lead).await.lead, before, "no loop was asked for");
    for new in new_ones {
        let read = job_of(&store, new).await;
        assert_eq!((read.lead, read.state), (lead, JobState::Pending));
        assert_eq!((read.creado_en, read.proximo_en), (t(4), t(4)));
    }
    assert_eq!(take_ids(&store, process(), t(4)).await, [new_ones[0]], "the other one is leased");
}

/// A company without an address gets no notice that its signal is dead; the attempt ends all the same.
pub async fn an_unwanted_notice_is_no_obstacle(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let who = process();
    let id = make(&store, lead, of(JobKind::Perfil, who, LENGTH), t(1)).await;
    let jobs = vec![job(JobKind::EmpresaMail)];
    finish(&store, JobAttemptEnd { jobs, ..end(id, who, JobOutcome::Dead, t(2)) }).await;
    assert_eq!(job_of(&store, id).await.state, JobState::Dead);
    assert_eq!(own(&store, lead).await.len(), 1);
}

/// A known outcome ends the doubt; a parked mail keeps it for the person who decides.
pub async fn a_known_outcome_ends_the_doubt(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let who = process();
    for (result, remains) in [
        (JobOutcome::Done, false),
        (JobOutcome::Retry(t(9)), false),
        (JobOutcome::Dead, false),
        (JobOutcome::Parked, true),
    ] {
        let id = make(&store, lead, of(JobKind::ClientMail, who, LENGTH), t(1)).await;
        assert!(store.begin_send(id, who).await.expect("noted"));
        finish(&store, end(id, who, result, t(2))).await;
        assert_eq!(job_of(&store, id).await.en_duda, remains, "{result:?}");
    }
    let id = make(&store, lead, of(JobKind::ClientMail, who, LENGTH), t(1)).await;
    finish(&store, end(id, who, JobOutcome::Parked, t(2))).await;
    assert!(!job_of(&store, id).await.en_duda, "parking makes no doubt of its own");
}

/// If many end the same attempt, only one end counts.
pub async fn an_attempt_ends_once(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let who = process();
    let id = make(&store, lead, of(JobKind::Perfil, who, LENGTH), t(1)).await;
    let mut tasks = JoinSet::new();
    for _ in 0..16 {
        let store = Arc::clone(&store);
        tasks.spawn(async move {
            let event = Some(event(EventKind::PerfilComplete, t(2)));
            let jobs = vec![job(JobKind::Mensajeria)];
            let end = JobAttemptEnd { event, jobs, ..end(id, who, JobOutcome::Retry(t(9)), t(2)) };
            store.finish(end).await.expect("answered")
        });
    }
    assert_eq!(tasks.join_all().await.into_iter().filter(|heard| *heard).count(), 1);
    let (read, deliveries) = store.job(id).await.expect("it exists");
    assert_eq!((read.intentos, deliveries.len()), (1, 1));
    assert_eq!((record(&store, lead).await.events.len(), own(&store, lead).await.len()), (1, 2));
}

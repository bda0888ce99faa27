//! A quote is completed as a whole: its PDF, its state, the end of its job, its deliveries and its history.

use std::sync::Arc;

use embudo_domain::PresupuestoId;
use embudo_domain::event::EventKind;
use embudo_domain::job::{JobKind, JobState};
use embudo_domain::presupuesto::Presupuesto;
use embudo_domain::presupuesto::PresupuestoState::{Aceptado, Emitido, Rechazado, Superseded};
use embudo_domain::signal::{EventTopic, NewEvent};
use tokio::task::JoinSet;
use uuid::Uuid;

use super::data::outbox::{job, own, process, state};
use super::data::presupuesto::{add_presupuesto, drawn, in_state, job_of, pdf, send, state_of};
use super::data::{a_lead, event, other_lead, record, t};
use embudo_store::Store;
use embudo_store::outbox::{NewJob, NewPayload};
use embudo_store::presupuestos::CompletePresupuesto;

/// The same command with deliveries, the event of its job and the event of a simulated delivery.
fn with_deliveries(mut command: CompletePresupuesto) -> CompletePresupuesto {
    command.end.jobs = vec![job(JobKind::Pdf), job(JobKind::ClientMail)];
    command.end.event = Some(event(EventKind::Presupuesto, t(2)));
    command.events = vec![event(EventKind::Pdf, t(2)), event(EventKind::ClientMail, t(2))];
    command
}

/// Everything that a refused command must leave unchanged.
async fn all(store: &Arc<dyn Store>, p: &Presupuesto) -> impl PartialEq + std::fmt::Debug + use<> {
    (job_of(store, p).await, record(store, p.lead).await, own(store, p.lead).await)
}

/// A draft gets its PDF and is sent; its job ends, its deliveries wait, and the history has all of it in order.
pub async fn a_completed_quote_is_sent(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let p = add_presupuesto(&store, lead, "x").await;
    let command = with_deliveries(drawn(&store, &p, pdf("uno")).await);
    let (id, new_ones) = (command.end.id, command.end.jobs.iter().map(|t| t.id).collect::<Vec<_>>());
    assert!(store.complete_presupuesto(command).await.expect("completed"));
    let expected = Presupuesto { state: Emitido, pdf: Some(pdf("uno")), emitido_en: Some(t(2)), ..p };
    assert_eq!(job_of(&store, &expected).await, expected);
    let f = record(&store, lead).await;
    assert_eq!(f.presupuestos, vec![expected.summary()]);
    let kinds: Vec<_> = f.events.iter().map(|e| e.kind).collect();
    assert_eq!(kinds, [EventKind::Presupuesto, EventKind::Pdf, EventKind::ClientMail]);
    let (done, deliveries) = store.job(id).await.expect("it exists");
    assert_eq!((done.state, done.intentos, deliveries.len()), (JobState::Done, 1, 1));
    for new in new_ones {
        assert_eq!(state(&store, new).await, JobState::Pending);
    }
}

/// A quote that is completed again by another job keeps its first PDF and the moment at which it was sent, and is
/// delivered again. The second PDF is not used, so it may be swept.
pub async fn the_first_pdf_stays(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let p = send(&store, lead, "x").await;
    assert!(store.mark_blob(lead, pdf("otro").digest, t(3)).await.expect("answered").is_some());
    let mut command = with_deliveries(drawn(&store, &p, pdf("otro")).await);
    command.end.at = t(9);
    let new = command.end.jobs[0].id;
    assert!(store.complete_presupuesto(command).await.expect("completed"));
    assert_eq!(job_of(&store, &p).await, p);
    assert_eq!(state(&store, new).await, JobState::Pending);
    assert_eq!(record(&store, lead).await.events.len(), 3);
}

/// A quote that was superseded while it was drawn gets its PDF and stays superseded; it is not sent, and its job ends.
pub async fn a_superseded_quote_keeps_its_state(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let p = add_presupuesto(&store, lead, "viejo").await;
    let command = with_deliveries(drawn(&store, &p, pdf("uno")).await);
    let id = command.end.id;
    add_presupuesto(&store, lead, "nuevo").await;
    assert!(store.complete_presupuesto(command).await.expect("completed"));
    assert_eq!(job_of(&store, &p).await, Presupuesto { state: Superseded, pdf: Some(pdf("uno")), ..p });
    let jobs: Vec<_> = own(&store, lead).await.into_iter().map(|t| (t.id, t.state)).collect();
    assert_eq!(jobs, [(id, JobState::Done)]);
    let kinds: Vec<_> = record(&store, lead).await.events.into_iter().map(|e| e.kind).collect();
    assert_eq!(kinds, [EventKind::Presupuesto]);
}

/// The client's answer to a quote stays when the quote is completed again.
pub async fn an_answered_quote_keeps_its_state(store: Arc<dyn Store>) {
    a_lead(&store).await;
    for state in [Aceptado, Rechazado] {
        let lead = other_lead(&store).await;
        let p = in_state(&store, lead, "x", state).await;
        let command = drawn(&store, &p, pdf("otro")).await;
        assert!(store.complete_presupuesto(command).await.expect("completed"));
        assert_eq!(job_of(&store, &p).await, p);
    }
}

/// A job that another process holds, that no process holds or that has ended completes nothing.
pub async fn only_its_holder_completes(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let p = add_presupuesto(&store, lead, "x").await;
    let own = with_deliveries(drawn(&store, &p, pdf("uno")).await);
    let mut foreign = own.clone();
    foreign.end.who = process();
    let mut without_job = own.clone();
    without_job.end.id = job(JobKind::Presupuesto).id;
    let before = all(&store, &p).await;
    for late in [foreign, without_job] {
        assert!(!store.complete_presupuesto(late).await.expect("answered"));
        assert_eq!(all(&store, &p).await, before);
    }
    store.release(own.end.who).await.expect("released");
    assert!(!store.complete_presupuesto(own.clone()).await.expect("answered"), "the lease is lost");
    assert_eq!(all(&store, &p).await, before);
    let other = with_deliveries(drawn(&store, &p, pdf("dos")).await);
    assert!(store.complete_presupuesto(other.clone()).await.expect("completed"));
    let before = all(&store, &p).await;
    assert!(!store.complete_presupuesto(other).await.expect("answered"), "the job has ended");
    assert_eq!(all(&store, &p).await, before);
}

/// A job completes a quote of its own lead; another lead's quote and an unknown one are not found, and the job
/// continues.
pub async fn a_quote_of_another_lead_is_not_found(store: Arc<dyn Store>) {
    let (lead, another) = (a_lead(&store).await, other_lead(&store).await);
    let (p, foreign) =
        (add_presupuesto(&store, lead, "x").await, add_presupuesto(&store, another, "x").await);
    let good = with_deliveries(drawn(&store, &p, pdf("uno")).await);
    let before = (all(&store, &p).await, all(&store, &foreign).await);
    for id in [foreign.id, PresupuestoId(Uuid::new_v4())] {
        let bad = CompletePresupuesto { id, ..good.clone() };
        assert_fails!(store.complete_presupuesto(bad).await, PresupuestoNotFound);
        assert_eq!((all(&store, &p).await, all(&store, &foreign).await), before);
    }
    assert!(store.complete_presupuesto(good).await.expect("completed"), "the job was kept");
}

/// A PDF whose blob is being swept, or was swept, is refused as a whole, unless it was put again after that very
/// deletion.
pub async fn a_swept_pdf_is_refused(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let p = add_presupuesto(&store, lead, "x").await;
    let blob = pdf("uno").digest;
    let nth = store.mark_blob(lead, blob, t(1)).await.expect("answered").expect("marked");
    let command = with_deliveries(drawn(&store, &p, pdf("uno")).await);
    let with = |swept| CompletePresupuesto { swept, ..command.clone() };
    let before = all(&store, &p).await;
    assert_fails!(store.complete_presupuesto(with(vec![(blob, nth)])).await, BlobMarked);
    store.blob_swept(lead, blob, nth).await.expect("swept");
    for swept in [vec![], vec![(blob, nth - 1)], vec![(pdf("otro").digest, nth)]] {
        assert_fails!(store.complete_presupuesto(with(swept)).await, BlobMarked);
        assert_eq!(all(&store, &p).await, before);
    }
    assert!(store.complete_presupuesto(with(vec![(blob, nth)])).await.expect("completed"));
    assert_eq!(store.blob_marks(lead).await.expect("a list"), vec![]);
    assert_eq!(state_of(&store, &p).await, Emitido);
}

/// The blob of a quote's PDF is in use, also of a superseded quote; the same bytes of another lead are not.
pub async fn a_pdf_in_use_is_not_marked(store: Arc<dyn Store>) {
    let (lead, another) = (a_lead(&store).await, other_lead(&store).await);
    let p = send(&store, lead, "x").await;
    let blob = p.pdf.expect("drawn").digest;
    assert_eq!(store.mark_blob(lead, blob, t(3)).await.expect("answered"), None);
    add_presupuesto(&store, lead, "y").await;
    assert_eq!(store.mark_blob(lead, blob, t(3)).await.expect("answered"), None);
    assert!(store.mark_blob(another, blob, t(3)).await.expect("answered").is_some());
    assert!(store.mark_blob(lead, pdf("nadie").digest, t(3)).await.expect("answered").is_some());
}

/// If many complete the same job, only one completion counts.
pub async fn a_quote_is_completed_once(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let p = add_presupuesto(&store, lead, "x").await;
    let command = drawn(&store, &p, pdf("uno")).await;
    let mut tasks = JoinSet::new();
    for _ in 0..16 {
        let mut command = with_deliveries(command.clone());
        command.end.jobs = vec![job(JobKind::Mensajeria)];
        let store = Arc::clone(&store);
        tasks.spawn(async move { store.complete_presupuesto(command).await.expect("answered") });
    }
    assert_eq!(tasks.join_all().await.into_iter().filter(|heard| *heard).count(), 1);
    assert_eq!((record(&store, lead).await.events.len(), own(&store, lead).await.len()), (3, 2));
}

/// Sending a quote makes one event, under the id of the job that sent it. Sending it again makes none, and neither does
/// a quote that was superseded before it was sent.
pub async fn a_quote_tells_once_that_it_was_sent(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let p = add_presupuesto(&store, lead, "x").await;
    let event = NewEvent::of_quote(EventTopic::QuoteSent, p.number, p.document.impuesto.total);
    let told = || NewJob { payload: NewPayload::Event(event), ..job(JobKind::Event) };
    let first = told();
    let complete = async |p: &Presupuesto, event: NewJob| {
        let mut command = with_deliveries(drawn(&store, p, pdf("uno")).await);
        command.end.jobs.push(event);
        assert!(store.complete_presupuesto(command).await.expect("completed"));
    };
    complete(&p, first.clone()).await;
    let events = async || {
        let own = own(&store, lead).await;
        own.into_iter().filter(|job| job.kind == JobKind::Event).collect::<Vec<_>>()
    };
    let made = events().await;
    let signal = event.signal(first.id, p.empresa, lead, t(2));
    assert_eq!(made.len(), 1);
    assert_eq!(
        (made[0].id, made[0].payload.as_str()),
        (first.id, serde_json::to_string(&signal).expect("JSON").as_str())
    );
    complete(&p, told()).await;
    assert_eq!(events().await.len(), 1, "it is sent again");
    let old = add_presupuesto(&store, lead, "y").await;
    add_presupuesto(&store, lead, "z").await;
    complete(&old, told()).await;
    assert_eq!(events().await.len(), 1, "it was superseded");
}

//! What happened to a quote's deliveries to the client, known for as long as the quote is kept.

use std::sync::Arc;

use embudo_domain::job::JobKind;
use embudo_domain::presupuesto::{
    DeliveryChannel, DeliveryState, OrderedDelivery, Presupuesto, PresupuestoDelivery,
};
use embudo_domain::{JobId, LeadId, ProcessId, Timestamp};
use uuid::Uuid;

use super::data::outbox::{LENGTH, end, finish, of, take};
use super::data::presupuesto::{add_presupuesto, drawn, pdf};
use super::data::{a_lead, micros, other_lead, record, t};
use embudo_store::Store;
use embudo_store::outbox::JobOutcome;

use DeliveryChannel::{Email, Messaging};
use DeliveryState::{Delivered, Doubtful, Failed, Pending, Simulated};

/// Issues a quote with two deliveries: a mail, and a messaging signal that is only simulated. Returns the mail's job
/// and the process that holds it.
pub(crate) async fn issue(store: &Arc<dyn Store>, p: &Presupuesto) -> (JobId, ProcessId) {
    let mut command = drawn(store, p, pdf(&p.id.to_string())).await;
    let mail = of(JobKind::ClientMail, command.end.who, LENGTH);
    let delivery = |channel, job, simulated| OrderedDelivery { channel, job, simulated };
    command.deliveries =
        vec![delivery(Email, mail.id, false), delivery(Messaging, JobId(Uuid::new_v4()), true)];
    let issued = (mail.id, command.end.who);
    command.end.jobs = vec![mail];
    assert!(store.complete_presupuesto(command).await.expect("completed"));
    issued
}

/// The deliveries of a lead's quotes, newest quote first.
async fn deliveries(store: &Arc<dyn Store>, lead: LeadId) -> Vec<Vec<PresupuestoDelivery>> {
    record(store, lead).await.presupuestos.into_iter().map(|p| p.deliveries).collect()
}

fn both(mail: DeliveryState, at: Timestamp) -> Vec<PresupuestoDelivery> {
    vec![
        PresupuestoDelivery { channel: Email, state: mail, at },
        PresupuestoDelivery { channel: Messaging, state: Simulated, at: t(2) },
    ]
}

/// A delivery has the state of its job, and keeps it when the job is purged.
pub async fn a_quote_knows_what_became_of_its_deliveries(store: Arc<dyn Store>) {
    a_lead(&store).await;
    let ends = [(JobOutcome::Done, Delivered), (JobOutcome::Dead, Failed), (JobOutcome::Parked, Doubtful)];
    for (result, state) in ends {
        let lead = other_lead(&store).await;
        let p = add_presupuesto(&store, lead, "x").await;
        assert_eq!(deliveries(&store, lead).await, [vec![]], "nothing until it is issued");
        let (id, who) = issue(&store, &p).await;
        assert_eq!(deliveries(&store, lead).await, [both(Pending, t(2))]);
        finish(&store, end(id, who, JobOutcome::Retry(t(4)), t(3))).await;
        assert_eq!(deliveries(&store, lead).await, [both(Pending, t(2))]);
        take(&store, who, t(4)).await;
        finish(&store, end(id, who, result, t(5))).await;
        assert_eq!(deliveries(&store, lead).await, [both(state, t(5))]);
        store.purge_jobs(micros(t(5).as_microsecond() + 1), 100).await.expect("purged");
        assert_fails!(store.job(id).await, JobNotFound);
        assert_eq!(
            deliveries(&store, lead).await,
            [both(state, t(5))],
            "the job is gone, its outcome is not"
        );
    }
}

/// A delivery that is tried again is pending again; one that a newer quote's delivery replaced will not arrive; and a
/// delivery that arrived once stays so, whatever happens when it is sent again.
pub async fn deliveries_follow_their_jobs(store: Arc<dyn Store>) {
    let lead = a_lead(&store).await;
    let p = add_presupuesto(&store, lead, "x").await;
    let (id, who) = issue(&store, &p).await;
    finish(&store, end(id, who, JobOutcome::Dead, t(3))).await;
    store.retry(id, t(4), None).await.expect("due again");
    assert_eq!(deliveries(&store, lead).await, [both(Pending, t(2))]);
    let new = add_presupuesto(&store, lead, "y").await;
    let (id, who) = issue(&store, &new).await;
    assert_eq!(deliveries(&store, lead).await, [both(Pending, t(2)), both(Failed, t(2))]);
    finish(&store, end(id, who, JobOutcome::Done, t(3))).await;
    let (id, who) = issue(&store, &new).await;
    finish(&store, end(id, who, JobOutcome::Dead, t(4))).await;
    assert_eq!(deliveries(&store, lead).await[0], both(Delivered, t(3)));
}

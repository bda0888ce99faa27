//! Events for a company's own workflows. They are made only if there is a receiver, and sent as they were stored.

use embudo_delivery::{OutgoingSignal, SignedBody};
use embudo_domain::job::{Job, JobKind};
use embudo_domain::signal::NewEvent;
use embudo_domain::{EmpresaId, Timestamp};
use embudo_store::Result;
use embudo_store::outbox::{NewJob, NewPayload};

use super::{Ending, NewJobs};
use crate::App;

impl NewJobs<'_> {
    /// The job that reports an event about a lead of this company (`None`: the default company). It is committed
    /// together with the change that it reports. `None` if there is no receiver.
    pub(crate) async fn event(self, empresa: Option<EmpresaId>, event: NewEvent) -> Result<Option<NewJob>> {
        let is_received = self.app.receives_events(empresa).await?;
        Ok(is_received.then(|| self.shared(JobKind::Event, NewPayload::Event(event))))
    }
}

pub(super) async fn attempt(app: &App, job: &Job, start: Timestamp) -> Ending {
    let receiver = match app.receiver_of(job).await {
        Ok(receiver) => receiver,
        Err(error) => return Ending::retry(error),
    };
    let body = SignedBody::from(job.payload.clone());
    let sending = OutgoingSignal { id: job.id.to_string(), timestamp: start, body };
    Ending::of_signal(app.send_signal(&receiver, sending).await, &receiver)
}

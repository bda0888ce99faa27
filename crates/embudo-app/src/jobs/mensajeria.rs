//! The signal that starts a conversation.

use embudo_delivery::OutgoingSignal;
use embudo_delivery::signals::mensajeria;
use embudo_domain::Timestamp;
use embudo_domain::job::Job;
use embudo_domain::signal::MensajeriaSignal;

use super::Ending;
use crate::App;

pub(super) async fn attempt(app: &App, job: &Job, start: Timestamp) -> Ending {
    let receiver = match app.receiver_of(job).await {
        Ok(receiver) => receiver,
        Err(error) => return Ending::retry(error),
    };
    let Ok(signal) = serde_json::from_str::<MensajeriaSignal>(&job.payload) else {
        return Ending::never("la señal guardada no se puede leer");
    };
    let sending = OutgoingSignal { id: job.id.to_string(), timestamp: start, body: mensajeria(&signal) };
    Ending::of_signal(app.send_signal(&receiver, sending).await, &receiver)
}

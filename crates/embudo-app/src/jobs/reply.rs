//! A person's reply, for the workflow that sends it by messaging.

use embudo_delivery::OutgoingSignal;
use embudo_delivery::signals::reply;
use embudo_domain::Timestamp;
use embudo_domain::job::{Job, JobKind};
use embudo_domain::signal::ReplySignal;

use super::Ending;
use crate::App;

pub(super) async fn attempt(app: &App, job: &Job, start: Timestamp) -> Ending {
    let Ok(signal) = serde_json::from_str::<ReplySignal>(&job.payload) else {
        return Ending::never("la señal guardada no se puede leer");
    };
    match app.store.reply(signal.mensaje_id).await {
        // A workflow whose answer was lost may have sent it: the recorded turn shows that.
        Ok(Some(reply)) if reply.confirmed.is_some() => {
            return Ending::handed_on("el flujo ya lo ha grabado".to_owned());
        }
        Ok(Some(_)) => {}
        Ok(None) => return Ending::never("el mensaje ya no existe"),
        Err(error) => return Ending::retry(error.to_string()),
    }
    if expires(job).is_none_or(|end| end <= start) {
        return Ending::expired("se cerró la ventana de 24 horas antes de que saliera");
    }
    let receiver = match app.receiver_of(job).await {
        Ok(receiver) => receiver,
        Err(error) => return Ending::retry(error),
    };
    let sending = OutgoingSignal { id: job.id.to_string(), timestamp: start, body: reply(&signal) };
    Ending::of_signal(app.send_signal(&receiver, sending).await, &receiver)
}

/// Until when a reply is worth sending. `None`: the job is not a reply, or cannot be read.
pub(super) fn expires(job: &Job) -> Option<Timestamp> {
    let signal =
        (job.kind == JobKind::Reply).then(|| serde_json::from_str::<ReplySignal>(&job.payload).ok())?;
    signal?.expires.parse().ok()
}

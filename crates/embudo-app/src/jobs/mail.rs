//! What every job that sends a mail needs.

use embudo_delivery::{Mail, MailMessage};
use embudo_domain::Timestamp;
use embudo_domain::job::Job;

use super::Ending;
use crate::App;

/// The id and date of a job's mail, the same at every attempt.
pub(super) fn message_id(job: &Job) -> (String, Timestamp) {
    (job.id.to_string(), job.creado_en)
}

pub(super) fn no_mail() -> Ending {
    Ending::then("SMTP_HOST o EMAIL_FROM ya no están configurados")
}

/// Hands a mail over. Right before its last line it is noted that its fate is in doubt until the answer is written
/// down; a notice is sent again anyway and needs no note.
pub(super) async fn send_mail(app: &App, job: &Job, mail: &Mail, message: &MailMessage) -> Ending {
    let note = async {
        if job.kind.is_notice() {
            return Ok(());
        }
        match app.store.begin_send(job.id, app.outbound.process).await {
            Ok(true) => Ok(()),
            Ok(false) => Err("otro proceso se ha hecho cargo de este correo".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    };
    mail.send(message, note).await.into()
}

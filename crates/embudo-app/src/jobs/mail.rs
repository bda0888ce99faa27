//! Functions that all jobs with a mail share.

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
    Ending::retry("SMTP_HOST o EMAIL_FROM ya no están configurados")
}

/// Hands a mail over. Right before the last line is sent, the mail is marked as in doubt until the answer is stored. A
/// notice is sent again in any case, so it is not marked.
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

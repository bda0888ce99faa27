//! Makes the jobs that are stored by commands: signals, mails, notices to the company.

use embudo_domain::job::JobKind;
use embudo_domain::{JobId, PresupuestoId, Timestamp};
use embudo_store::outbox::{NewJob, NewPayload};

use super::acceptance::AcceptancePayload;
use super::{PushPayload, as_text};
use crate::App;
use crate::notices::Notice;

#[derive(Clone, Copy)]
pub(crate) struct NewJobs<'a> {
    pub(crate) app: &'a App,
}

impl NewJobs<'_> {
    /// A job that this process tries first, immediately after the commit.
    pub(crate) fn own(self, kind: JobKind, payload: NewPayload) -> NewJob {
        let id = JobId(self.app.id());
        NewJob { id, kind, payload, lease: Some(self.app.outbound.lease()), proximo_en: None }
    }

    /// A job for any process that has capacity.
    pub(crate) fn shared(self, kind: JobKind, payload: NewPayload) -> NewJob {
        NewJob { lease: None, ..self.own(kind, payload) }
    }

    /// The job that draws, stores and mails what a client accepted. For every command that stores an acceptance.
    pub(crate) fn acceptance(self, presupuesto: PresupuestoId) -> NewJob {
        self.app.attempts.notify();
        self.shared(JobKind::Acceptance, as_text(&AcceptancePayload { presupuesto }))
    }

    /// The jobs of a notice: a mail to the company and its people, and a message on their devices. Without configured
    /// mail, only the devices. The store knows whether anybody wants the notice.
    pub(crate) fn notice(self, notice: &Notice) -> Vec<NewJob> {
        self.notice_as(JobKind::EmpresaMail, notice)
    }

    /// The notice about a form: now, or after a quiet time. A newer notice about the same lead replaces a pending one.
    pub(crate) fn notice_of_form(self, notice: &Notice, proximo_en: Option<Timestamp>) -> Vec<NewJob> {
        let jobs = self.notice_as(JobKind::FormNotice, notice);
        jobs.into_iter().map(|t| NewJob { proximo_en, ..t }).collect()
    }

    fn notice_as(self, kind: JobKind, notice: &Notice) -> Vec<NewJob> {
        self.app.attempts.notify();
        let without_mail = self.app.outbound.mail.is_none();
        let (kind, text) = match without_mail {
            false => (kind, serde_json::to_string(notice)),
            true => {
                let payload = PushPayload { dispositivo: None, persona: None, notice: notice.clone() };
                (JobKind::PushNotice, serde_json::to_string(&payload))
            }
        };
        let text = text.expect("a notice is plain");
        vec![self.shared(kind, NewPayload::Notice { topic: notice.topic(), text, without_mail })]
    }
}

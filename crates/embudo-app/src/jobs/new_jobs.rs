//! Jobs that are made inside commands: signals, mails, notices to the company.

use embudo_domain::job::JobKind;
use embudo_domain::{JobId, PresupuestoId, Timestamp};
use embudo_store::outbox::{NewJob, NewPayload};

use super::acceptance::AcceptancePayload;
use super::{PushPayload, as_text};
use crate::App;
use crate::notices::Notice;

/// Makes jobs.
#[derive(Clone, Copy)]
pub(crate) struct NewJobs<'a> {
    pub(crate) app: &'a App,
}

impl NewJobs<'_> {
    /// A job that this process tries first, at once.
    pub(crate) fn own(self, kind: JobKind, payload: NewPayload) -> NewJob {
        let id = JobId(self.app.id());
        NewJob { id, kind, payload, lease: Some(self.app.outbound.lease()), proximo_en: None }
    }

    /// A job for the first process that is free.
    pub(crate) fn shared(self, kind: JobKind, payload: NewPayload) -> NewJob {
        NewJob { lease: None, ..self.own(kind, payload) }
    }

    /// What a client accepted, to be drawn, stored and mailed to them: for every command that writes down an
    /// acceptance.
    pub(crate) fn acceptance(self, presupuesto: PresupuestoId) -> NewJob {
        self.app.studio.notify();
        self.shared(JobKind::Acceptance, as_text(&AcceptancePayload { presupuesto }))
    }

    /// A mail to the company and its people, and a line on their devices; where mail is not configured, the latter
    /// alone. Whether somebody wants it is the store's to know.
    pub(crate) fn notice(self, notice: &Notice) -> Vec<NewJob> {
        self.notice_as(JobKind::EmpresaMail, notice)
    }

    /// The mail about a form: now, or after a quiet time. One of a lead takes the place of one that waits.
    pub(crate) fn notice_of_form(self, notice: &Notice, proximo_en: Option<Timestamp>) -> Vec<NewJob> {
        let jobs = self.notice_as(JobKind::FormNotice, notice);
        jobs.into_iter().map(|t| NewJob { proximo_en, ..t }).collect()
    }

    fn notice_as(self, kind: JobKind, notice: &Notice) -> Vec<NewJob> {
        self.app.studio.notify();
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

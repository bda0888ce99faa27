//! Plans reminders to clients, company by company and each one once: the job and the key that marks it as planned are
//! one command, so that it is made only once even with several processes or after a crash. Whether a reminder may still
//! be sent is checked again when it is sent.

use embudo_domain::job::JobKind;
use embudo_domain::reminders::{GAP, LATEST};
use embudo_domain::settings::Settings;
use embudo_domain::{EmpresaId, LeadId, Timestamp};
use embudo_store::lead_writes::RecordEvent;
use embudo_store::read::{Stretch, UnansweredQuote};
use embudo_store::{CallKey, Done, Outcome};
use jiff::SignedDuration;

use super::Housekeeping;
use crate::AppError;
use crate::jobs::as_text;
use crate::reminders::{Reminder, is_daytime};

/// The maximum number of quotes or leads in one query.
const SLICE: u32 = 100;
/// How long a reminder is marked as made: far longer than a reminder can be due.
const MARK_LIFE: SignedDuration = SignedDuration::from_hours(400 * 24);

impl Housekeeping<'_> {
    /// Plans every reminder that is due; returns how many.
    pub async fn plan_reminders(self) -> Result<usize, AppError> {
        let now = self.app.now();
        // Without the server's own address there is no link to the quote or form, and no link to refuse reminders.
        if self.app.outbound.mail.is_none() || self.app.outbound.links.is_none() || !is_daytime(now) {
            return Ok(0);
        }
        let mut planned = 0;
        for empresa in self.app.store.list_empresas().await? {
            let settings = self.app.store.settings(empresa.id).await?;
            planned += self.remind_of_quotes(empresa.id, &settings, now).await?;
            planned += self.remind_of_forms(empresa.id, &settings, now).await?;
        }
        if planned > 0 {
            self.app.attempts.notify();
        }
        Ok(planned)
    }

    async fn remind_of_quotes(
        self,
        empresa: EmpresaId,
        settings: &Settings,
        now: Timestamp,
    ) -> Result<usize, AppError> {
        let reminders = &settings.reminders.quotes;
        let (Some(since), Some((first, last))) = (reminders.since(), reminders.reach()) else { return Ok(0) };
        let stretch =
            Stretch { since: since.max(now - last), until: now - first, reminded_before: now - GAP };
        let (mut planned, mut after) = (0, None::<UnansweredQuote>);
        loop {
            let today = self.app.today();
            let page = self.app.store.unanswered_quotes(empresa, stretch, today, after, SLICE).await?;
            for quote in &page {
                if let Some(days) = reminders.due(quote.emitido_en, now) {
                    let reminder = Reminder::Presupuesto { presupuesto: quote.id, days };
                    planned += usize::from(self.plan(quote.lead, empresa, reminder).await?);
                }
            }
            after = page.last().copied();
            if page.len() < SLICE as usize {
                return Ok(planned);
            }
        }
    }

    async fn remind_of_forms(
        self,
        empresa: EmpresaId,
        settings: &Settings,
        now: Timestamp,
    ) -> Result<usize, AppError> {
        let reminders = &settings.reminders.form;
        let Some(since) = reminders.since() else { return Ok(0) };
        let until = now - SignedDuration::from_hours(i64::from(reminders.hours()));
        let stretch = Stretch { since: since.max(until - LATEST), until, reminded_before: now - GAP };
        let (mut planned, mut after) = (0, None);
        loop {
            let page = self.app.store.quiet_leads(empresa, stretch, after, SLICE).await?;
            for lead in &page {
                planned += usize::from(self.plan(lead.id, empresa, Reminder::Formulario).await?);
            }
            after = page.last().copied();
            if page.len() < SLICE as usize {
                return Ok(planned);
            }
        }
    }

    /// Makes the job of a reminder, unless it was made before or may not be sent.
    async fn plan(self, lead: LeadId, empresa: EmpresaId, reminder: Reminder) -> Result<bool, AppError> {
        let (store, at, key) = (&self.app.store, self.app.now(), reminder_key(lead, reminder));
        if store.was_done(key.scope.clone(), key.key.clone(), at).await?
            || reminder.check(self.app, lead, empresa).await?.is_some()
        {
            return Ok(false);
        }
        let jobs = vec![self.app.jobs().shared(JobKind::Reminder, as_text(&reminder))];
        let idempotency = Some(key.with(Outcome::Done, Vec::new(), at));
        let done = store.record_event(RecordEvent { lead, event: None, jobs, at, idempotency }).await?;
        Ok(done == Done::Now)
    }
}

/// The idempotency key that prevents a reminder from being made twice.
fn reminder_key(lead: LeadId, reminder: Reminder) -> CallKey {
    let (scope, key) = match reminder {
        Reminder::Presupuesto { presupuesto, days } => {
            (format!("recordatorio a los {days} días"), presupuesto.to_string())
        }
        Reminder::Formulario => ("recordatorio formulario".to_owned(), lead.to_string()),
    };
    CallKey { scope, key, cuerpo_sha256: [0; 32], life: MARK_LIFE }
}

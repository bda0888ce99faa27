//! The watched loop: leads whose renders or `finalizar` are overdue are marked, and the signal is sent again if the
//! settings say so. Otherwise the company is notified, because nothing more happens automatically.

use embudo_domain::event::{Event, EventKind};
use embudo_domain::job::{Destination, JobKind};
use embudo_domain::watched_loop::LoopStep;
use embudo_store::loop_deadlines::{MarkLoopOverdue, OverdueLoop};
use embudo_store::outbox::NewPayload;

use super::Housekeeping;
use crate::AppError;
use crate::notices::Notice;

/// The maximum number of leads in one query.
const SLICE: u32 = 100;

impl Housekeeping<'_> {
    /// Marks every overdue lead; returns how many.
    pub async fn watch_loops(self) -> Result<usize, AppError> {
        let mut total = 0;
        loop {
            let overdue_ones = self.app.store.overdue_loops(self.app.now(), SLICE).await?;
            for overdue in &overdue_ones {
                total += usize::from(self.mark_overdue(overdue).await?);
            }
            if overdue_ones.len() < SLICE as usize {
                return Ok(total);
            }
        }
    }

    async fn mark_overdue(self, overdue: &OverdueLoop) -> Result<bool, AppError> {
        let at = self.app.now();
        let repeat = overdue.step == LoopStep::AwaitingRenders
            && overdue.resignals < self.app.outbound.resignals
            && self.app.receivers_for(overdue.lead).await?.has(Destination::Perfil);
        let event = Event {
            kind: EventKind::OverdueLoop,
            simulated: false,
            ok: false,
            detail: Some(overdue.step.to_string()),
            creado_en: at,
        };
        let resignal = repeat.then(|| self.app.jobs().shared(JobKind::Perfil, NewPayload::Perfil));
        let notices = match repeat {
            true => Vec::new(),
            false => self.app.jobs().notice(&Notice::OverdueLoop { step: overdue.step.to_string() }),
        };
        let command =
            MarkLoopOverdue { lead: overdue.lead, step: overdue.step, event, resignal, notices, at };
        let marked = self.app.store.mark_loop_overdue(command).await?;
        if repeat {
            self.app.attempts.notify();
        }
        Ok(marked)
    }
}

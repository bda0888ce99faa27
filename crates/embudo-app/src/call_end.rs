//! How a call ended whose jobs decide part of its outcome, also when it comes again under its key.

use embudo_domain::TrabajoId;
use embudo_domain::trabajo::{EstadoTrabajo, TipoTrabajo, Trabajo};
use embudo_store::{Hecho, Idempotencia, Outcome, StoreError};

use crate::jobs::try_now;
use crate::{App, AppError};

/// What came of a call.
#[derive(Debug, Clone)]
pub struct CallEnd {
    pub outcome: Outcome,
    /// It came of an earlier call that was the same.
    pub is_replay: bool,
}

impl CallEnd {
    /// The end of a command without jobs to wait for; `now` is its outcome unless it was done before.
    pub fn of(hecho: Hecho, now: Outcome) -> Self {
        match hecho {
            Hecho::Ahora => Self::first(now),
            Hecho::Antes(outcome) | Hecho::EnCurso { outcome, .. } => Self::replay(outcome),
        }
    }

    pub(crate) fn first(outcome: Outcome) -> Self {
        Self { outcome, is_replay: false }
    }

    pub(crate) fn replay(outcome: Outcome) -> Self {
        Self { outcome, is_replay: true }
    }
}

/// Where the final outcome of a call is stored.
pub(crate) struct KeySlot {
    pub ambito: String,
    pub clave: String,
}

impl KeySlot {
    /// `None` where nothing is left to be stored.
    pub fn of(idempotencia: Option<&Idempotencia>) -> Option<Self> {
        let provisional = idempotencia.filter(|i| !i.trabajos.is_empty())?;
        Some(Self { ambito: provisional.ambito.clone(), clave: provisional.clave.clone() })
    }
}

/// Waits for the first attempt of the call's jobs, or finds out what became of them when the call came before.
pub(crate) async fn end_call(
    app: &App,
    hecho: Hecho,
    outcome: Outcome,
    trabajos: Vec<TrabajoId>,
    slot: Option<KeySlot>,
) -> Result<CallEnd, AppError> {
    let end = match hecho {
        Hecho::Antes(outcome) => return Ok(CallEnd::replay(outcome)),
        Hecho::Ahora => CallEnd::first(try_now(app, trabajos, outcome).await),
        Hecho::EnCurso { outcome, trabajos } => {
            let trabajos = app.store.trabajos(trabajos).await?;
            if trabajos.iter().any(is_untried) {
                return Err(StoreError::KeyInProgress.into());
            }
            CallEnd::replay(with_accepted(outcome, &trabajos))
        }
    };
    if let Some(slot) = slot {
        store_outcome(app, slot, end.outcome.clone()).await;
    }
    Ok(end)
}

/// If this fails, the outcome can still be rebuilt from the jobs.
async fn store_outcome(app: &App, slot: KeySlot, outcome: Outcome) {
    if let Err(error) = app.store.complete_outcome(slot.ambito, slot.clave, outcome, None).await {
        tracing::warn!(%error, "the outcome of a call was not stored under its key");
    }
}

/// What was known, with what the jobs have come to.
pub(crate) fn with_accepted(mut outcome: Outcome, trabajos: &[Trabajo]) -> Outcome {
    // A profile signal may be done although its receiver never accepted it, and the outcome is about that alone. One that was
    // accepted only after a failure was not accepted when the call was answered.
    let is_accepted = |t: &&Trabajo| {
        let failed = t.tipo == TipoTrabajo::Perfil && t.ultimo_error.is_some();
        t.estado == EstadoTrabajo::Hecho && !failed
    };
    trabajos.iter().filter(is_accepted).for_each(|t| outcome.accept(t.tipo));
    outcome
}

/// Whether the first attempt of a job is still to come or under way.
pub(crate) fn is_untried(trabajo: &Trabajo) -> bool {
    trabajo.estado == EstadoTrabajo::Pendiente && trabajo.intentos == 0
}

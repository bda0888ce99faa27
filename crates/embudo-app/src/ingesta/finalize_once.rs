//! The same `finalizar` again, without a key: a workflow that lost our answer must not mail the client twice (contract §2.6).
//!
//! Such a call gets a key that is made from its bytes. While the first one runs, a second joins it; for a while after everything
//! of the first was delivered, a second has the first's outcome. If something of the first failed, a second is a
//! call of its own.

use std::time::{Duration, Instant};

use embudo_domain::trabajo::{EstadoTrabajo, Trabajo};
use embudo_domain::{LeadId, Timestamp, TrabajoId};
use embudo_store::command::Ingest;
use embudo_store::{CallKey, Hecho, Outcome};
use jiff::SignedDuration;

use super::Ingestion;
use crate::blobs::Puesto;
use crate::call_end::{KeySlot, is_untried, with_accepted};
use crate::jobs::try_now;
use crate::{AppError, CallEnd};

/// How often a call that joined another looks at it.
const MIRADA: Duration = Duration::from_millis(100);
/// How long a call can be running at most; afterwards its bytes are free.
const VIDA: SignedDuration = SignedDuration::from_hours(1);

/// An expiry by which the bytes are free for every call, whenever it came.
const LIBRE: Timestamp = Timestamp::UNIX_EPOCH;

/// What tells that a call came before.
#[derive(Debug, Clone)]
pub enum KnownBy {
    /// The key that it brought.
    Key(CallKey),
    /// The SHA-256 of its bytes.
    Bytes([u8; 32]),
    Nothing,
}

/// What became of the first call.
enum Primera {
    /// It still runs.
    Corre(Outcome),
    /// Everything was delivered, a short while ago.
    Entregada(Outcome),
    /// It ended otherwise, or too long ago.
    Pasada(Outcome),
}

impl Ingestion<'_> {
    /// The key that stands for the bytes of a `finalizar`.
    pub(crate) fn key_of_bytes(lead: LeadId, sha256: [u8; 32]) -> CallKey {
        CallKey {
            // No path begins like this, so no key of a caller's can meet it.
            ambito: format!("finalizar {lead}"),
            clave: sha256.iter().map(|b| format!("{b:02x}")).collect(),
            cuerpo_sha256: sha256,
            life: VIDA,
        }
    }

    /// Does a call unless it is a repetition.
    pub(crate) async fn finalize_once(
        self,
        command: Ingest,
        puestos: &[Puesto],
        outcome: Outcome,
        propios: Vec<TrabajoId>,
        slot: KeySlot,
    ) -> Result<CallEnd, AppError> {
        loop {
            match self.save(command.clone(), puestos).await? {
                Hecho::Antes(outcome) => return Ok(CallEnd::replay(outcome)),
                Hecho::EnCurso { outcome, trabajos } => match self.join(outcome, &trabajos).await? {
                    Primera::Corre(outcome) | Primera::Entregada(outcome) => {
                        return Ok(CallEnd::replay(outcome));
                    }
                    Primera::Pasada(outcome) => self.settle(&slot, outcome, LIBRE).await?,
                },
                Hecho::Ahora => {
                    let decisivos = command.idempotencia.map(|i| i.trabajos).unwrap_or_default();
                    let outcome = try_now(self.app, propios, outcome).await;
                    self.remember(&slot, &decisivos, &outcome).await;
                    return Ok(CallEnd::first(outcome));
                }
            }
        }
    }

    /// Waits for the first call as long as it would wait itself.
    async fn join(self, outcome: Outcome, trabajos: &[TrabajoId]) -> Result<Primera, AppError> {
        let limite = Instant::now() + self.app.outbound.espera;
        loop {
            let trabajos = self.app.store.trabajos(trabajos.to_vec()).await?;
            if !trabajos.iter().any(is_untried) {
                return Ok(match self.free_again(&trabajos) {
                    Some(hasta) if self.app.ahora() < hasta => {
                        Primera::Entregada(with_accepted(outcome, &trabajos))
                    }
                    _ => Primera::Pasada(outcome),
                });
            }
            if Instant::now() >= limite {
                return Ok(Primera::Corre(with_accepted(outcome, &trabajos)));
            }
            tokio::time::sleep(MIRADA).await;
        }
    }

    /// Until when the same bytes are the same call, once everything was delivered.
    fn free_again(self, trabajos: &[Trabajo]) -> Option<Timestamp> {
        let entregado = !trabajos.is_empty() && trabajos.iter().all(|t| t.estado == EstadoTrabajo::Hecho);
        let ultimo = trabajos.iter().filter_map(|t| t.terminado_en).max();
        ultimo.filter(|_| entregado).map(|ultimo| ultimo + self.app.outbound.repeticion)
    }

    /// Writes down how long this outcome stands for its bytes. While something is still under way nothing is written:
    /// whoever repeats the call joins it. If this fails, the jobs still tell.
    async fn remember(self, slot: &KeySlot, trabajos: &[TrabajoId], outcome: &Outcome) {
        let guardado = async {
            let trabajos = self.app.store.trabajos(trabajos.to_vec()).await?;
            if trabajos.iter().any(is_untried) {
                return Ok(());
            }
            let hasta = self.free_again(&trabajos).unwrap_or_else(|| self.app.ahora());
            self.settle(slot, outcome.clone(), hasta).await
        };
        if let Err(error) = guardado.await {
            tracing::warn!(%error, "the outcome of a finalizar was not stored; its jobs tell it");
        }
    }

    async fn settle(self, slot: &KeySlot, outcome: Outcome, hasta: Timestamp) -> Result<(), AppError> {
        let (ambito, clave) = (slot.ambito.clone(), slot.clave.clone());
        self.app.store.complete_outcome(ambito, clave, outcome, Some(hasta)).await?;
        Ok(())
    }
}

//! The same `finalizar` again, without a key: a workflow that lost our answer must not mail the client twice (contract §2.6).
//!
//! Such a call gets a key that is made from its bytes. While the first one runs, a second joins it; for a while after everything
//! of the first was delivered, a second is answered with the first's answer. If something of the first failed, a second is a
//! call of its own.

use std::time::{Duration, Instant};

use embudo_domain::trabajo::{EstadoTrabajo, Trabajo};
use embudo_domain::{LeadId, Timestamp, TrabajoId};
use embudo_store::command::Ingest;
use embudo_store::{Hecho, Idempotencia, Respuesta};
use jiff::SignedDuration;

use crate::blobs::Puesto;
use crate::contestada::{Sitio, sin_intentar};
use crate::{App, AppError, Contestada, Senales};

/// How often a call that joined another looks at it.
const MIRADA: Duration = Duration::from_millis(100);
/// How long a call can be running at most; afterwards its bytes are free.
const VIDA: SignedDuration = SignedDuration::from_hours(1);

/// An expiry by which the bytes are free for every call, whenever it came.
const LIBRE: Timestamp = Timestamp::UNIX_EPOCH;

/// What makes a call the same as an earlier one.
#[derive(Debug, Clone)]
pub enum Llamada {
    /// The key that it brought.
    ConClave(Idempotencia),
    /// Nothing but its bytes; their SHA-256, where it counts.
    SinClave(Option<[u8; 32]>),
}

/// What became of the first call.
enum Primera {
    /// It still runs.
    Corre(Senales),
    /// Everything was delivered, a short while ago.
    Entregada(Senales),
    /// It ended otherwise, or too long ago.
    Pasada,
}

impl App {
    /// The key that stands for the bytes of a `finalizar`.
    pub(crate) fn clave_supuesta(
        &self,
        lead: LeadId,
        huella: [u8; 32],
        responder: impl Fn(Senales) -> Respuesta,
    ) -> Idempotencia {
        let ahora = self.ahora();
        Idempotencia {
            // No path begins like this, so no key of a caller's can meet it.
            ambito: format!("finalizar {lead}"),
            clave: huella.iter().map(|b| format!("{b:02x}")).collect(),
            cuerpo_sha256: huella,
            respuesta: responder(Senales::default()),
            trabajos: Vec::new(),
            creada_en: ahora,
            expira_en: ahora + VIDA,
        }
    }

    /// Does a call unless it is a repetition.
    pub(crate) async fn finalize_once(
        &self,
        command: Ingest,
        puestos: &[Puesto],
        propios: Vec<TrabajoId>,
        sitio: Sitio,
        responder: impl Fn(Senales) -> Respuesta,
    ) -> Result<Contestada, AppError> {
        let repetida = |senales| Contestada { respuesta: responder(senales), repetida: true };
        loop {
            match self.save(command.clone(), puestos).await? {
                Hecho::Antes(respuesta) => return Ok(Contestada { respuesta, repetida: true }),
                Hecho::EnCurso { trabajos, .. } => match self.join(&trabajos).await? {
                    Primera::Corre(senales) | Primera::Entregada(senales) => return Ok(repetida(senales)),
                    Primera::Pasada => self.settle(&sitio, responder(Senales::default()), LIBRE).await?,
                },
                Hecho::Ahora => {
                    let decisivos = command.idempotencia.as_ref().map(|i| i.trabajos.clone());
                    let respuesta = responder(self.try_now(propios).await);
                    self.remember(&sitio, &decisivos.unwrap_or_default(), &respuesta).await;
                    return Ok(Contestada { respuesta, repetida: false });
                }
            }
        }
    }

    /// Waits for the first call as long as it would wait itself.
    async fn join(&self, trabajos: &[TrabajoId]) -> Result<Primera, AppError> {
        let limite = Instant::now() + self.salidas.espera;
        loop {
            let trabajos = self.store.trabajos(trabajos.to_vec()).await?;
            if !trabajos.iter().any(sin_intentar) {
                return Ok(match self.free_again(&trabajos) {
                    Some(hasta) if self.ahora() < hasta => Primera::Entregada(Senales::de(&trabajos)),
                    _ => Primera::Pasada,
                });
            }
            if Instant::now() >= limite {
                return Ok(Primera::Corre(Senales::de(&trabajos)));
            }
            tokio::time::sleep(MIRADA).await;
        }
    }

    /// Until when the same bytes are the same call, once everything was delivered.
    fn free_again(&self, trabajos: &[Trabajo]) -> Option<Timestamp> {
        let entregado = !trabajos.is_empty() && trabajos.iter().all(|t| t.estado == EstadoTrabajo::Hecho);
        let ultimo = trabajos.iter().filter_map(|t| t.terminado_en).max();
        ultimo.filter(|_| entregado).map(|ultimo| ultimo + self.salidas.repeticion)
    }

    /// Writes down how long this answer stands for its bytes. While something is still under way nothing is written:
    /// whoever repeats the call joins it. If this fails, the jobs still tell.
    async fn remember(&self, sitio: &Sitio, trabajos: &[TrabajoId], respuesta: &Respuesta) {
        let guardado = async {
            let trabajos = self.store.trabajos(trabajos.to_vec()).await?;
            if trabajos.iter().any(sin_intentar) {
                return Ok(());
            }
            let hasta = self.free_again(&trabajos).unwrap_or_else(|| self.ahora());
            self.settle(sitio, respuesta.clone(), hasta).await
        };
        if let Err(error) = guardado.await {
            tracing::warn!(%error, "the answer of a finalizar was not stored; its jobs tell it");
        }
    }

    async fn settle(&self, sitio: &Sitio, respuesta: Respuesta, hasta: Timestamp) -> Result<(), AppError> {
        let (ambito, clave) = (sitio.ambito.clone(), sitio.clave.clone());
        self.store.complete_respuesta(ambito, clave, respuesta, Some(hasta)).await?;
        Ok(())
    }
}

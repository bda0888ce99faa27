//! The answer to a call whose signals decide part of it, also when the call comes again under its key.

use embudo_domain::TrabajoId;
use embudo_domain::trabajo::{EstadoTrabajo, TipoTrabajo, Trabajo};
use embudo_store::{Hecho, Idempotencia, Respuesta, StoreError};

use crate::{App, AppError};

/// Which signals of a call were accepted by the time it is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Senales {
    /// The profile signal.
    pub perfil: bool,
    /// The start of a conversation.
    pub mensajeria: bool,
    /// The quote by messaging.
    pub pdf: bool,
    /// The quote by mail.
    pub correo: bool,
    /// The quote itself: drawn and stored.
    pub presupuesto: bool,
}

impl Senales {
    pub(crate) fn anotar(&mut self, tipo: TipoTrabajo) {
        match tipo {
            TipoTrabajo::Perfil => self.perfil = true,
            TipoTrabajo::Mensajeria => self.mensajeria = true,
            TipoTrabajo::Pdf => self.pdf = true,
            TipoTrabajo::CorreoCliente => self.correo = true,
            TipoTrabajo::Presupuesto => self.presupuesto = true,
            TipoTrabajo::CorreoEmpresa | TipoTrabajo::AvisoFormulario => {}
        }
    }

    pub(crate) fn de(trabajos: &[Trabajo]) -> Self {
        let mut senales = Self::default();
        // A profile signal may be done although its receiver never accepted it, and the answer is about that alone. One that was
        // accepted only after a failure was not accepted when the call was answered.
        let accepted = |t: &&Trabajo| {
            let failed = t.tipo == TipoTrabajo::Perfil && t.ultimo_error.is_some();
            t.estado == EstadoTrabajo::Hecho && !failed
        };
        for hecho in trabajos.iter().filter(accepted) {
            senales.anotar(hecho.tipo);
        }
        senales
    }
}

/// An answer, and whether it was given before.
#[derive(Debug, Clone)]
pub struct Contestada {
    /// The answer.
    pub respuesta: Respuesta,
    /// It was given before under the same key.
    pub repetida: bool,
}

/// Where a call's final answer is stored.
pub(crate) struct Sitio {
    pub ambito: String,
    pub clave: String,
}

impl Sitio {
    /// Notes the jobs that decide the answer in the key's row.
    pub fn apuntar(idempotencia: Option<&mut Idempotencia>, trabajos: &[TrabajoId]) -> Option<Self> {
        let idempotencia = idempotencia.filter(|_| !trabajos.is_empty())?;
        idempotencia.trabajos = trabajos.to_vec();
        Some(Self { ambito: idempotencia.ambito.clone(), clave: idempotencia.clave.clone() })
    }
}

impl App {
    /// Waits for the first attempt of the call's jobs, or finds out what became of them when the call came before.
    pub(crate) async fn contestar(
        &self,
        hecho: Hecho,
        trabajos: Vec<TrabajoId>,
        sitio: Option<Sitio>,
        responder: impl Fn(Senales) -> Respuesta,
    ) -> Result<Contestada, AppError> {
        let (senales, repetida) = match hecho {
            Hecho::Antes(respuesta) => return Ok(Contestada { respuesta, repetida: true }),
            Hecho::Ahora => (self.try_now(trabajos).await, false),
            Hecho::EnCurso { trabajos, .. } => {
                let trabajos = self.store.trabajos(trabajos).await?;
                if trabajos.iter().any(sin_intentar) {
                    return Err(StoreError::KeyInProgress.into());
                }
                (Senales::de(&trabajos), true)
            }
        };
        let respuesta = responder(senales);
        if let Some(sitio) = sitio {
            self.store_answer(sitio, respuesta.clone()).await;
        }
        Ok(Contestada { respuesta, repetida })
    }

    /// If this fails, the answer can still be rebuilt from the jobs.
    async fn store_answer(&self, sitio: Sitio, respuesta: Respuesta) {
        if let Err(error) = self.store.complete_respuesta(sitio.ambito, sitio.clave, respuesta, None).await {
            tracing::warn!(%error, "the answer of a call was not stored under its key");
        }
    }
}

/// Whether the first attempt of a job is still to come or under way.
pub(crate) fn sin_intentar(trabajo: &Trabajo) -> bool {
    trabajo.estado == EstadoTrabajo::Pendiente && trabajo.intentos == 0
}

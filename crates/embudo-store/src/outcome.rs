//! What came of a call, as data: kept with its `Idempotency-Key` and told again when the call is repeated (contract §2.6).

mod older;

use std::borrow::Cow;

use embudo_domain::trabajo::TipoTrabajo;
use embudo_domain::{IntentoId, LeadId, TurnoId};
use serde::{Deserialize, Serialize};

use crate::StoreError;

/// The status that a row has in place of an HTTP status if its `cuerpo` is an [`Outcome`].
pub const TYPED: i32 = 0;

/// What a call did. Flags of jobs are `false` until the job was accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    LeadCreated {
        id: LeadId,
    },
    TurnoAppended {
        id: TurnoId,
    },
    PerfilUpdated {
        actualizado: Vec<Cow<'static, str>>,
    },
    IntentoRecorded {
        id: IntentoId,
    },
    Ingested {
        fotos: usize,
        notas: usize,
        perfil_accepted: bool,
        finalizado: Option<Finalizado>,
    },
    MensajeriaStarted {
        accepted: bool,
    },
    /// There is nothing to tell but that it was done.
    Done,
}

/// What became of a `finalizar`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finalizado {
    /// The quote is drawn and stored.
    pub presupuesto: bool,
    pub correo_accepted: bool,
    pub pdf_accepted: bool,
}

impl Outcome {
    /// Notes that a job of this kind, which the call made, was accepted.
    pub fn accept(&mut self, tipo: TipoTrabajo) {
        let flag = match (self, tipo) {
            (Self::Ingested { perfil_accepted, .. }, TipoTrabajo::Perfil) => perfil_accepted,
            (Self::Ingested { finalizado: Some(f), .. }, TipoTrabajo::Presupuesto) => &mut f.presupuesto,
            (Self::Ingested { finalizado: Some(f), .. }, TipoTrabajo::CorreoCliente) => {
                &mut f.correo_accepted
            }
            (Self::Ingested { finalizado: Some(f), .. }, TipoTrabajo::Pdf) => &mut f.pdf_accepted,
            (Self::MensajeriaStarted { accepted }, TipoTrabajo::Mensajeria) => accepted,
            _ => return,
        };
        *flag = true;
    }

    /// As it is stored.
    pub fn write(&self) -> String {
        serde_json::to_string(self).expect("an outcome is plain data")
    }

    /// Reads what [`Outcome::write`] wrote, or what older programs stored in its place.
    pub fn read(ambito: &str, status: i32, cuerpo: &str) -> crate::Result<Self> {
        let outcome = match status {
            TYPED => serde_json::from_str(cuerpo).ok(),
            _ => older::read(ambito, cuerpo),
        };
        outcome.ok_or_else(|| StoreError::Internal(format!("the key of «{ambito}» holds no outcome")))
    }
}

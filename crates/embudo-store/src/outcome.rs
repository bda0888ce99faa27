//! The outcome of a call, as data: stored with its `Idempotency-Key` and returned again when the call is repeated
//! (contract §2.6).

use std::borrow::Cow;

use embudo_domain::job::JobKind;
use embudo_domain::{IntentoId, LeadId, TurnoId};
use serde::{Deserialize, Serialize};

use crate::StoreError;

/// The value of the column `status` that says that the column `cuerpo` is an [`Outcome`].
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
        updated: Vec<Cow<'static, str>>,
    },
    IntentoRecorded {
        id: IntentoId,
    },
    Ingested {
        fotos: usize,
        notas: usize,
        perfil_accepted: bool,
        finalizado: Option<FinalizarOutcome>,
    },
    MensajeriaStarted {
        accepted: bool,
    },
    /// The answer only says that it was done.
    Done,
}

/// The outcome of a `finalizar`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FinalizarOutcome {
    /// The quote is drawn and stored.
    pub presupuesto: bool,
    #[serde(rename = "correo_accepted")]
    pub mail_accepted: bool,
    pub pdf_accepted: bool,
}

impl Outcome {
    /// Notes that a job of this kind, which the call made, was accepted.
    pub fn accept(&mut self, kind: JobKind) {
        let flag = match (self, kind) {
            (Self::Ingested { perfil_accepted, .. }, JobKind::Perfil) => perfil_accepted,
            (Self::Ingested { finalizado: Some(f), .. }, JobKind::Presupuesto) => &mut f.presupuesto,
            (Self::Ingested { finalizado: Some(f), .. }, JobKind::ClientMail) => &mut f.mail_accepted,
            (Self::Ingested { finalizado: Some(f), .. }, JobKind::Pdf) => &mut f.pdf_accepted,
            (Self::MensajeriaStarted { accepted }, JobKind::Mensajeria) => accepted,
            _ => return,
        };
        *flag = true;
    }

    /// The text that is stored.
    pub fn write(&self) -> String {
        serde_json::to_string(self).expect("an outcome is plain data")
    }

    /// Reads what [`Outcome::write`] wrote.
    pub fn read(scope: &str, body: &str) -> crate::Result<Self> {
        serde_json::from_str(body)
            .map_err(|_| StoreError::Internal(format!("the key of «{scope}» holds no outcome")))
    }
}

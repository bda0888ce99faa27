//! Jobs that are made inside commands: signals, mails, notices to the company.

use embudo_domain::trabajo::TipoTrabajo;
use embudo_domain::{Timestamp, TrabajoId};
use embudo_store::cola::{CargaNueva, NuevoTrabajo};

use super::como_texto;
use crate::App;
use crate::avisos::Aviso;

/// Makes jobs.
#[derive(Clone, Copy)]
pub(crate) struct NewJobs<'a> {
    pub(crate) app: &'a App,
}

impl NewJobs<'_> {
    /// A job that this process tries first, at once.
    pub(crate) fn own(self, tipo: TipoTrabajo, carga: CargaNueva) -> NuevoTrabajo {
        let id = TrabajoId(self.app.id());
        NuevoTrabajo { id, tipo, carga, arriendo: Some(self.app.outbound.arriendo()), proximo_en: None }
    }

    /// A job for whoever comes first.
    pub(crate) fn shared(self, tipo: TipoTrabajo, carga: CargaNueva) -> NuevoTrabajo {
        NuevoTrabajo { arriendo: None, ..self.own(tipo, carga) }
    }

    /// A mail to the company, if mail is configured. Whether the company wants it is the store's to know.
    pub(crate) fn notice(self, aviso: &Aviso) -> Vec<NuevoTrabajo> {
        self.notice_as(TipoTrabajo::CorreoEmpresa, aviso)
    }

    /// The mail about a form: now, or after a quiet time. One of a lead takes the place of one that waits.
    pub(crate) fn notice_of_form(self, aviso: &Aviso, proximo_en: Option<Timestamp>) -> Vec<NuevoTrabajo> {
        let trabajos = self.notice_as(TipoTrabajo::AvisoFormulario, aviso);
        trabajos.into_iter().map(|t| NuevoTrabajo { proximo_en, ..t }).collect()
    }

    fn notice_as(self, tipo: TipoTrabajo, aviso: &Aviso) -> Vec<NuevoTrabajo> {
        if self.app.outbound.correo.is_none() {
            return Vec::new();
        }
        self.app.taller.avisar();
        vec![self.shared(tipo, como_texto(aviso))]
    }
}

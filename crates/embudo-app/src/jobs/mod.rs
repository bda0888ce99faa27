//! Jobs: how they are made, and attempts at them. Each kind has a file; what an attempt means for the job is decided here for all.

mod attempt;
mod correo_cliente;
mod correo_empresa;
mod first_attempts;
mod mail;
mod mensajeria;
mod new_jobs;
mod pdf;
mod perfil;
mod presupuesto;

use std::time::Duration;

use embudo_delivery::correo::{Fallo, Fase};
use embudo_delivery::{Clase, Intento, Resultado as DelCorreo};
use embudo_domain::PresupuestoId;
use embudo_domain::evento::Evento;
use embudo_domain::presupuesto::{EntregaEncargada, NumeroPresupuesto, PdfGuardado};
use embudo_domain::trabajo::{Entrega, TipoTrabajo, Trabajo};
use embudo_store::cola::NuevoTrabajo;

use crate::App;
use crate::blobs::Puesto;

pub(crate) use correo_cliente::CargaCorreo;
pub(crate) use first_attempts::{run_chain, try_now};
pub(crate) use new_jobs::NewJobs;
pub(crate) use pdf::{CargaPdf, WhichPdf};
pub(crate) use presupuesto::{CargaPresupuesto, como_texto, numero_de};

/// A quote that is drawn, to be stored with the end of its job.
pub(crate) struct Terminado {
    pub id: PresupuestoId,
    pub numero: NumeroPresupuesto,
    pub pdf: PdfGuardado,
    /// The PDF's bytes, if it was drawn just now.
    pub puesto: Option<Puesto>,
    pub eventos: Vec<Evento>,
    /// The jobs that deliver it.
    pub trabajos: Vec<NuevoTrabajo>,
    /// Every delivery, the simulated ones too.
    pub entregas: Vec<EntregaEncargada>,
}

/// How an attempt ended.
#[derive(Debug)]
pub(crate) struct Desenlace {
    pub conclusion: Conclusion,
    pub status: Option<u16>,
    pub error: Option<String>,
    pub respuesta: Option<String>,
    pub salud: Salud,
}

/// What an attempt shows of the other side, for the circuit breaker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Salud {
    /// It is there and does its work, be it that it refused this very message.
    Buena,
    /// It is not there, or fails.
    Mala,
    /// Nothing: the attempt failed before it came to that.
    Desconocida,
}

/// What that means for the job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Conclusion {
    /// Accepted.
    Llego,
    /// Worth another attempt, not before this long.
    Reintentar(Option<Duration>),
    /// Pointless to try again.
    Nunca,
    /// Perhaps accepted.
    Duda,
}

/// Makes one attempt.
async fn attempt(app: &App, trabajo: &Trabajo) -> (Desenlace, Option<Terminado>) {
    let desenlace = match trabajo.tipo {
        TipoTrabajo::Perfil => perfil::attempt(app, trabajo).await,
        TipoTrabajo::Mensajeria => mensajeria::attempt(app, trabajo).await,
        TipoTrabajo::CorreoEmpresa | TipoTrabajo::AvisoFormulario => {
            correo_empresa::attempt(app, trabajo).await
        }
        TipoTrabajo::Pdf => pdf::attempt(app, trabajo).await,
        TipoTrabajo::CorreoCliente => correo_cliente::attempt(app, trabajo).await,
        TipoTrabajo::Presupuesto => return presupuesto::attempt(app, trabajo).await,
    };
    (desenlace, None)
}

impl Desenlace {
    /// It cannot be sent as it is.
    pub fn nunca(error: impl Into<String>) -> Self {
        Self {
            conclusion: Conclusion::Nunca,
            status: None,
            error: Some(error.into()),
            respuesta: None,
            salud: Salud::Desconocida,
        }
    }

    /// Something of ours was out of reach.
    pub fn luego(error: impl Into<String>) -> Self {
        Self { conclusion: Conclusion::Reintentar(None), ..Self::nunca(error) }
    }

    /// Its line in the delivery log.
    pub fn entrega(&self, inicio: jiff::Timestamp, duracion: Duration) -> Entrega {
        Entrega {
            inicio,
            duracion_ms: i64::try_from(duracion.as_millis()).unwrap_or(i64::MAX),
            ok: self.conclusion == Conclusion::Llego,
            status: self.status,
            error: self.error.clone(),
            respuesta: self.respuesta.clone(),
        }
    }
}

impl From<Intento> for Desenlace {
    fn from(intento: Intento) -> Self {
        let (conclusion, salud) = match intento.clase {
            Clase::Ok => (Conclusion::Llego, Salud::Buena),
            Clase::Reintentar => (Conclusion::Reintentar(intento.retry_after), Salud::Mala),
            Clase::Fin => (Conclusion::Nunca, Salud::Buena),
        };
        // PostgreSQL holds no U+0000, and a receiver may answer anything.
        let respuesta = Some(intento.respuesta.replace('\0', "")).filter(|r| !r.is_empty());
        Self { conclusion, status: intento.status, error: intento.error, respuesta, salud }
    }
}

impl From<DelCorreo> for Desenlace {
    fn from(resultado: DelCorreo) -> Self {
        let con = |conclusion, fallo: Fallo| Self {
            conclusion,
            status: fallo.codigo,
            error: Some(fallo.to_string().replace('\0', "")),
            respuesta: None,
            salud: mail_health(&fallo),
        };
        match resultado {
            DelCorreo::Enviado(texto) => Self {
                conclusion: Conclusion::Llego,
                status: Some(250),
                error: None,
                respuesta: Some(texto.replace('\0', "")),
                salud: Salud::Buena,
            },
            DelCorreo::Permanente(fallo) => con(Conclusion::Nunca, fallo),
            DelCorreo::Temporal(fallo) => con(Conclusion::Reintentar(None), fallo),
            DelCorreo::Dudoso(fallo) => con(Conclusion::Duda, fallo),
        }
    }
}

/// A server that refuses a recipient, for now or for good, or a message for good, is well; 421 is its goodbye.
fn mail_health(fallo: &Fallo) -> Salud {
    match (fallo.fase, fallo.codigo) {
        (Fase::Mensaje, _) => Salud::Desconocida,
        (Fase::Destinatario, Some(codigo)) if codigo != 421 => Salud::Buena,
        (Fase::Contenido | Fase::Final, Some(500..)) => Salud::Buena,
        _ => Salud::Mala,
    }
}

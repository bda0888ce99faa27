//! One attempt at a job, by kind. Each kind has a file; what becomes of the job is decided here for all.

mod correo_cliente;
mod correo_empresa;
mod mensajeria;
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
    pub fin: Fin,
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
pub(crate) enum Fin {
    /// Accepted.
    Llego,
    /// Worth another attempt, not before this long.
    Reintentar(Option<Duration>),
    /// Pointless to try again.
    Nunca,
    /// Perhaps accepted.
    Duda,
}

impl App {
    /// Makes one attempt.
    pub(crate) async fn attempt(&self, trabajo: &Trabajo) -> (Desenlace, Option<Terminado>) {
        let desenlace = match trabajo.tipo {
            TipoTrabajo::Perfil => self.attempt_perfil(trabajo).await,
            TipoTrabajo::Mensajeria => self.attempt_mensajeria(trabajo).await,
            TipoTrabajo::CorreoEmpresa | TipoTrabajo::AvisoFormulario => {
                self.attempt_correo_empresa(trabajo).await
            }
            TipoTrabajo::Pdf => self.attempt_pdf(trabajo).await,
            TipoTrabajo::CorreoCliente => self.attempt_correo_cliente(trabajo).await,
            TipoTrabajo::Presupuesto => return self.attempt_presupuesto(trabajo).await,
        };
        (desenlace, None)
    }
}

impl Desenlace {
    /// It cannot be sent as it is.
    pub fn nunca(error: impl Into<String>) -> Self {
        Self {
            fin: Fin::Nunca,
            status: None,
            error: Some(error.into()),
            respuesta: None,
            salud: Salud::Desconocida,
        }
    }

    /// Something of ours was out of reach.
    pub fn luego(error: impl Into<String>) -> Self {
        Self { fin: Fin::Reintentar(None), ..Self::nunca(error) }
    }

    /// Its line in the delivery log.
    pub fn entrega(&self, inicio: jiff::Timestamp, duracion: Duration) -> Entrega {
        Entrega {
            inicio,
            duracion_ms: i64::try_from(duracion.as_millis()).unwrap_or(i64::MAX),
            ok: self.fin == Fin::Llego,
            status: self.status,
            error: self.error.clone(),
            respuesta: self.respuesta.clone(),
        }
    }
}

impl From<Intento> for Desenlace {
    fn from(intento: Intento) -> Self {
        let (fin, salud) = match intento.clase {
            Clase::Ok => (Fin::Llego, Salud::Buena),
            Clase::Reintentar => (Fin::Reintentar(intento.retry_after), Salud::Mala),
            Clase::Fin => (Fin::Nunca, Salud::Buena),
        };
        // PostgreSQL holds no U+0000, and a receiver may answer anything.
        let respuesta = Some(intento.respuesta.replace('\0', "")).filter(|r| !r.is_empty());
        Self { fin, status: intento.status, error: intento.error, respuesta, salud }
    }
}

impl From<DelCorreo> for Desenlace {
    fn from(resultado: DelCorreo) -> Self {
        let con = |fin, fallo: Fallo| Self {
            fin,
            status: fallo.codigo,
            error: Some(fallo.to_string().replace('\0', "")),
            respuesta: None,
            salud: mail_health(&fallo),
        };
        match resultado {
            DelCorreo::Enviado(texto) => Self {
                fin: Fin::Llego,
                status: Some(250),
                error: None,
                respuesta: Some(texto.replace('\0', "")),
                salud: Salud::Buena,
            },
            DelCorreo::Permanente(fallo) => con(Fin::Nunca, fallo),
            DelCorreo::Temporal(fallo) => con(Fin::Reintentar(None), fallo),
            DelCorreo::Dudoso(fallo) => con(Fin::Duda, fallo),
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

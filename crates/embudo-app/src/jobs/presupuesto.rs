//! The quote: composed, drawn, stored, and handed to its deliveries.
//!
//! Every step can be repeated: the draft is found again by its content, the PDF has the same bytes, and the last step
//! ends this job and makes the deliveries in one transaction. So a crash anywhere leaves one quote and one mail.

use embudo_domain::evento::{Evento, TipoEvento};
use embudo_domain::presupuesto::{CanalEntrega, EntregaEncargada, Presupuesto};
use embudo_domain::senal::PdfSenal;
use embudo_domain::trabajo::{TipoTrabajo, Trabajo};
use embudo_domain::{PresupuestoId, TrabajoId};
use embudo_store::StoreError;
use embudo_store::cola::{CargaNueva, NuevoTrabajo};
use serde::{Deserialize, Serialize};

use super::{CargaCorreo, CargaPdf, Conclusion, Desenlace, Terminado, WhichPdf};
use crate::{App, AppError};

/// What the job keeps: the ids that its deliveries will have, so that the call which caused it can name them beforehand.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct CargaPresupuesto {
    /// The mail's.
    pub correo: TrabajoId,
    /// The messaging signal's.
    pub pdf: TrabajoId,
}

pub(super) async fn attempt(app: &App, trabajo: &Trabajo) -> (Desenlace, Option<Terminado>) {
    let Ok(carga) = serde_json::from_str::<CargaPresupuesto>(&trabajo.carga) else {
        return (Desenlace::nunca("el encargo guardado no se puede leer"), None);
    };
    match make_presupuesto(app, trabajo, carga).await {
        Ok(terminado) => (Desenlace::presupuesto(terminado.numero), Some(terminado)),
        Err(AppError::Store(StoreError::LeadNotFound)) => (Desenlace::nunca("el lead ya no existe"), None),
        Err(error) => (Desenlace::luego(error.to_string()), None),
    }
}

async fn make_presupuesto(
    app: &App,
    trabajo: &Trabajo,
    carga: CargaPresupuesto,
) -> Result<Terminado, AppError> {
    let ficha = app.store.ficha(trabajo.lead).await?;
    let presupuesto = app.quotes().draft(&ficha).await?;
    let en = app.ahora();
    let mut eventos = Vec::new();
    let (pdf, puesto) = match presupuesto.pdf {
        Some(pdf) => (pdf, None),
        None => {
            let dibujado = app.quotes().draw(&presupuesto, &ficha.fotos).await?;
            let faults =
                [(TipoEvento::Plantilla, dibujado.sin_plantilla), (TipoEvento::Fotos, dibujado.sin_mostrar)];
            for (tipo, detalle) in faults {
                let evento = Evento { tipo, simulado: false, ok: false, detalle, creado_en: en };
                eventos.extend(Some(evento).filter(|e| e.detalle.is_some()));
            }
            (dibujado.guardado, Some((dibujado.guardado.huella, dibujado.pdf)))
        }
    };
    let correo = app.outbound.correo.is_some().then(|| by_mail(app, &presupuesto, carga.correo));
    let senal = PdfSenal::new(&ficha.lead, presupuesto.numero.nombre_fichero());
    let mensajeria = app.outbound.pdf.is_some().then(|| by_messaging(app, senal, carga.pdf, presupuesto.id));
    let simulados = [(&correo, TipoEvento::CorreoCliente), (&mensajeria, TipoEvento::Pdf)];
    eventos.extend(simulados.into_iter().filter(|(entrega, _)| entrega.is_none()).map(|(_, tipo)| Evento {
        tipo,
        simulado: true,
        ok: false,
        detalle: None,
        creado_en: en,
    }));
    Ok(Terminado {
        id: presupuesto.id,
        numero: presupuesto.numero,
        pdf,
        puesto,
        eventos,
        entregas: vec![
            encargada(CanalEntrega::Email, carga.correo, &correo),
            encargada(CanalEntrega::Messaging, carga.pdf, &mensajeria),
        ],
        trabajos: [correo, mensajeria].into_iter().flatten().collect(),
    })
}

fn by_mail(app: &App, presupuesto: &Presupuesto, id: TrabajoId) -> NuevoTrabajo {
    let carga = CargaCorreo {
        numero: presupuesto.numero.to_string(),
        titulo: en_minuscula(&presupuesto.documento.calculo.titulo),
        filename: presupuesto.numero.nombre_fichero(),
        pdf: WhichPdf::Sealed { presupuesto: presupuesto.id },
        pagina: app.quotes().page_url(presupuesto.id),
    };
    NuevoTrabajo { id, ..app.jobs().own(TipoTrabajo::CorreoCliente, como_texto(&carga)) }
}

fn by_messaging(app: &App, senal: PdfSenal, id: TrabajoId, presupuesto: PresupuestoId) -> NuevoTrabajo {
    let carga = CargaPdf { senal, pdf: WhichPdf::Sealed { presupuesto } };
    NuevoTrabajo { id, ..app.jobs().own(TipoTrabajo::Pdf, como_texto(&carga)) }
}

/// A delivery for the record; without a job it is only simulated.
fn encargada(canal: CanalEntrega, trabajo: TrabajoId, hecho: &Option<NuevoTrabajo>) -> EntregaEncargada {
    EntregaEncargada { canal, trabajo, simulada: hecho.is_none() }
}

impl Desenlace {
    fn presupuesto(numero: embudo_domain::presupuesto::NumeroPresupuesto) -> Self {
        let salud = super::Salud::Desconocida;
        Self {
            conclusion: Conclusion::Llego,
            status: None,
            error: None,
            respuesta: Some(numero.to_string()),
            salud,
        }
    }
}

pub(crate) fn como_texto(carga: &impl Serialize) -> CargaNueva {
    CargaNueva::Texto(serde_json::to_string(carga).expect("a job's data is plain"))
}

/// The number of the quote that a job carries, for people.
pub(crate) fn numero_de(trabajo: &Trabajo) -> Option<String> {
    match trabajo.tipo {
        TipoTrabajo::CorreoCliente => {
            serde_json::from_str::<CargaCorreo>(&trabajo.carga).ok().map(|c| c.numero)
        }
        TipoTrabajo::Pdf => {
            let carga = serde_json::from_str::<CargaPdf>(&trabajo.carga).ok()?;
            let numero = carga.senal.filename.strip_prefix("presupuesto-")?.strip_suffix(".pdf")?;
            Some(numero.to_owned())
        }
        _ => None,
    }
}

/// «Reforma de baño» within a sentence.
fn en_minuscula(titulo: &str) -> String {
    let mut letras = titulo.chars();
    letras.next().map(|c| c.to_lowercase().chain(letras).collect()).unwrap_or_default()
}

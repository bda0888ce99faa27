//! A quote that is ready goes out by mail and by messaging, in parallel.

use embudo_domain::evento::{Evento, TipoEvento};
use embudo_domain::presupuesto::NumeroPresupuesto;
use embudo_domain::senal::PdfSenal;
use embudo_domain::trabajo::TipoTrabajo;
use embudo_domain::{Huella, LeadId, Timestamp};
use embudo_store::cola::{CargaNueva, NuevoTrabajo};
use embudo_store::command::Ingest;

use crate::trabajo::{CargaCorreo, CargaPdf};
use crate::{App, AppError, Senales};

/// A quote whose PDF is stored.
#[derive(Debug, Clone)]
pub struct PresupuestoListo {
    /// Its number.
    pub numero: NumeroPresupuesto,
    /// What it is for, as in «presupuesto de …»: «reforma de baño».
    pub titulo: String,
    /// The PDF's blob, under the lead's prefix.
    pub pdf: Huella,
}

impl App {
    /// Makes the deliveries of a quote and waits for their first attempt. What is not configured is simulated. A newer quote replaces
    /// deliveries of an older one that still wait.
    pub async fn deliver_presupuesto(
        &self,
        lead: LeadId,
        listo: &PresupuestoListo,
    ) -> Result<Senales, AppError> {
        let ficha = self.store.ficha(lead).await?;
        let en = self.ahora();
        let senal = PdfSenal::de(&ficha.lead, listo.numero.nombre_fichero());
        let trabajos: Vec<NuevoTrabajo> =
            [self.by_mail(listo), self.by_messaging(listo, senal)].into_iter().flatten().collect();
        let propios = trabajos.iter().map(|t| t.id).collect();
        let command = Ingest {
            lead,
            fotos: Vec::new(),
            notas: Vec::new(),
            eventos: self.simulated(en),
            trabajos,
            finalizar: false,
            plazos: self.salidas.plazos,
            barridos: Vec::new(),
            en,
            idempotencia: None,
        };
        self.store.ingest(command).await?;
        Ok(self.try_now(propios).await)
    }

    fn by_mail(&self, listo: &PresupuestoListo) -> Option<NuevoTrabajo> {
        self.salidas.correo.as_ref()?;
        let carga = CargaCorreo {
            numero: listo.numero.to_string(),
            titulo: listo.titulo.clone(),
            filename: listo.numero.nombre_fichero(),
            pdf: listo.pdf.to_string(),
        };
        Some(self.trabajo_propio(TipoTrabajo::CorreoCliente, como_texto(&carga)))
    }

    fn by_messaging(&self, listo: &PresupuestoListo, senal: PdfSenal) -> Option<NuevoTrabajo> {
        self.salidas.pdf.as_ref()?;
        let carga = CargaPdf { senal, pdf: listo.pdf.to_string() };
        Some(self.trabajo_propio(TipoTrabajo::Pdf, como_texto(&carga)))
    }

    fn simulated(&self, en: Timestamp) -> Vec<Evento> {
        let faltan = [
            (self.salidas.correo.is_none(), TipoEvento::CorreoCliente),
            (self.salidas.pdf.is_none(), TipoEvento::Pdf),
        ];
        let faltan = faltan.into_iter().filter(|(falta, _)| *falta);
        faltan
            .map(|(_, tipo)| Evento { tipo, simulado: true, ok: false, detalle: None, creado_en: en })
            .collect()
    }
}

fn como_texto(carga: &impl serde::Serialize) -> CargaNueva {
    CargaNueva::Texto(serde_json::to_string(carga).expect("a job's data is plain"))
}

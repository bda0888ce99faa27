//! The watched loop: leads whose renders or `finalizar` are overdue are marked, and signalled again where that is wanted. Where it
//! is not, the company is told: nothing more happens by itself.

use embudo_domain::bucle::PasoBucle;
use embudo_domain::evento::{Evento, TipoEvento};
use embudo_domain::trabajo::TipoTrabajo;
use embudo_store::cola::{BucleVencido, CargaNueva, VencerBucle};

use super::Housekeeping;
use crate::AppError;
use crate::avisos::Aviso;

/// Leads looked at in one go.
const TRAMO: u32 = 100;

impl Housekeeping<'_> {
    /// Marks every overdue lead; returns how many.
    pub async fn watch_loops(self) -> Result<usize, AppError> {
        let mut total = 0;
        loop {
            let vencidos = self.app.store.bucles_vencidos(self.app.ahora(), TRAMO).await?;
            for vencido in &vencidos {
                total += usize::from(self.mark_overdue(vencido).await?);
            }
            if vencidos.len() < TRAMO as usize {
                return Ok(total);
            }
        }
    }

    async fn mark_overdue(self, vencido: &BucleVencido) -> Result<bool, AppError> {
        let en = self.app.ahora();
        let repetir = vencido.paso == PasoBucle::EsperandoRenders
            && vencido.resenales < self.app.outbound.resenales
            && self.app.outbound.perfil.is_some();
        let evento = Evento {
            tipo: TipoEvento::BucleVencido,
            simulado: false,
            ok: false,
            detalle: Some(vencido.paso.to_string()),
            creado_en: en,
        };
        let resenal = repetir.then(|| self.app.jobs().shared(TipoTrabajo::Perfil, CargaNueva::Perfil));
        let avisos = match repetir {
            true => Vec::new(),
            false => self.app.jobs().notice(&Aviso::BucleVencido { paso: vencido.paso.to_string() }),
        };
        let command = VencerBucle { lead: vencido.lead, paso: vencido.paso, evento, resenal, avisos, en };
        let marcado = self.app.store.vencer_bucle(command).await?;
        if repetir {
            self.app.taller.avisar();
        }
        Ok(marcado)
    }
}

//! What a quote says, by today's prices and taxes.

use std::borrow::Cow;
use std::sync::{LazyLock, OnceLock};

use embudo_domain::ficha::Ficha;
use embudo_domain::iva::Impuestos;
use embudo_domain::presupuesto::{Base, Documento, Presupuesto, Validez};
use embudo_domain::tarifa::Tarifa;
use embudo_domain::{EmpresaId, PresupuestoId};
use embudo_store::presupuestos::DraftPresupuesto;
use jiff::civil::Date;

use super::Quotes;
use crate::AppError;

impl Quotes<'_> {
    /// The prices of a company on a day: its own, or the shipped ones.
    pub async fn tarifa(self, empresa: EmpresaId, dia: Date) -> Result<Cow<'static, Tarifa>, AppError> {
        static DE_LA_CASA: LazyLock<Tarifa> = LazyLock::new(Tarifa::por_defecto);
        let de_la_casa = || Cow::Borrowed(&*DE_LA_CASA);
        let Some(guardada) = self.app.store.tarifa_vigente(empresa, dia).await? else {
            return Ok(de_la_casa());
        };
        // It was checked when it was loaded, perhaps by an older program.
        Ok(Tarifa::parse(&guardada.texto).map_or_else(|error| {
            tracing::error!(empresa.id = %empresa, version = guardada.version, %error, "a price table no longer reads; the shipped one is used");
            de_la_casa()
        }, Cow::Owned))
    }

    /// The taxes, as shipped.
    pub fn impuestos(self) -> &'static Impuestos {
        static IMPUESTOS: OnceLock<Impuestos> = OnceLock::new();
        IMPUESTOS.get_or_init(Impuestos::por_defecto)
    }

    /// Composes what a lead's quote says today, and drafts it unless the last one says the same.
    pub(crate) async fn draft(self, ficha: &Ficha) -> Result<Presupuesto, AppError> {
        let (lead, empresa) = (&ficha.lead, ficha.lead.empresa.id);
        let dia = self.app.hoy();
        let marca = self.app.store.marca(empresa).await?;
        let tarifa = self.tarifa(empresa, dia).await?;
        let base =
            Base { marca: &marca.marca, logo: marca.logo, tarifa: &tarifa, impuestos: self.impuestos(), dia };
        let documento = Documento::componer(lead, &ficha.notas, &ficha.fotos, base);
        let command = DraftPresupuesto {
            id: PresupuestoId(self.app.id()),
            lead: lead.id,
            validez: Validez::new(dia, documento.dias_validez),
            documento,
            en: self.app.ahora(),
        };
        Ok(self.app.store.draft_presupuesto(command).await?)
    }
}

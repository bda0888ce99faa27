//! What a quote says, by today's prices and taxes.

use std::borrow::Cow;
use std::sync::{LazyLock, OnceLock};

use embudo_domain::iva::Impuestos;
use embudo_domain::presupuesto::{Base, Document, Presupuesto, Validity};
use embudo_domain::record::LeadRecord;
use embudo_domain::tarifa::Tarifa;
use embudo_domain::{EmpresaId, PresupuestoId};
use embudo_store::presupuestos::DraftPresupuesto;
use jiff::civil::Date;

use super::Quotes;
use crate::AppError;

impl Quotes<'_> {
    /// The prices of a company on a day: its own, or the shipped ones.
    pub async fn tarifa(self, empresa: EmpresaId, day: Date) -> Result<Cow<'static, Tarifa>, AppError> {
        static OF_THE_COMPANY: LazyLock<Tarifa> = LazyLock::new(Tarifa::por_defecto);
        let of_the_company = || Cow::Borrowed(&*OF_THE_COMPANY);
        let Some(stored) = self.app.store.current_tarifa(empresa, day).await? else {
            return Ok(of_the_company());
        };
        // It was checked when it was loaded, perhaps by an older program.
        Ok(Tarifa::parse(&stored.text).map_or_else(|error| {
            tracing::error!(empresa.id = %empresa, version = stored.version, %error, "a price table no longer reads; the shipped one is used");
            of_the_company()
        }, Cow::Owned))
    }

    /// The taxes, as shipped.
    pub fn impuestos(self) -> &'static Impuestos {
        static IMPUESTOS: OnceLock<Impuestos> = OnceLock::new();
        IMPUESTOS.get_or_init(Impuestos::por_defecto)
    }

    /// Composes what a lead's quote says today, and drafts it unless the last one says the same.
    pub(crate) async fn draft(self, record: &LeadRecord) -> Result<Presupuesto, AppError> {
        let (lead, empresa) = (&record.lead, record.lead.empresa.id);
        let day = self.app.today();
        let brand = self.app.store.brand(empresa).await?;
        let tarifa = self.tarifa(empresa, day).await?;
        let base =
            Base { brand: &brand.brand, logo: brand.logo, tarifa: &tarifa, impuestos: self.impuestos(), day };
        let document = Document::compose(lead, &record.notas, &record.fotos, base);
        let command = DraftPresupuesto {
            id: PresupuestoId(self.app.id()),
            lead: lead.id,
            validity: Validity::new(day, document.valid_days),
            document,
            at: self.app.now(),
        };
        Ok(self.app.store.draft_presupuesto(command).await?)
    }
}

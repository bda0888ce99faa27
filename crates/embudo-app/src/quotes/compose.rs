//! The content of a quote: by today's prices and taxes, or as a person wrote it.

use std::borrow::Cow;
use std::sync::{LazyLock, OnceLock};

use embudo_domain::color::Color;
use embudo_domain::iva::{Condiciones, Impuestos};
use embudo_domain::legal::Legal;
use embudo_domain::presupuesto::draft::Draft;
use embudo_domain::presupuesto::{Base, Bounds, Document, Presupuesto, Validity};
use embudo_domain::record::LeadRecord;
use embudo_domain::tarifa::Tarifa;
use embudo_domain::{EmpresaId, PresupuestoId};
use embudo_store::empresas::StoredBrand;
use embudo_store::presupuestos::NewPresupuesto;
use jiff::civil::Date;

use super::Quotes;
use crate::AppError;

/// The company's data for a quote on a day.
pub struct Ingredients {
    brand: StoredBrand,
    tarifa: Cow<'static, Tarifa>,
    impuestos: &'static Impuestos,
    legal: Legal,
    condiciones: Condiciones,
    day: Date,
    bounds: Bounds,
}

impl Ingredients {
    /// The same data with a colour that the company only tries out.
    pub(super) fn in_color(mut self, color: Color) -> Self {
        self.brand.brand.color = color;
        self
    }

    pub fn base(&self) -> Base<'_> {
        Base {
            brand: &self.brand.brand,
            logo: self.brand.logo,
            tarifa: &self.tarifa,
            impuestos: self.impuestos,
            condiciones: self.condiciones,
            legal: Some(&self.legal),
            day: self.day,
            bounds: self.bounds,
        }
    }
}

impl Quotes<'_> {
    /// The prices of a company on a day: its own, or the shipped ones.
    pub async fn tarifa(self, empresa: EmpresaId, day: Date) -> Result<Cow<'static, Tarifa>, AppError> {
        static OF_THE_COMPANY: LazyLock<Tarifa> = LazyLock::new(Tarifa::por_defecto);
        let of_the_company = || Cow::Borrowed(&*OF_THE_COMPANY);
        let Some(stored) = self.app.store.current_tarifa(empresa, day).await? else {
            return Ok(of_the_company());
        };
        let scales_own = self.app.store.settings(empresa).await?.scales_own_prices;
        // The table was checked when it was loaded, but perhaps by an older program.
        Ok(Tarifa::parse(&stored.text).map_or_else(|error| {
            tracing::error!(empresa.id = %empresa, version = stored.version, %error, "a price table no longer reads; the shipped one is used");
            of_the_company()
        }, |tarifa| Cow::Owned(tarifa.scaling_own(scales_own))))
    }

    /// The taxes, as shipped.
    pub fn impuestos(self) -> &'static Impuestos {
        static IMPUESTOS: OnceLock<Impuestos> = OnceLock::new();
        IMPUESTOS.get_or_init(Impuestos::por_defecto)
    }

    /// The data from which a quote of this lead is made today.
    pub async fn ingredients(self, record: &LeadRecord) -> Result<Ingredients, AppError> {
        static LEGAL: LazyLock<Legal> = LazyLock::new(Legal::por_defecto);
        let empresa = record.lead.empresa.id;
        let day = self.app.today();
        let settings = self.app.store.settings(empresa).await?;
        Ok(Ingredients {
            brand: self.app.store.brand(empresa).await?,
            tarifa: self.tarifa(empresa, day).await?,
            impuestos: self.impuestos(),
            legal: LEGAL.clone().with_own(&settings.legal),
            condiciones: record.lead.condiciones(),
            day,
            bounds: self.app.outbound.bounds,
        })
    }

    /// Composes a lead's quote from today's data, and stores it with a number, not yet drawn, unless the last quote
    /// says the same. If a person wrote the lead's quote, their lines are used, together with the photos that arrived
    /// since.
    pub(crate) async fn compose(self, record: &LeadRecord) -> Result<Presupuesto, AppError> {
        let with = self.ingredients(record).await?;
        let document = match self.app.store.last_sent_draft(record.lead.id).await? {
            Some((id, json)) => compose_written(id, &json, record, with.base()),
            None => None,
        };
        let of_the_table = || Document::compose(&record.lead, &record.notas, &record.fotos, with.base());
        let document = document.unwrap_or_else(of_the_table);
        let command = NewPresupuesto {
            id: PresupuestoId(self.app.id()),
            lead: record.lead.id,
            validity: Validity::new(with.day, document.valid_days),
            document,
            at: self.app.now(),
        };
        Ok(self.app.store.add_presupuesto(command).await?)
    }
}

/// Composes what a person wrote, with today's data. It could be sent once, so normally it can be sent again. If it
/// cannot, the caller uses the prices of the table.
fn compose_written(id: PresupuestoId, json: &str, record: &LeadRecord, base: Base<'_>) -> Option<Document> {
    let draft = Draft::read(json.as_bytes());
    let composed =
        draft.and_then(|draft| draft.compose_shortened(&record.lead, &record.notas, &record.fotos, base));
    composed
        .inspect_err(|_| tracing::error!(presupuesto.id = %id, "the lines of a quote no longer read; those of the table are used"))
        .ok()
}

//! The model keeps no figures: they are tested on the engines alone.

use async_trait::async_trait;
use embudo_domain::EmpresaId;
use embudo_domain::figures::{Level, Range, Sums};
use embudo_domain::visita::SpanishTimeZone;
use embudo_store::figures::Summary;
use embudo_store::{FigureReads, FigureStore, Result};
use jiff::civil::Date;

use super::Memory;

#[async_trait]
impl FigureStore for Memory {
    async fn clear_figures(&self) -> Result<()> {
        unimplemented!()
    }
}

#[async_trait]
impl FigureReads for Memory {
    async fn sums(
        &self,
        _: EmpresaId,
        _: SpanishTimeZone,
        _: Level,
        _: Date,
        _: Date,
    ) -> Result<Vec<(Date, Sums)>> {
        unimplemented!()
    }

    async fn summary(&self, _: EmpresaId, _: SpanishTimeZone, _: Range) -> Result<Summary> {
        unimplemented!()
    }
}

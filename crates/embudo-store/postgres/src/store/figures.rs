//! What the summary shows.

use async_trait::async_trait;
use embudo_store::{Figures, Result};

use crate::PgStore;
use crate::command::figures;
use crate::patience::patiently;

#[async_trait]
impl Figures for PgStore {
    async fn clear_figures(&self) -> Result<()> {
        patiently!(self, self.turns.command(), figures::clear(&self.pool))
    }
}

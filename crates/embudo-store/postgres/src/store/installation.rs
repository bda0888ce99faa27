//! What belongs to the installation as a whole.

use async_trait::async_trait;
use embudo_store::{Installation, Result};

use crate::command::business;
use crate::patience::patiently;
use crate::{PgStore, query};

#[async_trait]
impl Installation for PgStore {
    async fn ping(&self) -> Result<()> {
        self.writers_answer().await?;
        patiently!(self, query::ping(&self.vital))
    }

    async fn ensure_secret(&self, nombre: String, proposed: [u8; 32]) -> Result<[u8; 32]> {
        patiently!(self, self.turns.command(), business::ensure_secret(&self.pool, &nombre, proposed))
    }
}

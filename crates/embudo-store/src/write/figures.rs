//! The figures of the summary.

use async_trait::async_trait;

use super::{Engine, Load, Lock, Tx, run_all, sql};
use crate::{FigureStore, Result};

#[async_trait]
impl<E: Engine> FigureStore for E {
    async fn clear_figures(&self) -> Result<()> {
        self.write(Load::SMALL, (), |tx, ()| Box::pin(clear(tx))).await
    }
}

async fn clear(tx: &Tx<'_>) -> Result<()> {
    tx.lock(Lock::Figures).await?;
    run_all(tx, [sql!("lead_cifra/clear.sql"), sql!("cifra/clear.sql")]).await
}

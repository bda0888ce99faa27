//! Counts that several processes share.

use async_trait::async_trait;
use embudo_domain::Timestamp;

use super::{Engine, Load, ROW, Tx, run, sql};
use crate::counts::{Count, merged};
use crate::{Counts, Result};

#[async_trait]
impl<E: Engine> Counts for E {
    async fn add_counts(&self, counts: Vec<Count>) -> Result<()> {
        let counts = merged(counts);
        let load = Load::SMALL.and(counts.len() * ROW);
        self.write(load, counts, |tx, counts| Box::pin(add(tx, counts))).await
    }

    async fn purge_counts(&self, now: Timestamp, max: u32) -> Result<u64> {
        run(self, Load::SMALL, sql!("conteo/purge.sql", now, max)).await
    }
}

/// The keys come in one order from every process, so that no two wait for each other.
async fn add(tx: &Tx<'_>, counts: &[Count]) -> Result<()> {
    for Count { key, n, expires } in counts {
        let (tipo, sujeto, ventana) = (key.kind, key.subject, key.window);
        tx.run(sql!("conteo/add.sql", tipo, sujeto, ventana, n: *n, expira: *expires)).await?;
    }
    Ok(())
}

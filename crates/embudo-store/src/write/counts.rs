//! Counts that several processes share.

use async_trait::async_trait;
use embudo_domain::Timestamp;

use super::{Engine, Load, ROW, Tx, run, sql};
use crate::counts::{Count, merged};
use crate::queries::{Query, Statement};
use crate::{CountStore, Result};

/// How many counts one statement adds: requests of strangers can cause thousands of counts.
const AT_ONCE: usize = 100;

#[async_trait]
impl<E: Engine> CountStore for E {
    async fn add_counts(&self, counts: Vec<Count>) -> Result<()> {
        let counts = merged(counts);
        let load = Load::SMALL.and(counts.len() * ROW);
        self.write(load, counts, |tx, counts| Box::pin(add(tx, counts))).await
    }

    async fn purge_counts(&self, now: Timestamp, max: u32) -> Result<u64> {
        run(self, Load::SMALL, sql!("conteo/purge.sql", now, max)).await
    }
}

/// All processes lock the keys in the same order, so that they cannot deadlock.
async fn add(tx: &Tx<'_>, counts: &[Count]) -> Result<()> {
    for some in counts.chunks(AT_ONCE) {
        tx.run(statement(some)).await?;
    }
    Ok(())
}

fn statement(counts: &[Count]) -> Statement {
    let row = |i: usize| format!("(:tipo{i}, :sujeto{i}, :ventana{i}, :n{i}, :expira{i})");
    let rows: Vec<String> = (0..counts.len()).map(row).collect();
    let text = include_str!("../../sql/conteo/add.sql").replace("{{rows}}", &rows.join(", "));
    let all = Query::of(text, |_| Ok(()));
    counts.iter().enumerate().fold(all, |all, (i, Count { key, n, expires })| {
        all.bind(format!("tipo{i}"), key.kind)
            .bind(format!("sujeto{i}"), key.subject)
            .bind(format!("ventana{i}"), key.window)
            .bind(format!("n{i}"), *n)
            .bind(format!("expira{i}"), *expires)
    })
}

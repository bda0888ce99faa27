//! Keeping the inbox up to date. Each engine implements the projection itself, because it projects hundreds of leads at
//! a time.

use async_trait::async_trait;
use embudo_domain::{LeadId, Timestamp};

use super::{Load, Native, ROW, run_all, sql};
use crate::projection::{Heard, LeadChange, TableCursor, Tail};
use crate::queries::{Statement, projection as queries};
use crate::read::{self, Reader};
use crate::touches::{Touch, Touches};
use crate::{ProjectionStore, Result};

#[async_trait]
impl<E: Native + Reader> ProjectionStore for E {
    fn touches(&self) -> &Touches {
        self.touched()
    }

    async fn project(&self, touches: Vec<(LeadId, Touch)>) -> Result<Vec<LeadChange>> {
        Native::project(self, touches).await
    }

    fn commands_written(&self) -> Option<u64> {
        Native::commands_written(self)
    }

    async fn owners(&self, leads: Vec<LeadId>) -> Result<Vec<LeadChange>> {
        read::owners(self, &leads).await
    }

    async fn tail(&self, now: Timestamp) -> Result<Tail> {
        read::tail(self, now).await
    }

    async fn keep_cursors(&self, cursors: Vec<TableCursor>) -> Result<()> {
        let load = Load::SMALL.and(cursors.len() * ROW);
        let statements: Vec<Statement> = cursors.iter().map(set).collect();
        self.write(load, statements, |tx, statements| Box::pin(run_all(tx, statements))).await
    }

    async fn leads_after(&self, after: Option<LeadId>, limit: u32) -> Result<Vec<LeadId>> {
        self.read(queries::leads_after(after, limit)).await
    }

    async fn leads_changed_since(&self, since: Timestamp) -> Result<Vec<LeadId>> {
        self.read(queries::leads_changed_since(since)).await
    }

    fn tell_changes(&self, changes: Heard) {
        Native::tell_changes(self, changes);
    }

    async fn changes_told(&self) -> Heard {
        Native::changes_told(self).await
    }
}

fn set(cursor: &TableCursor) -> Statement {
    sql!("proyeccion/set.sql", nombre: cursor.table, hasta: cursor.read, visto: cursor.seen, visto_en: cursor.seen_at)
}

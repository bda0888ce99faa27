//! Paused destinations.

use async_trait::async_trait;
use embudo_domain::job::HELD;
use embudo_domain::{JobId, ProcessId};

use super::{Load, Native, Tx, audit, sql};
use crate::pauses::SetPause;
use crate::{PauseStore, Result};

#[async_trait]
impl<E: Native> PauseStore for E {
    async fn pause(&self, command: SetPause) -> Result<()> {
        self.write(Load::SMALL, command, |tx, command| Box::pin(set(tx, command))).await
    }

    async fn resume(&self, command: SetPause) -> Result<()> {
        self.write(Load::SMALL, command, |tx, command| Box::pin(end(tx, command))).await?;
        self.jobs_due().await;
        Ok(())
    }

    async fn hold(&self, ids: Vec<JobId>, who: ProcessId) -> Result<()> {
        Native::hold(self, ids, who).await
    }
}

async fn set(tx: &Tx<'_>, command: &SetPause) -> Result<()> {
    let (empresa, now) = (command.empresa.0, command.at);
    for kind in &command.kinds {
        tx.run(sql!("pausa/insert.sql", empresa, tipo: kind.as_str(), now, quien: &command.audit.who))
            .await?;
    }
    audit::tell(tx, &command.audit).await
}

/// The pauses are deleted first, which waits for transactions that hold jobs for them; then the held jobs are released.
async fn end(tx: &Tx<'_>, command: &SetPause) -> Result<()> {
    let (empresa, now) = (command.empresa.0, command.at);
    for kind in &command.kinds {
        tx.run(sql!("pausa/delete.sql", empresa, tipo: kind.as_str())).await?;
    }
    for kind in &command.kinds {
        tx.run(sql!("trabajo/let_go.sql", empresa, tipo: kind.as_str(), now, held: HELD)).await?;
    }
    audit::tell(tx, &command.audit).await
}

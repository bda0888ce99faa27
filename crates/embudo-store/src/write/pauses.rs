//! Paused destinations. What is held for them is the engines' own work.

use embudo_domain::job::HELD;

use super::{Engine, Load, Tx, audit, sql};
use crate::Result;
use crate::pauses::SetPause;

pub async fn pause(engine: &impl Engine, command: SetPause) -> Result<()> {
    engine.write(Load::SMALL, command, |tx, command| Box::pin(set(tx, command))).await
}

pub async fn resume(engine: &impl Engine, command: SetPause) -> Result<()> {
    engine.write(Load::SMALL, command, |tx, command| Box::pin(end(tx, command))).await
}

async fn set(tx: &Tx<'_>, command: &SetPause) -> Result<()> {
    let (empresa, now) = (command.empresa.0, command.at);
    for kind in &command.kinds {
        tx.run(sql!("pausa/insert.sql", empresa, tipo: kind.as_str(), now, quien: &command.audit.who))
            .await?;
    }
    audit::tell(tx, &command.audit).await
}

/// First the pauses go, which waits for whoever holds something for them, then what is held is let go.
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

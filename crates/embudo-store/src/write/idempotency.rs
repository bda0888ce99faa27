//! Keys of calls, once their work is done.

use embudo_domain::Timestamp;

use super::{Engine, Load, run, sql};
use crate::{Outcome, Result};

/// Stores the final outcome over a provisional one.
pub async fn complete(
    engine: &impl Engine,
    scope: String,
    key: String,
    outcome: Outcome,
    expira_en: Option<Timestamp>,
) -> Result<()> {
    let cuerpo = outcome.write();
    let complete = sql!("idempotencia/complete.sql", ambito: scope, clave: key, cuerpo, expira_en);
    run(engine, Load::SMALL, complete).await.map(drop)
}

//! Waits for transactions that may still write about an erased lead.

use std::time::Duration;

use deadpool_postgres::Pool;

use crate::failure::Step;
use crate::rows::Instant;
use crate::statement::{OnPool, params, sql};

/// How often, and with which pauses, an erasure checks whether older transactions have ended.
const LOOKS: u32 = 60;
const PAUSE: Duration = Duration::from_millis(50);

/// Whether every transaction has ended that is running now.
pub(crate) async fn older_ended(pool: &Pool) -> Step<bool> {
    let client = pool.get().await?;
    let since: Instant = client.row(sql!("borrado/now.sql"), params! {}).await?.try_get("now")?;
    for _ in 0..LOOKS {
        if !client.row(sql!("borrado/older.sql"), params! { since }).await?.try_get::<_, bool>("older")? {
            return Ok(true);
        }
        tokio::time::sleep(PAUSE).await;
    }
    Ok(false)
}

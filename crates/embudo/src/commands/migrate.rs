//! `embudo migrate`: runs the migrations before the new server starts.

use crate::installation;
use crate::logging;
use crate::settings::Settings;
use std::error::Error;

/// Runs the missing migrations. Safe while servers start and do the same.
pub async fn run(settings: &Settings) -> Result<(), Box<dyn Error>> {
    let database = &settings.database_url;
    let said = match installation::migrate(settings).await? {
        (before, after) if before == after => format!("{database:?}: the tables are up to date ({after})\n"),
        (before, after) => format!("{database:?}: the tables are now up to date ({before} → {after})\n"),
    };
    logging::print(&said)?;
    Ok(())
}

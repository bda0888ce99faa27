//! `embudo migrate`: brings the tables up to date, for whoever wants that done before the new server starts.

use crate::casa;
use crate::salida;
use crate::settings::Settings;
use std::error::Error;

/// Runs what is missing. Safe while servers start and do the same.
pub async fn run(settings: &Settings) -> Result<(), Box<dyn Error>> {
    casa::migrate(settings).await?;
    salida::print(&format!("{:?}: the tables are up to date\n", settings.database_url))?;
    Ok(())
}

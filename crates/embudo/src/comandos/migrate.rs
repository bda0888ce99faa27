//! `embudo migrate`: brings the tables up to date and says from where to where.

use crate::casa;
use crate::llave::make_data_dir;
use crate::salida;
use crate::settings::Settings;
use std::error::Error;

/// Runs what is missing. Safe while servers start and do the same.
pub async fn run(settings: &Settings) -> Result<(), Box<dyn Error>> {
    make_data_dir(&settings.data_dir)?;
    casa::open_store(settings).await?;
    salida::print(&format!("{:?}: the tables are up to date\n", settings.database_url))?;
    Ok(())
}

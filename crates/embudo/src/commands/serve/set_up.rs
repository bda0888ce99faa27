//! The way into the panel while nobody can sign in: a link in the data folder, which only the folder's owner can read.
//!
//! All servers on one database make links with the same pass, which no longer works once there is a person.

use crate::data_dir::{remove_set_up, write_set_up};
use crate::logging;
use crate::settings::Settings;
use embudo_app::App;
use std::error::Error;

/// Writes the link while it is needed, and removes it when it is not. Prints the link on a terminal; the log names only
/// its file.
pub async fn offer(settings: &Settings, app: &App, url: &str) -> Result<(), Box<dyn Error>> {
    if !app.access().awaits_set_up().await? {
        return Ok(remove_set_up(&settings.data_dir)?);
    }
    let base = settings.public_url.as_ref().map_or(url, |url| url.as_str());
    let link = format!("{}/panel/empezar?pase={}", base.trim_end_matches('/'), app.access().set_up_pass());
    let file = write_set_up(&settings.data_dir, &link)?;
    tracing::info!(file = %file.display(), "nobody can sign in to the panel yet: the link to set it up is in this file");
    if logging::is_terminal() {
        logging::print(&format!("Set up the panel, once, with this link:\n\n  {link}\n\n"))?;
    }
    Ok(())
}

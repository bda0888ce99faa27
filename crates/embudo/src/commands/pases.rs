//! `embudo pases`: the secret that signs clients' links.

use std::error::Error;

use clap::Subcommand;
use jiff::{SignedDuration, Timestamp};

use crate::installation::{self, PREVIOUS_PASSES};
use crate::logging;
use crate::settings::Settings;

/// The expiry in the name of a secret that was dropped: second 0 of 1970.
const ENDED: &str = "0.";

/// What to do with it.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Sign links with a new secret from now on; those that are out there open for some time yet. Running servers must
    /// be restarted
    Rotate {
        /// For how many days links of the secret before open yet; with 0 they stop at once
        #[arg(long, default_value_t = 365, value_parser = clap::value_parser!(i64).range(0..=3650))]
        days: i64,
    },
    /// End every secret before the one in force: links that they signed stop working, but for those to withdraw
    /// consents. Running servers must be restarted
    DropOld,
}

impl Command {
    pub async fn run(&self, settings: &Settings) -> Result<(), Box<dyn Error>> {
        // Also makes the id of the database if there is none. The id has a secret of its own, so a rotation does not
        // change it.
        let app = installation::open(settings).await?;
        let now = Timestamp::now();
        let previous = app.store.secrets(PREVIOUS_PASSES).await?;
        let words = match self {
            Self::Rotate { days } => {
                let mut new = [0; 32];
                getrandom::fill(&mut new)?;
                let until = now + SignedDuration::from_hours(24 * days);
                let name = format!("{PREVIOUS_PASSES}{}.{}", until.as_second(), previous.len());
                app.store.rotate_secret("pases".to_owned(), new, name).await?;
                format!("links are signed with a new secret; those of before open until {until}")
            }
            Self::DropOld => {
                let rest = |name: &str| name.strip_prefix(PREVIOUS_PASSES).unwrap_or_default().to_owned();
                let ended = previous.into_iter().filter(|(name, _)| !rest(name).starts_with(ENDED));
                let mut names = Vec::new();
                for (name, value) in ended {
                    // The name says that the secret expired. Links to withdraw consents work also with expired secrets.
                    let kept = format!("{PREVIOUS_PASSES}{ENDED}{}", rest(&name));
                    app.store.ensure_secret(kept, value).await?;
                    names.push(name);
                }
                let count = names.len();
                app.store.drop_secrets(names).await?;
                format!(
                    "{count} former secrets are ended; links that they signed stop working, but for those to withdraw consents"
                )
            }
        };
        Ok(logging::print(&format!("{words}; restart the servers\n"))?)
    }
}

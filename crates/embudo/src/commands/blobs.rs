//! `embudo blobs`: the bytes of photos and quotes, and blobs that no row names any more.

use std::error::Error;
use std::fmt::Write as _;

use clap::Subcommand;
use embudo_app::{MIN_BLOB_AGE, Orphans};

use crate::installation;
use crate::logging;
use crate::settings::Settings;

/// What to do with them.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show the blobs that no photo and no quote of this database names, older than an hour; delete them with --yes
    Sweep {
        /// Delete them, however many they are
        #[arg(long)]
        yes: bool,
    },
}

impl Command {
    pub async fn run(&self, settings: &Settings) -> Result<(), Box<dyn Error>> {
        let Self::Sweep { yes } = self;
        let app = installation::open(settings).await?;
        let orphans = app.housekeeping().orphans(MIN_BLOB_AGE).await?;
        if !yes {
            return Ok(logging::print(&shown(&orphans))?);
        }
        let deleted =
            app.housekeeping().finish_dead_sweeps().await? + app.housekeeping().sweep(&orphans).await?;
        Ok(logging::print(&format!("{deleted} of {} blobs deleted\n", orphans.seen))?)
    }
}

fn shown(orphans: &Orphans) -> String {
    let mut text = String::new();
    for blob in &orphans.blobs {
        writeln!(text, "leads/{}/{}  {} bytes", blob.lead, blob.digest, blob.size)
            .expect("a String takes everything");
    }
    let (n, seen, bytes) = (orphans.blobs.len(), orphans.seen, orphans.bytes());
    text += &format!("{n} of {seen} blobs, {bytes} bytes, are named by nothing in this database");
    text += match (n, orphans.too_many()) {
        (0, _) => "\n",
        (_, false) => "; the server deletes them by itself, --yes does it now\n",
        (_, true) => {
            "; so many that the server leaves them alone: make sure that DATABASE_URL is the right one, then delete them \
             with --yes\n"
        }
    };
    text
}

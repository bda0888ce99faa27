//! `embudo persona`: requests of people about their data, without a browser.

use std::error::Error;
use std::fs::OpenOptions;
use std::io::{IsTerminal as _, Write as _};
use std::path::PathBuf;

use clap::{Args, Subcommand};
use embudo_app::{Actor, App, Erased, Reach};
use embudo_domain::LeadId;
use embudo_domain::audit::{AuditAction, AuditEntry};
use embudo_domain::rights::ErasureReason;
use embudo_store::StoreError;

use crate::settings::Settings;
use crate::{installation, logging};

/// What to do with a person's data.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write everything that is known of a person into a ZIP
    Export(Export),
    /// Erase a person; accepted quotes are kept, blocked, until their legal term is over
    Erase(Erase),
    /// Go on with erasures that were interrupted, then write the database's files anew, so that nothing of what was
    /// deleted is left in them; for a time when nobody works
    Scrub,
}

/// Which person.
#[derive(Debug, Args)]
struct Person {
    /// The lead's id
    lead: String,
    /// The leads that it is united with too: they are the same person
    #[arg(long)]
    united: bool,
}

/// A copy of a person's data.
#[derive(Debug, Args)]
pub struct Export {
    #[command(flatten)]
    person: Person,
    /// The file to write; it must not be there yet
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
}

/// An erasure.
#[derive(Debug, Args)]
pub struct Erase {
    #[command(flatten)]
    person: Person,
    /// Do it without asking
    #[arg(long)]
    yes: bool,
}

impl Command {
    pub async fn run(&self, settings: &Settings) -> Result<(), Box<dyn Error>> {
        let app = installation::open(settings).await?;
        match self {
            Self::Export(export) => export.run(&app).await,
            Self::Erase(erase) => erase.run(&app).await,
            Self::Scrub => scrub(app, settings).await,
        }
    }
}

impl Person {
    fn reach(&self) -> Reach {
        if self.united { Reach::United } else { Reach::Alone }
    }

    fn lead(&self) -> Result<LeadId, String> {
        LeadId::parse(&self.lead)
            .ok_or_else(|| format!("«{}» is not the id of a lead; see embudo lead list", self.lead))
    }
}

fn actor() -> Actor {
    Actor { user: None, who: "embudo persona".to_owned(), ip: None }
}

fn explained(error: &dyn Error, lead: LeadId) -> String {
    match error.to_string() {
        words if words == StoreError::LeadNotFound.to_string() => format!("there is no lead {lead}"),
        words => words,
    }
}

impl Export {
    async fn run(&self, app: &App) -> Result<(), Box<dyn Error>> {
        let lead = self.person.lead()?;
        let archive = app.rights().archive(lead, self.person.reach()).await;
        let archive = archive.map_err(|error| explained(&error, lead))?;
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&self.output).map_err(|e| format!("{}: {e}", self.output.display()))?;
        let written = async {
            let entry = AuditEntry {
                empresa: app.store.lead_empresa(lead).await?,
                object: Some(lead.to_string()),
                ..app.access().audit(&actor(), AuditAction::PersonExported)
            };
            app.store.record_audit(entry).await?;
            let runtime = tokio::runtime::Handle::current();
            let writing = tokio::task::spawn_blocking(move || {
                let mut out = std::io::BufWriter::new(file);
                archive.write(&mut out, &runtime)?;
                out.into_inner().map_err(std::io::IntoInnerError::into_error)?.sync_all()?;
                Ok::<_, embudo_app::ArchiveError>(())
            });
            Ok::<_, Box<dyn Error>>(writing.await??)
        };
        // A file without its content would stand in the way of the next attempt.
        written.await.inspect_err(|_| _ = std::fs::remove_file(&self.output))?;
        Ok(logging::print(&format!("everything that is known of {lead} is in {}\n", self.output.display()))?)
    }
}

impl Erase {
    async fn run(&self, app: &App) -> Result<(), Box<dyn Error>> {
        let lead = self.person.lead()?;
        let leads = app.rights().person(lead, self.person.reach()).await?;
        if !self.yes && !confirmed(&leads)? {
            return Err("nothing was erased; add --yes to do it without being asked".into());
        }
        let erased = app.rights().erase(lead, self.person.reach(), ErasureReason::Asked, &actor()).await;
        let words = match erased.map_err(|error| explained(&error, lead))? {
            Erased::Whole => "erased; embudo persona scrub writes the database's files anew, too",
            Erased::Going => {
                "the rows are erased; the rest follows once those who still read or write are done: run embudo serve or embudo \
                 persona scrub"
            }
        };
        Ok(logging::print(&format!("{words}\n"))?)
    }
}

/// On a terminal, asks the user to type the id's first eight characters; without a terminal, returns `false`.
fn confirmed(leads: &[LeadId]) -> Result<bool, Box<dyn Error>> {
    let Some(lead) = leads.first().filter(|_| std::io::stdin().is_terminal()) else { return Ok(false) };
    let word: String = lead.to_string().chars().take(8).collect();
    let mut out = std::io::stderr();
    write!(out, "{} lead(s) will be erased for good. Type {word} to go on: ", leads.len())?;
    out.flush()?;
    let mut typed = String::new();
    std::io::stdin().read_line(&mut typed)?;
    Ok(typed.trim() == word)
}

async fn scrub(app: App, settings: &Settings) -> Result<(), Box<dyn Error>> {
    app.rights().finish_erasures().await?;
    // Our own connections must be closed while the files are rewritten.
    drop(app);
    let remains = installation::scrub(settings).await?;
    let remains = remains.map(|words| format!("{words}\n")).unwrap_or_default();
    Ok(logging::print(&format!("the database's files are written anew\n{remains}"))?)
}

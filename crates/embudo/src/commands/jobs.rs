//! `embudo jobs`: listing and repairing the outbox by hand, without a server or beside one.
//!
//! Nothing is sent from here: a job that is to be tried again is made due, and the server's worker takes it.

mod show;

use self::show::Row;
use crate::installation;
use crate::logging::{self, ListFormat};
use crate::settings::Settings;
use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use embudo_app::App;
use embudo_domain::ids::parse_uuid;
use embudo_domain::job::{Job, JobKind, JobState};
use embudo_domain::{JobId, LeadId, Timestamp};
use embudo_store::StoreError;
use embudo_store::outbox_admin::JobFilter;
use std::error::Error;

/// Jobs read at a time.
const PAGE: u32 = 200;

/// What to do with jobs.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List signals and mails, newest first
    List(List),
    /// Show one with every attempt
    Show {
        /// Its id
        id: String,
        /// As JSON, for programs: answers in full, and what it sends
        #[arg(long)]
        json: bool,
    },
    /// Try again now, and as often as a new one, what failed, waits or was parked
    Retry(Retry),
    /// End what need not be sent any more
    Discard {
        /// Their ids
        #[arg(required = true)]
        ids: Vec<String>,
    },
}

/// Which jobs.
#[derive(Debug, Args)]
pub struct List {
    /// In this state
    #[arg(long, value_name = "STATE", value_parser = PossibleValuesParser::new(JobState::WORDS))]
    state: Option<String>,
    /// Of this kind
    #[arg(long, value_name = "KIND", value_parser = PossibleValuesParser::new(JobKind::WORDS))]
    kind: Option<String>,
    /// Only jobs of this lead
    #[arg(long, value_name = "ID")]
    lead: Option<String>,
    /// The most jobs to list
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
    /// As JSON, for programs
    #[arg(long)]
    json: bool,
}

/// Which jobs are tried again.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("which").required(true))]
pub struct Retry {
    /// Their ids
    #[arg(group = "which")]
    ids: Vec<String>,
    /// All that are dead
    #[arg(long, group = "which")]
    dead: bool,
}

impl Command {
    /// Runs the command and prints the result.
    pub async fn run(&self, settings: &Settings) -> Result<(), Box<dyn Error>> {
        let app = installation::open(settings).await?;
        let text = match self {
            Self::List(list) => list.run(&app).await?,
            Self::Show { id, json } => show(&app, id, *json).await?,
            Self::Retry(retry) if retry.dead => retry_dead(&app).await?,
            Self::Retry(retry) => {
                for id in known(&app, &retry.ids).await? {
                    app.store.retry(id, app.now(), None).await.map_err(|error| explained(error, id))?;
                }
                due(retry.ids.len())
            }
            Self::Discard { ids } => {
                for id in known(&app, ids).await? {
                    app.store.discard(id, app.now(), None).await.map_err(|error| explained(error, id))?;
                }
                format!("{} discarded\n", counted(ids.len()))
            }
        };
        Ok(logging::print(&text)?)
    }
}

impl List {
    async fn run(&self, app: &App) -> Result<String, Box<dyn Error>> {
        let lead =
            self.lead.as_deref().map(|id| LeadId::parse(id).ok_or(format!("no lead has the id «{id}»")));
        let filter = JobFilter {
            state: self.state.as_deref().and_then(JobState::parse),
            kind: self.kind.as_deref().and_then(JobKind::parse),
            lead: lead.transpose()?,
        };
        let mut pages = Pages::new(filter);
        let mut rows = Vec::new();
        while rows.len() < self.limit as usize {
            let missing = self.limit - u32::try_from(rows.len())?;
            let page = pages.next(app, missing.min(PAGE)).await?;
            if page.is_empty() {
                break;
            }
            rows.extend(page.into_iter().map(Row::from));
        }
        Ok(logging::list(ListFormat::from_json_flag(self.json), show::HEADINGS, &rows, Row::cells))
    }
}

/// Reads jobs page by page with a cursor, so that changes in between neither repeat nor skip a job.
struct Pages {
    filter: JobFilter,
    after: Option<(Timestamp, JobId)>,
}

impl Pages {
    fn new(filter: JobFilter) -> Self {
        Self { filter, after: None }
    }

    async fn next(&mut self, app: &App, limit: u32) -> Result<Vec<Job>, StoreError> {
        let page = app.store.list_jobs(self.filter.clone(), self.after, limit).await?;
        self.after = page.last().map(|job| (job.creado_en, job.id)).or(self.after);
        Ok(page)
    }
}

async fn show(app: &App, id: &str, json: bool) -> Result<String, Box<dyn Error>> {
    let id = read_id(id)?;
    let (job, deliveries) = app.store.job(id).await.map_err(|error| explained(error, id))?;
    Ok(if json { show::json(&job, deliveries) } else { show::text(&job, &deliveries) })
}

/// Makes every dead job due. A job that dies again meanwhile is on a page that was read already, so this ends.
async fn retry_dead(app: &App) -> Result<String, Box<dyn Error>> {
    let mut pages = Pages::new(JobFilter { state: Some(JobState::Dead), ..JobFilter::default() });
    let mut retried = 0;
    loop {
        let page = pages.next(app, PAGE).await?;
        if page.is_empty() {
            return Ok(due(retried));
        }
        for job in page {
            match app.store.retry(job.id, app.now(), None).await {
                Ok(()) => retried += 1,
                // The job was deleted or finished in the meantime.
                Err(StoreError::JobNotFound | StoreError::JobFinished) => {}
                Err(error) => return Err(explained(error, job.id).into()),
            }
        }
    }
}

/// Parses the ids. If one of them names no job, or a job that is done, all are refused and nothing is changed.
async fn known(app: &App, ids: &[String]) -> Result<Vec<JobId>, Box<dyn Error>> {
    let ids = ids.iter().map(|id| read_id(id)).collect::<Result<Vec<_>, _>>()?;
    let found = app.store.jobs(ids.clone()).await?;
    for id in &ids {
        match found.iter().find(|job| job.id == *id) {
            None => return Err(explained(StoreError::JobNotFound, *id).into()),
            Some(job) if job.state == JobState::Done => {
                return Err(explained(StoreError::JobFinished, *id).into());
            }
            Some(_) => {}
        }
    }
    Ok(ids)
}

fn read_id(text: &str) -> Result<JobId, String> {
    parse_uuid(text).map(JobId).ok_or_else(|| unknown(text))
}

fn unknown(id: &str) -> String {
    format!("no job has the id «{id}»; embudo jobs list shows them (KEEP_JOBS_DAYS says how long)")
}

fn explained(error: StoreError, id: JobId) -> String {
    match error {
        StoreError::JobNotFound => unknown(&id.to_string()),
        StoreError::JobFinished => {
            format!("the job {id} is done: it was sent and accepted, and there is nothing left to do with it")
        }
        other => other.to_string(),
    }
}

fn counted(jobs: usize) -> String {
    if jobs == 1 { "1 job".to_owned() } else { format!("{jobs} jobs") }
}

fn due(jobs: usize) -> String {
    match jobs {
        0 => "no job is dead\n".to_owned(),
        jobs => format!("{} due now; a running server takes up what is due within seconds\n", counted(jobs)),
    }
}

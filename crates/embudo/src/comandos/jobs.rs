//! `embudo jobs`: the outbox, looked at and put right by hand, without a server or beside one.
//!
//! Nothing is sent from here: a job that is to be tried again is made due, and the server's worker takes it up.

mod ver;

use self::ver::Fila;
use crate::casa;
use crate::salida::{self, ListFormat};
use crate::settings::Settings;
use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use embudo_app::App;
use embudo_domain::ids::parse_uuid;
use embudo_domain::trabajo::{EstadoTrabajo, TipoTrabajo, Trabajo};
use embudo_domain::{LeadId, Timestamp, TrabajoId};
use embudo_store::StoreError;
use embudo_store::cola::FiltroTrabajos;
use std::error::Error;

/// Jobs read at a time.
const PAGE: u32 = 200;

/// What to do with jobs.
#[derive(Debug, Subcommand)]
pub enum Comando {
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
    #[arg(long, value_parser = PossibleValuesParser::new(EstadoTrabajo::PALABRAS))]
    estado: Option<String>,
    /// Of this kind
    #[arg(long, value_parser = PossibleValuesParser::new(TipoTrabajo::PALABRAS))]
    tipo: Option<String>,
    /// Of this lead
    #[arg(long, value_name = "ID")]
    lead: Option<String>,
    /// At most so many
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    limite: u32,
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
    muertos: bool,
}

impl Comando {
    /// Does it and prints the result.
    pub async fn run(&self, settings: &Settings) -> Result<(), Box<dyn Error>> {
        let app = casa::open(settings).await?;
        let text = match self {
            Self::List(list) => list.run(&app).await?,
            Self::Show { id, json } => show(&app, id, *json).await?,
            Self::Retry(retry) if retry.muertos => retry_dead(&app).await?,
            Self::Retry(retry) => {
                for id in known(&app, &retry.ids).await? {
                    app.store.retry(id, app.ahora()).await.map_err(|error| explained(error, id))?;
                }
                due(retry.ids.len())
            }
            Self::Discard { ids } => {
                for id in known(&app, ids).await? {
                    app.store.discard(id, app.ahora()).await.map_err(|error| explained(error, id))?;
                }
                format!("{} discarded\n", counted(ids.len()))
            }
        };
        Ok(salida::print(&text)?)
    }
}

impl List {
    async fn run(&self, app: &App) -> Result<String, Box<dyn Error>> {
        let lead =
            self.lead.as_deref().map(|id| LeadId::parse(id).ok_or(format!("no lead has the id «{id}»")));
        let filtro = FiltroTrabajos {
            estado: self.estado.as_deref().and_then(EstadoTrabajo::parse),
            tipo: self.tipo.as_deref().and_then(TipoTrabajo::parse),
            lead: lead.transpose()?,
        };
        let mut pages = Pages::new(filtro);
        let mut rows = Vec::new();
        while rows.len() < self.limite as usize {
            let missing = self.limite - u32::try_from(rows.len())?;
            let page = pages.next(app, missing.min(PAGE)).await?;
            if page.is_empty() {
                break;
            }
            rows.extend(page.into_iter().map(Fila::from));
        }
        Ok(salida::list(ListFormat::from_json_flag(self.json), ver::HEADINGS, &rows, Fila::cells))
    }
}

/// Jobs page by page. What changes meanwhile neither repeats nor hides another.
struct Pages {
    filtro: FiltroTrabajos,
    after: Option<(Timestamp, TrabajoId)>,
}

impl Pages {
    fn new(filtro: FiltroTrabajos) -> Self {
        Self { filtro, after: None }
    }

    async fn next(&mut self, app: &App, limit: u32) -> Result<Vec<Trabajo>, StoreError> {
        let page = app.store.list_trabajos(self.filtro.clone(), self.after, limit).await?;
        self.after = page.last().map(|trabajo| (trabajo.creado_en, trabajo.id)).or(self.after);
        Ok(page)
    }
}

async fn show(app: &App, id: &str, json: bool) -> Result<String, Box<dyn Error>> {
    let id = read_id(id)?;
    let (trabajo, entregas) = app.store.trabajo(id).await.map_err(|error| explained(error, id))?;
    Ok(if json { ver::json(&trabajo, entregas) } else { ver::text(&trabajo, &entregas) })
}

/// Every dead job becomes due. One that dies again meanwhile lies behind us, so this ends.
async fn retry_dead(app: &App) -> Result<String, Box<dyn Error>> {
    let mut pages =
        Pages::new(FiltroTrabajos { estado: Some(EstadoTrabajo::Muerto), ..FiltroTrabajos::default() });
    let mut retried = 0;
    loop {
        let page = pages.next(app, PAGE).await?;
        if page.is_empty() {
            return Ok(due(retried));
        }
        for trabajo in page {
            match app.store.retry(trabajo.id, app.ahora()).await {
                Ok(()) => retried += 1,
                // Somebody else was quicker.
                Err(StoreError::TrabajoNotFound | StoreError::TrabajoTerminado) => {}
                Err(error) => return Err(explained(error, trabajo.id).into()),
            }
        }
    }
}

/// The ids of jobs that exist and are not done, so that one wrong id among many changes nothing.
async fn known(app: &App, ids: &[String]) -> Result<Vec<TrabajoId>, Box<dyn Error>> {
    let ids = ids.iter().map(|id| read_id(id)).collect::<Result<Vec<_>, _>>()?;
    let found = app.store.trabajos(ids.clone()).await?;
    for id in &ids {
        match found.iter().find(|trabajo| trabajo.id == *id) {
            None => return Err(explained(StoreError::TrabajoNotFound, *id).into()),
            Some(trabajo) if trabajo.estado == EstadoTrabajo::Hecho => {
                return Err(explained(StoreError::TrabajoTerminado, *id).into());
            }
            Some(_) => {}
        }
    }
    Ok(ids)
}

fn read_id(text: &str) -> Result<TrabajoId, String> {
    parse_uuid(text).map(TrabajoId).ok_or_else(|| unknown(text))
}

fn unknown(id: &str) -> String {
    format!("no job has the id «{id}»; embudo jobs list shows them (KEEP_JOBS_DAYS says how long)")
}

fn explained(error: StoreError, id: TrabajoId) -> String {
    match error {
        StoreError::TrabajoNotFound => unknown(&id.to_string()),
        StoreError::TrabajoTerminado => {
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

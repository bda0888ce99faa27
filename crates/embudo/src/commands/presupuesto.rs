//! `embudo presupuesto`: a lead's quotes, and their PDFs.

use std::error::Error;
use std::path::PathBuf;

use clap::Subcommand;
use embudo_app::App;
use embudo_domain::LeadId;
use embudo_domain::presupuesto::{PresupuestoDelivery, PresupuestoNumber, PresupuestoSummary};
use embudo_store::StoreError;
use serde::Serialize;

use crate::installation;
use crate::logging::{self, ListFormat};
use crate::settings::Settings;

/// What to do with quotes.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List a lead's quotes, newest first
    List {
        /// The lead's id
        lead: String,
        /// As JSON, for programs
        #[arg(long)]
        json: bool,
    },
    /// Save a quote's PDF
    Pdf {
        /// The lead's id
        lead: String,
        /// The quote's number, such as 2026-0001; the newest where it is not given
        number: Option<String>,
        /// The file to write; `presupuesto-<number>.pdf` here where it is not given
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
    },
}

impl Command {
    pub async fn run(&self, settings: &Settings) -> Result<(), Box<dyn Error>> {
        let app = installation::open(settings).await?;
        let (Self::List { lead, .. } | Self::Pdf { lead, .. }) = self;
        let id = LeadId::parse(lead).ok_or_else(|| no_lead(lead))?;
        let presupuestos = match app.store.record(id).await {
            Err(StoreError::LeadNotFound) => return Err(no_lead(lead).into()),
            record => record?.presupuestos,
        };
        match self {
            Self::List { json, .. } => {
                let rows: Vec<Row> = presupuestos.iter().map(|p| Row::of(p, &app)).collect();
                let titles = ["NUMBER", "VERSION", "STATE", "TOTAL", "VALID UNTIL", "DELIVERIES", "PAGE"];
                let format = ListFormat::from_json_flag(*json);
                Ok(logging::print(&logging::list(format, &titles, &rows, Row::cells))?)
            }
            Self::Pdf { number, output, .. } => {
                let which = match number {
                    Some(text) => Some(
                        PresupuestoNumber::parse(text)
                            .ok_or_else(|| format!("«{text}» is not a number such as 2026-0001"))?,
                    ),
                    None => presupuestos.first().map(|p| p.number),
                };
                let which =
                    which.ok_or("the lead has no quote yet: call ingesta with \"finalizar\": true")?;
                let (_, pdf) = app.quotes().pdf(id, which).await.map_err(|error| match error {
                    embudo_app::AppError::Store(StoreError::PresupuestoNotFound) => {
                        format!(
                            "the lead has no drawn quote {which}; `embudo presupuesto list {lead}` shows them"
                        )
                    }
                    other => other.to_string(),
                })?;
                let pdf = pdf.all().await?;
                let file = output.clone().unwrap_or_else(|| PathBuf::from(which.file_name()));
                std::fs::write(&file, &pdf).map_err(|error| format!("{}: {error}", file.display()))?;
                Ok(logging::print(&format!("{}: {} bytes\n", file.display(), pdf.len()))?)
            }
        }
    }
}

fn no_lead(lead: &str) -> String {
    format!("no lead has the id «{lead}»; `embudo lead list` shows them")
}

/// A quote in the form in which it is printed.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    #[serde(rename = "numero")]
    number: String,
    version: u32,
    #[serde(rename = "estado")]
    state: String,
    total_cents: i64,
    #[serde(skip)]
    total: String,
    #[serde(rename = "validoHasta")]
    valid_until: String,
    #[serde(rename = "entregas")]
    deliveries: Vec<Delivery>,
    #[serde(rename = "pagina")]
    page: String,
    pdf_sha256: Option<String>,
}

/// The state of a quote's delivery by one channel.
#[derive(Debug, Serialize)]
struct Delivery {
    #[serde(rename = "canal")]
    channel: &'static str,
    #[serde(rename = "estado")]
    state: &'static str,
    #[serde(rename = "en")]
    at: String,
}

impl Delivery {
    fn of(e: &PresupuestoDelivery) -> Self {
        Self { channel: e.channel.as_str(), state: e.state.as_str(), at: e.at.to_string() }
    }
}

impl Row {
    fn of(p: &PresupuestoSummary, app: &App) -> Self {
        let total = p.total;
        Self {
            number: p.number.to_string(),
            version: p.version,
            state: p.state.to_string(),
            total_cents: total.0,
            total: total.to_string(),
            valid_until: p.validity.until.to_string(),
            deliveries: p.deliveries.iter().map(Delivery::of).collect(),
            page: app.quotes().page_path(p.id),
            pdf_sha256: p.pdf.map(|pdf| pdf.sha256.iter().map(|b| format!("{b:02x}")).collect()),
        }
    }

    fn cells(&self) -> Vec<String> {
        let deliveries: Vec<_> =
            self.deliveries.iter().map(|e| format!("{} {}", e.channel, e.state)).collect();
        vec![
            self.number.clone(),
            self.version.to_string(),
            self.state.clone(),
            self.total.clone(),
            self.valid_until.clone(),
            deliveries.join(", "),
            self.page.clone(),
        ]
    }
}

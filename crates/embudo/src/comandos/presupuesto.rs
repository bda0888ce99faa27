//! `embudo presupuesto`: a lead's quotes, and their PDFs.

use std::error::Error;
use std::path::PathBuf;

use clap::Subcommand;
use embudo_app::App;
use embudo_domain::LeadId;
use embudo_domain::presupuesto::{EntregaPresupuesto, NumeroPresupuesto, PresupuestoResumen};
use embudo_store::StoreError;
use serde::Serialize;

use crate::casa;
use crate::salida::{self, ListFormat};
use crate::settings::Settings;

/// What to do with quotes.
#[derive(Debug, Subcommand)]
pub enum Comando {
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
        numero: Option<String>,
        /// The file to write; `presupuesto-<number>.pdf` here where it is not given
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
    },
}

impl Comando {
    /// Runs it.
    pub async fn run(&self, settings: &Settings) -> Result<(), Box<dyn Error>> {
        let app = casa::open(settings).await?;
        let (Self::List { lead, .. } | Self::Pdf { lead, .. }) = self;
        let id = LeadId::parse(lead).ok_or_else(|| no_lead(lead))?;
        let presupuestos = match app.store.ficha(id).await {
            Err(StoreError::LeadNotFound) => return Err(no_lead(lead).into()),
            ficha => ficha?.presupuestos,
        };
        match self {
            Self::List { json, .. } => {
                let filas: Vec<Fila> = presupuestos.iter().map(|p| Fila::de(p, &app)).collect();
                let titulos = ["NÚMERO", "VERSIÓN", "ESTADO", "TOTAL", "VÁLIDO HASTA", "ENTREGAS", "PÁGINA"];
                let formato = ListFormat::from_json_flag(*json);
                Ok(salida::print(&salida::list(formato, &titulos, &filas, Fila::cells))?)
            }
            Self::Pdf { numero, output, .. } => {
                let cual = match numero {
                    Some(texto) => Some(
                        NumeroPresupuesto::parse(texto)
                            .ok_or_else(|| format!("«{texto}» is not a number such as 2026-0001"))?,
                    ),
                    None => presupuestos.first().map(|p| p.numero),
                };
                let cual = cual.ok_or("the lead has no quote yet: call ingesta with \"finalizar\": true")?;
                let (_, pdf) = app.quotes().pdf(id, cual).await.map_err(|error| match error {
                    embudo_app::AppError::Store(StoreError::PresupuestoNotFound) => {
                        format!(
                            "the lead has no drawn quote {cual}; `embudo presupuesto list {lead}` shows them"
                        )
                    }
                    otro => otro.to_string(),
                })?;
                let pdf = pdf.all().await?;
                let file = output.clone().unwrap_or_else(|| PathBuf::from(cual.nombre_fichero()));
                std::fs::write(&file, &pdf).map_err(|error| format!("{}: {error}", file.display()))?;
                Ok(salida::print(&format!("{}: {} bytes\n", file.display(), pdf.len()))?)
            }
        }
    }
}

fn no_lead(lead: &str) -> String {
    format!("no lead has the id «{lead}»; `embudo lead list` shows them")
}

/// A quote as it is printed.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Fila {
    numero: String,
    version: u32,
    estado: String,
    total_cents: i64,
    #[serde(skip)]
    total: String,
    valido_hasta: String,
    entregas: Vec<Entrega>,
    pagina: String,
    pdf_sha256: Option<String>,
}

/// What became of it by one channel.
#[derive(Debug, Serialize)]
struct Entrega {
    canal: &'static str,
    estado: &'static str,
    en: String,
}

impl Entrega {
    fn de(e: &EntregaPresupuesto) -> Self {
        Self { canal: e.canal.as_str(), estado: e.estado.as_str(), en: e.en.to_string() }
    }
}

impl Fila {
    fn de(p: &PresupuestoResumen, app: &App) -> Self {
        let total = p.total;
        Self {
            numero: p.numero.to_string(),
            version: p.version,
            estado: p.estado.to_string(),
            total_cents: total.0,
            total: total.to_string(),
            valido_hasta: p.validez.hasta.to_string(),
            entregas: p.entregas.iter().map(Entrega::de).collect(),
            pagina: app.quotes().page_path(p.id),
            pdf_sha256: p.pdf.map(|pdf| pdf.sha256.iter().map(|b| format!("{b:02x}")).collect()),
        }
    }

    fn cells(&self) -> Vec<String> {
        let entregas: Vec<_> = self.entregas.iter().map(|e| format!("{} {}", e.canal, e.estado)).collect();
        vec![
            self.numero.clone(),
            self.version.to_string(),
            self.estado.clone(),
            self.total.clone(),
            self.valido_hasta.clone(),
            entregas.join(", "),
            self.pagina.clone(),
        ]
    }
}

//! `embudo lead`: create, show and list leads without a server, or beside one.
//!
//! Each command is a call of the API inside this process ([`api`]), so that it accepts and refuses exactly what the
//! server does. Only flags and layout live here.

mod api;
mod record;

pub use self::record::minute;

use self::api::Api;
use super::find_empresa::find_empresa;
use crate::installation;
use crate::logging::{self, ListFormat};
use crate::settings::Settings;
use clap::{Args, Subcommand};
use embudo_app::App;
use serde_json::{Map, Value, json};
use std::error::Error;
use url::form_urlencoded::Serializer;

/// What to do with leads.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Create a lead and print its id
    Create(Create),
    /// Show the whole record of a lead
    Show {
        /// Its id
        id: String,
        /// As JSON, exactly as the API answers
        #[arg(long)]
        json: bool,
    },
    /// List leads, newest first
    List(List),
}

/// A new lead.
#[derive(Debug, Args)]
pub struct Create {
    /// The client's name
    #[arg(long)]
    nombre: String,
    /// Telephone in any usual form; without a prefix it is Spanish
    #[arg(long)]
    telefono: String,
    /// E-mail
    #[arg(long)]
    email: String,
    /// Province
    #[arg(long)]
    provincia: Option<String>,
    /// Company, by id or slug; the default one where it is not given
    #[arg(long, value_name = "ID|SLUG")]
    empresa: Option<String>,
    /// cocina, bano, salon, comedor, integral or otro
    #[arg(long)]
    tipo_reforma: Option<String>,
    /// formulario_web, messaging, llamada, referido or anuncio
    #[arg(long)]
    canal_origen: Option<String>,
    /// Floor area in m²
    #[arg(long)]
    m2_suelo: Option<f64>,
    /// alta, media or baja
    #[arg(long)]
    urgencia: Option<String>,
    /// As JSON, exactly as the API answers
    #[arg(long)]
    json: bool,
}

/// Which leads.
#[derive(Debug, Args)]
pub struct List {
    /// With this telephone, in any usual form
    #[arg(long)]
    telefono: Option<String>,
    /// With this e-mail
    #[arg(long)]
    email: Option<String>,
    /// Whose name, e-mail, telephone or province contains this
    #[arg(long)]
    text: Option<String>,
    /// Of this company, by id or slug
    #[arg(long, value_name = "ID|SLUG")]
    empresa: Option<String>,
    /// At most this many
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
    /// As JSON, for programs
    #[arg(long)]
    json: bool,
}

impl Command {
    /// Runs the command and prints the result.
    pub async fn run(&self, settings: &Settings) -> Result<(), Box<dyn Error>> {
        let app = installation::open(settings).await?;
        let text = match self {
            Self::Create(create) => create.run(app).await?,
            Self::Show { id, json } => show(app, id, *json).await?,
            Self::List(list) => list.run(app).await?,
        };
        Ok(logging::print(&text)?)
    }
}

impl Create {
    async fn run(&self, app: App) -> Result<String, Box<dyn Error>> {
        let tenant = match &self.empresa {
            Some(name) => Some(find_empresa(&app, name).await?.to_string()),
            None => None,
        };
        let optional = [
            ("provincia", self.provincia.as_ref().map(|text| json!(text))),
            ("tenantId", tenant.map(|id| json!(id))),
            ("tipoReforma", self.tipo_reforma.as_ref().map(|text| json!(text))),
            ("canalOrigen", self.canal_origen.as_ref().map(|text| json!(text))),
            ("m2Suelo", self.m2_suelo.map(|m2| json!(m2))),
            ("urgencia", self.urgencia.as_ref().map(|text| json!(text))),
        ];
        let mut body = Map::from_iter(
            [("nombre", &self.nombre), ("telefono", &self.telefono), ("email", &self.email)]
                .map(|(name, text)| (name.to_owned(), json!(text))),
        );
        body.extend(optional.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
        let answer = Api::new(app)?.post("/api/leads", &Value::Object(body)).await?;
        if self.json {
            return Ok(answer + "\n");
        }
        Ok(api::field(&answer, "id") + "\n")
    }
}

async fn show(app: App, id: &str, json: bool) -> Result<String, Box<dyn Error>> {
    // A text that is no UUID could change the path of the request, so it is refused here.
    let id = embudo_domain::LeadId::parse(id).ok_or_else(|| format!("no lead has the id «{id}»"))?;
    let answer = Api::new(app)?.get(&format!("/api/leads/{id}")).await?;
    if json { Ok(answer + "\n") } else { Ok(record::text(&serde_json::from_str(&answer)?)) }
}

impl List {
    async fn run(&self, app: App) -> Result<String, Box<dyn Error>> {
        const PAGE: u32 = 200;
        let tenant = match &self.empresa {
            Some(name) => Some(find_empresa(&app, name).await?.to_string()),
            None => None,
        };
        let api = Api::new(app)?;
        let mut leads = Vec::new();
        let mut cursor: Option<String> = None;
        loop {
            let missing = self.limit.saturating_sub(u32::try_from(leads.len())?);
            let mut query = Serializer::new(String::new());
            query.append_pair("limite", &missing.min(PAGE).to_string());
            let given = [
                ("telefono", &self.telefono),
                ("email", &self.email),
                ("texto", &self.text),
                ("tenantId", &tenant),
                ("cursor", &cursor),
            ];
            for (name, value) in given {
                if let Some(value) = value {
                    query.append_pair(name, value);
                }
            }
            let answer = api.get(&format!("/api/leads?{}", query.finish())).await?;
            let mut page: Value = serde_json::from_str(&answer)?;
            leads.extend(page["leads"].as_array_mut().map(std::mem::take).unwrap_or_default());
            cursor = page["siguiente"].as_str().map(str::to_owned);
            if cursor.is_none() || leads.len() >= self.limit as usize {
                break;
            }
        }
        let headings = ["ID", "CREATED", "NAME", "TELEPHONE", "EMAIL", "JOB", "LEVEL", "COMPANY"];
        Ok(logging::list(ListFormat::from_json_flag(self.json), &headings, &leads, cells))
    }
}

fn cells(lead: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or("–").to_owned();
    vec![
        text(&lead["id"]),
        minute(&text(&lead["creadoEn"])),
        text(&lead["nombre"]),
        text(&lead["telefonoE164"]),
        text(&lead["email"]),
        text(&lead["tipoReforma"]),
        text(&lead["nivel"]),
        text(&lead["empresa"]["nombre"]),
    ]
}

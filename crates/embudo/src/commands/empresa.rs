//! `embudo empresa`: the companies that leads belong to.

mod brand;

use self::brand::Brand;
use super::find_empresa::find_empresa;
use crate::installation;
use crate::logging::{self, ListFormat};
use crate::settings::Settings;
use clap::{ArgAction, Args, Subcommand};
use embudo_app::App;
use embudo_domain::EmpresaId;
use embudo_domain::contact::Email;
use embudo_domain::empresa::{Empresa, is_slug, slug_of};
use embudo_domain::identity::parse_name;
use embudo_domain::notice::Topics;
use embudo_store::StoreError;
use embudo_store::empresas::EmpresaPatch;
use serde::Serialize;
use std::error::Error;

/// What to do with companies.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Create a company
    Create(Create),
    /// List the companies, the default one first
    List {
        /// As JSON, for programs
        #[arg(long)]
        json: bool,
    },
    /// Change a company
    Set(Set),
    /// What its clients see of it: colour, logo, contact, conditions
    #[command(name = "marca")]
    Brand(Box<Brand>),
}

/// A new company.
#[derive(Debug, Args)]
pub struct Create {
    /// Its name
    #[arg(long)]
    nombre: String,
    /// Its name in addresses; made from the name where it is not given
    #[arg(long)]
    slug: Option<String>,
    /// Leads that name no company go to it
    #[arg(long)]
    default: bool,
    /// Where notices go: new leads, complete profiles, what could not be delivered
    #[arg(long, value_name = "ADDRESS")]
    notices_to: Option<String>,
    /// Whether notices are sent to that address
    #[arg(long, default_value_t = true, action = ArgAction::Set)]
    notices: bool,
    /// As JSON, for programs
    #[arg(long)]
    json: bool,
}

/// Changes to a company.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("change").required(true).multiple(true))]
pub struct Set {
    /// Its id or slug
    #[arg(value_name = "ID|SLUG")]
    empresa: String,
    /// A new name
    #[arg(long, group = "change")]
    nombre: Option<String>,
    /// A new name in addresses
    #[arg(long, group = "change")]
    slug: Option<String>,
    /// Leads that name no company go to it from now on
    #[arg(long, group = "change")]
    default: bool,
    /// Where notices go: new leads, complete profiles, what could not be delivered; empty removes it
    #[arg(long, value_name = "ADDRESS", group = "change")]
    notices_to: Option<String>,
    /// Whether notices are sent to that address
    #[arg(long, group = "change")]
    notices: Option<bool>,
    /// As JSON, for programs
    #[arg(long)]
    json: bool,
}

impl Command {
    /// Runs the command and prints the affected companies.
    pub async fn run(&self, settings: &Settings) -> Result<(), Box<dyn Error>> {
        let app = installation::open(settings).await?;
        let (empresas, json) = match self {
            Self::Create(create) => (vec![create.run(&app).await?], create.json),
            Self::List { json } => (app.store.list_empresas().await?, *json),
            Self::Set(set) => (vec![set.run(&app).await?], set.json),
            Self::Brand(brand) => return brand.run(&app).await,
        };
        let rows: Vec<Row> = empresas.into_iter().map(Row::from).collect();
        let headings = ["ID", "NAME", "SLUG", "DEFAULT", "NOTICES"];
        Ok(logging::print(&logging::list(ListFormat::from_json_flag(json), &headings, &rows, Row::cells))?)
    }
}

impl Create {
    async fn run(&self, app: &App) -> Result<Empresa, Box<dyn Error>> {
        let nombre = usable_nombre(&self.nombre)?;
        let slug = match &self.slug {
            Some(slug) => usable_slug(slug)?,
            None => {
                let made = slug_of(&nombre);
                if !is_slug(&made) {
                    return Err(format!(
                        "--nombre: no slug can be made from «{nombre}»; give one with --slug"
                    )
                    .into());
                }
                made
            }
        };
        let id = EmpresaId(app.id());
        let email_avisos = self.notices_to.as_deref().map(usable_email).transpose()?;
        let empresa = Empresa {
            id,
            nombre,
            slug,
            por_defecto: self.default,
            email_avisos: email_avisos.filter(|email| !email.is_empty()),
            notices: self.notices,
            topics: Topics::ALL,
            personal_topics: Topics::NONE,
        };
        let created = app.store.create_empresa(empresa.clone(), app.now()).await;
        created.map_err(|error| explained(error, &empresa.slug))?;
        Ok(empresa)
    }
}

impl Set {
    async fn run(&self, app: &App) -> Result<Empresa, Box<dyn Error>> {
        let patch = EmpresaPatch {
            nombre: self.nombre.as_deref().map(usable_nombre).transpose()?,
            slug: self.slug.as_deref().map(usable_slug).transpose()?,
            por_defecto: self.default,
            email_avisos: self.notices_to.as_deref().map(usable_email).transpose()?,
            notices: self.notices,
        };
        let id = find_empresa(app, &self.empresa).await?;
        let slug = self.slug.clone().unwrap_or_default();
        Ok(app.store.update_empresa(id, patch).await.map_err(|error| explained(error, &slug))?)
    }
}

fn usable_nombre(nombre: &str) -> Result<String, String> {
    parse_name(nombre).map_err(|problem| format!("--nombre: {problem}"))
}

fn usable_slug(slug: &str) -> Result<String, String> {
    if is_slug(slug) {
        return Ok(slug.to_owned());
    }
    let hint = Some(slug_of(slug)).filter(|made| is_slug(made)).map(|made| format!("; «{made}» would do"));
    let hint = hint.unwrap_or_default();
    Err(format!("--slug: «{slug}» must be lower-case letters, digits and single hyphens, at most 64{hint}"))
}

/// An e-mail address, or an empty text.
fn usable_email(email: &str) -> Result<String, String> {
    if email.is_empty() {
        return Ok(String::new());
    }
    Email::parse(email).map(|email| email.typed).map_err(|problem| format!("--notices-to: {problem}"))
}

fn explained(error: StoreError, slug: &str) -> String {
    match error {
        StoreError::SlugTaken => format!("another company uses the slug «{slug}»; give another with --slug"),
        other => other.to_string(),
    }
}

/// A company in the form in which it is printed.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    id: String,
    nombre: String,
    slug: String,
    por_defecto: bool,
    email_avisos: Option<String>,
    #[serde(rename = "avisos")]
    notices: bool,
}

impl From<Empresa> for Row {
    fn from(empresa: Empresa) -> Self {
        let Empresa { id, nombre, slug, por_defecto, email_avisos, notices, .. } = empresa;
        Self { id: id.to_string(), nombre, slug, por_defecto, email_avisos, notices }
    }
}

impl Row {
    fn cells(&self) -> Vec<String> {
        let por_defecto = if self.por_defecto { "yes" } else { "" };
        let notices = match (&self.email_avisos, self.notices) {
            (None, _) => "–".to_owned(),
            (Some(email), true) => email.clone(),
            (Some(email), false) => format!("{email} (no)"),
        };
        vec![self.id.clone(), self.nombre.clone(), self.slug.clone(), por_defecto.to_owned(), notices]
    }
}

//! `embudo usuario`: the people who may sign in to the panel, managed without a browser.
//!
//! A password is read from standard input, or prompted for on a terminal; it is never an argument, which other programs
//! could see.

mod password;

use crate::commands::find_empresa::find_empresa;
use crate::data_dir::remove_set_up;
use crate::installation;
use crate::logging::{self, ListFormat};
use crate::settings::Settings;
use clap::{Args, Subcommand};
use embudo_app::{AccessError, Actor, App, Change, NewPerson};
use embudo_domain::contact::Email;
use embudo_domain::password as rules;
use embudo_domain::role::{Membership, Role};
use embudo_domain::user::{User, parse_name};
use embudo_store::StoreError;
use serde::Serialize;
use std::error::Error;

/// What to do with people.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Create a person; the password is read from standard input
    Create(Create),
    /// List the people
    List {
        /// As JSON, for programs
        #[arg(long)]
        json: bool,
    },
    /// Give a person a new password, read from standard input; their sessions end
    Reset(Reset),
    /// Change what a person may do
    Roles(Roles),
}

/// A new person.
#[derive(Debug, Args)]
pub struct Create {
    /// The e-mail to sign in with
    #[arg(long)]
    email: String,
    /// Their name
    #[arg(long)]
    nombre: String,
    /// May do all in every company, and administers people
    #[arg(long)]
    administrador: bool,
    /// What they are in a company: obra, lectura, comercial or gestor; can be repeated
    #[arg(long = "role", value_name = "ID|SLUG=ROLE")]
    roles: Vec<String>,
    /// Print a link to choose a password with, instead of reading one
    #[arg(long)]
    link: bool,
}

/// A new password.
#[derive(Debug, Args)]
pub struct Reset {
    /// The person's e-mail
    email: String,
    /// Print a link to choose a password with, instead of reading one
    #[arg(long)]
    link: bool,
    /// Take the second factor off too
    #[arg(long)]
    without_second_factor: bool,
}

/// What a person may do from now on.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("change").required(true).multiple(true))]
pub struct Roles {
    /// The person's e-mail
    email: String,
    /// What they are in a company: obra, lectura, comercial, gestor, or none; can be repeated
    #[arg(long = "role", value_name = "ID|SLUG=ROLE", group = "change")]
    roles: Vec<String>,
    /// Whether they may do all in every company
    #[arg(long, group = "change")]
    administrador: Option<bool>,
    /// Whether they may sign in
    #[arg(long, group = "change")]
    active: Option<bool>,
}

impl Command {
    pub async fn run(&self, settings: &Settings) -> Result<(), Box<dyn Error>> {
        let app = installation::open(settings).await?;
        match self {
            Self::Create(create) => create.run(&app, settings).await,
            Self::List { json } => list(&app, app.store.list_users().await?, *json).await,
            Self::Reset(reset) => reset.run(&app, settings).await,
            Self::Roles(roles) => roles.run(&app).await,
        }
    }
}

impl Create {
    async fn run(&self, app: &App, settings: &Settings) -> Result<(), Box<dyn Error>> {
        let nombre = parse_name(&self.nombre).map_err(|problem| format!("--nombre: {problem}"))?;
        let email = Email::parse(&self.email).map_err(|problem| format!("--email: {problem}"))?;
        let memberships = read_roles(app, &self.roles, &[]).await?;
        if !self.administrador && app.access().awaits_set_up().await? {
            return Err("the first person administers the panel: add --administrador".into());
        }
        let password = if self.link { None } else { Some(password::read()?) };
        if let Some(password) = &password {
            rules::check(password, &[&email.normal, &nombre])?;
        }
        let is_admin = self.administrador;
        let person = NewPerson { nombre, email, is_admin, memberships, password };
        let user = app.access().create_person(person, &Actor::command()).await.map_err(explained)?;
        remove_set_up(&settings.data_dir)?;
        if self.link {
            return print_link(app, settings, &user).await;
        }
        list(app, vec![user], false).await
    }
}

impl Reset {
    async fn run(&self, app: &App, settings: &Settings) -> Result<(), Box<dyn Error>> {
        let user = find(app, &self.email).await?;
        if self.link {
            print_link(app, settings, &user).await?;
        } else {
            app.access().give_password(user.id, &password::read()?, &Actor::command()).await?;
            logging::print("the password is changed and every session of the person has ended\n")?;
        }
        if self.without_second_factor && user.has_totp {
            app.access().drop_totp(&user, &Actor::command()).await?;
            logging::print("the second factor is off\n")?;
        }
        Ok(())
    }
}

impl Roles {
    async fn run(&self, app: &App) -> Result<(), Box<dyn Error>> {
        let user = find(app, &self.email).await?;
        let change = Change {
            is_admin: self.administrador.unwrap_or(user.is_admin),
            is_active: self.active.unwrap_or(user.is_active),
            memberships: read_roles(app, &self.roles, &user.memberships).await?,
        };
        app.access().change_person(user.id, change, &Actor::command()).await.map_err(explained)?;
        list(app, vec![find(app, &self.email).await?], false).await
    }
}

async fn find(app: &App, email: &str) -> Result<User, Box<dyn Error>> {
    let found = app.store.user_by_email(email.trim().to_lowercase()).await?;
    found.ok_or_else(|| format!("nobody has the e-mail «{email}»; see embudo usuario list").into())
}

/// Applies each `slug=role` or `id=role` to the roles that a person has already; the role `none` removes the company.
async fn read_roles(
    app: &App,
    given: &[String],
    before: &[Membership],
) -> Result<Vec<Membership>, Box<dyn Error>> {
    let mut memberships = before.to_vec();
    for text in given {
        let (name, word) = text.rsplit_once('=').ok_or_else(|| {
            format!("--role: «{text}» must be a company and a role, as mi-empresa=comercial")
        })?;
        let empresa = find_empresa(app, name).await?;
        memberships.retain(|membership| membership.empresa != empresa);
        if word == "none" {
            continue;
        }
        let role = Role::parse_in_empresa(word).ok_or_else(|| {
            let roles = Role::IN_EMPRESA.map(Role::as_str).join(", ");
            format!("--role: «{word}» is no role in a company; there are: {roles}")
        })?;
        memberships.push(Membership { empresa, role });
    }
    Ok(memberships)
}

async fn print_link(app: &App, settings: &Settings, user: &User) -> Result<(), Box<dyn Error>> {
    let path = app.access().invite(user, &Actor::command()).await?;
    let base = settings.public_url.as_ref().map(|url| url.as_str().trim_end_matches('/').to_owned());
    let base = base.unwrap_or_else(|| format!("http://{}", settings.bind));
    Ok(logging::print(&format!("{base}{path}\n"))?)
}

fn explained(error: AccessError) -> String {
    match error {
        AccessError::Store(StoreError::EmailTaken) => {
            "another person has this e-mail; see embudo usuario list".to_owned()
        }
        AccessError::Store(StoreError::LastAdmin) => {
            "nobody else administers the panel: make another person administrator first".to_owned()
        }
        other => other.to_string(),
    }
}

async fn list(app: &App, users: Vec<User>, json: bool) -> Result<(), Box<dyn Error>> {
    let empresas = app.store.list_empresas().await?;
    let row = |user: User| {
        let slug = |m: &Membership| empresas.iter().find(|e| e.id == m.empresa).map(|e| e.slug.clone());
        let roles = user.memberships.iter().map(|m| format!("{}={}", slug(m).unwrap_or_default(), m.role));
        Row {
            email: user.email.typed,
            nombre: user.nombre,
            administrador: user.is_admin,
            activo: user.is_active,
            clave: user.has_password,
            segundo_factor: user.has_totp,
            roles: roles.collect(),
        }
    };
    let rows: Vec<Row> = users.into_iter().map(row).collect();
    let headings = ["EMAIL", "NAME", "ROLES", "ACTIVE", "PASSWORD", "SECOND FACTOR"];
    Ok(logging::print(&logging::list(ListFormat::from_json_flag(json), &headings, &rows, Row::cells))?)
}

/// A person in the form in which they are printed.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    email: String,
    nombre: String,
    administrador: bool,
    activo: bool,
    clave: bool,
    segundo_factor: bool,
    roles: Vec<String>,
}

impl Row {
    fn cells(&self) -> Vec<String> {
        let word = |truth: bool| if truth { "yes" } else { "no" }.to_owned();
        let mut roles = self.roles.clone();
        if self.administrador {
            roles.insert(0, Role::Administrador.to_string());
        }
        let roles = if roles.is_empty() { "–".to_owned() } else { roles.join(" ") };
        vec![
            self.email.clone(),
            self.nombre.clone(),
            roles,
            word(self.activo),
            word(self.clave),
            word(self.segundo_factor),
        ]
    }
}

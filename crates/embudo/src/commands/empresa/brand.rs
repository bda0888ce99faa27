//! `embudo empresa marca`: how a company appears to its clients.

use std::error::Error;
use std::fs;
use std::path::PathBuf;

use clap::Args;
use embudo_app::App;
use embudo_domain::brand::Brand as FromDomain;
use embudo_domain::identity::Identity;
use embudo_store::empresas::StoredBrand;

use crate::commands::find_empresa::find_empresa;
use crate::logging;

/// Shows a company's brand, or changes what is given; an empty text removes.
#[derive(Debug, Args)]
pub struct Brand {
    /// Its id or slug
    #[arg(value_name = "ID|SLUG")]
    empresa: String,
    /// Its colour, as #rrggbb
    #[arg(long)]
    color: Option<String>,
    /// Its tax number
    #[arg(long)]
    nif: Option<String>,
    /// Its registered name, where it differs from its name
    #[arg(long)]
    razon_social: Option<String>,
    /// Its postal address, in one line
    #[arg(value_name = "DIRECCION", long = "direccion")]
    address: Option<String>,
    /// Its telephone, as it shall be printed
    #[arg(long)]
    telefono: Option<String>,
    /// Its e-mail for clients, who answer to it
    #[arg(long)]
    email: Option<String>,
    /// Its web site
    #[arg(long)]
    web: Option<String>,
    /// A file with the conditions of its quotes, one in each line; `-` for the shipped ones
    #[arg(long, value_name = "FILE")]
    conditions: Option<PathBuf>,
    /// How many days its quotes hold
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u16).range(1..=365))]
    valid_days: Option<u16>,
    /// Whether its quotes print the notes that came through the API; those that clients write are printed anyway
    #[arg(long, value_name = "true|false")]
    api_notes: Option<bool>,
    /// The greeting of its form
    #[arg(long)]
    greeting: Option<String>,
    /// What its clients call the channel by which it writes to them; empty for WhatsApp
    #[arg(long)]
    messaging: Option<String>,
    /// A file with its privacy policy in plain text; `-` for the shipped one
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
    /// An origin whose pages may show the form in a frame, such as `https://www.ejemplo.es`; may be repeated, empty for
    /// none
    #[arg(long = "origin", value_name = "ORIGIN")]
    one_origin: Vec<String>,
    /// Its logo: a PNG, JPEG or WebP file; `-` removes it
    #[arg(long, value_name = "FILE")]
    logo: Option<PathBuf>,
}

impl Brand {
    /// Changes what is given, and prints the resulting brand.
    pub async fn run(&self, app: &App) -> Result<(), Box<dyn Error>> {
        let id = find_empresa(app, &self.empresa).await?;
        let before = app.store.brand(id).await?.brand;
        let brand = self.changed(before.clone())?;
        if brand != before {
            app.store.save_brand(id, brand).await?;
        }
        if let Some(file) = &self.logo {
            app.store.save_logo(id, logo(file)?).await?;
        }
        let StoredBrand { brand, logo } = app.store.brand(id).await?;
        let mut text = serde_json::to_string_pretty(&brand)?;
        text += if logo.is_some() { "\nwith a logo\n" } else { "\nwithout a logo\n" };
        Ok(logging::print(&text)?)
    }

    fn changed(&self, brand: FromDomain) -> Result<FromDomain, String> {
        let mut identity = Identity { nombre: String::new(), brand };
        let origins = (!self.one_origin.is_empty()).then(|| self.one_origin.join("\n"));
        let texts = [
            ("color", "color", &self.color),
            ("nif", "nif", &self.nif),
            ("razonSocial", "razon-social", &self.razon_social),
            ("direccion", "direccion", &self.address),
            ("telefono", "telefono", &self.telefono),
            ("email", "email", &self.email),
            ("web", "web", &self.web),
            ("saludo", "greeting", &self.greeting),
            ("mensajeria", "messaging", &self.messaging),
            ("origenes", "origin", &origins),
        ];
        for (name, flag, typed) in texts {
            if let Some(typed) = typed {
                identity.write(name, typed).map_err(|problem| format!("--{flag}: «{typed}»: {problem}"))?;
            }
        }
        let mut brand = identity.brand;
        if let Some(days) = self.valid_days {
            brand.valid_days = days;
        }
        if let Some(printed) = self.api_notes {
            brand.notas_api = printed;
        }
        if let Some(file) = &self.conditions {
            let text = text("--conditions", file)?.unwrap_or_default();
            let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
            brand.condiciones = lines.map(ToOwned::to_owned).collect();
        }
        if let Some(file) = &self.policy {
            brand.policy = text("--policy", file)?.filter(|text| !text.trim().is_empty());
        }
        Ok(brand)
    }
}

/// The text of a file; `-` means none.
fn text(flag: &str, file: &PathBuf) -> Result<Option<String>, String> {
    if file.as_os_str() == "-" {
        return Ok(None);
    }
    let text = fs::read_to_string(file).map_err(|error| format!("{flag}: {}: {error}", file.display()))?;
    if text.contains('\0') {
        return Err(format!("{flag}: {} is not a text", file.display()));
    }
    Ok(Some(text))
}

fn logo(file: &PathBuf) -> Result<Option<Vec<u8>>, String> {
    if file.as_os_str() == "-" {
        return Ok(None);
    }
    let bytes = fs::read(file).map_err(|error| format!("--logo: {}: {error}", file.display()))?;
    let image = embudo_app::logo(&bytes).map_err(|reason| format!("--logo: {}: {reason}", file.display()))?;
    Ok(Some(image))
}

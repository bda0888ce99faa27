//! `embudo empresa marca`: what a company's clients see of it.

use std::error::Error;
use std::fs;
use std::path::PathBuf;

use clap::Args;
use embudo_app::App;
use embudo_domain::color::Color;
use embudo_domain::contacto::Email;
use embudo_domain::marca::Marca as DelDominio;
use embudo_store::presupuestos::MarcaGuardada;
use url::Url;

use super::find;
use crate::salida;

/// Shows a company's brand, or changes what is given; an empty text removes.
#[derive(Debug, Args)]
pub struct Marca {
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
    #[arg(long)]
    direccion: Option<String>,
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
    condiciones: Option<PathBuf>,
    /// How many days its quotes hold
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=365))]
    dias_validez: Option<u16>,
    /// Whether its quotes print the notes that came through the API; those that clients write are printed anyway
    #[arg(long, value_name = "true|false")]
    notas_api: Option<bool>,
    /// The greeting of its form
    #[arg(long)]
    saludo: Option<String>,
    /// What its clients call the channel by which it writes to them; empty for WhatsApp
    #[arg(long)]
    mensajeria: Option<String>,
    /// A file with its privacy policy in plain text; `-` for the shipped one
    #[arg(long, value_name = "FILE")]
    politica: Option<PathBuf>,
    /// An origin whose pages may show the form in a frame, such as `https://www.ejemplo.es`; may be repeated, empty for none
    #[arg(long, value_name = "ORIGIN")]
    origen: Vec<String>,
    /// Its logo: a PNG, JPEG or WebP file; `-` removes it
    #[arg(long, value_name = "FILE")]
    logo: Option<PathBuf>,
}

impl Marca {
    /// Changes what is given, and prints the brand as it stands.
    pub async fn run(&self, app: &App) -> Result<(), Box<dyn Error>> {
        let id = find(app, &self.empresa).await?;
        let antes = app.store.marca(id).await?.marca;
        let marca = self.changed(antes.clone())?;
        if marca != antes {
            app.store.save_marca(id, marca).await?;
        }
        if let Some(file) = &self.logo {
            app.store.save_logo(id, logo(file)?).await?;
        }
        let MarcaGuardada { marca, logo } = app.store.marca(id).await?;
        let mut texto = serde_json::to_string_pretty(&marca)?;
        texto += if logo.is_some() { "\nwith a logo\n" } else { "\nwithout a logo\n" };
        Ok(salida::print(&texto)?)
    }

    fn changed(&self, mut marca: DelDominio) -> Result<DelDominio, String> {
        if let Some(color) = &self.color {
            marca.color = Color::parse(color)
                .ok_or_else(|| format!("--color: «{color}» is not a colour such as #1f5f5b"))?;
        }
        let email = self.email.as_deref().filter(|email| !email.is_empty());
        email.map(Email::parse).transpose().map_err(|problem| format!("--email: {problem}"))?;
        let textos = [
            (&mut marca.nif, &self.nif),
            (&mut marca.razon_social, &self.razon_social),
            (&mut marca.direccion, &self.direccion),
            (&mut marca.telefono, &self.telefono),
            (&mut marca.email, &self.email),
            (&mut marca.web, &self.web),
            (&mut marca.saludo, &self.saludo),
            (&mut marca.mensajeria, &self.mensajeria),
        ];
        for (texto, nuevo) in textos {
            if let Some(nuevo) = nuevo {
                *texto = Some(nuevo.trim().to_owned()).filter(|t| !t.is_empty());
            }
        }
        if let Some(dias) = self.dias_validez {
            marca.dias_validez = dias;
        }
        if let Some(notas_api) = self.notas_api {
            marca.notas_api = notas_api;
        }
        if let Some(file) = &self.condiciones {
            let texto = text("--condiciones", file)?.unwrap_or_default();
            let lineas = texto.lines().map(str::trim).filter(|linea| !linea.is_empty());
            marca.condiciones = lineas.map(ToOwned::to_owned).collect();
        }
        if let Some(file) = &self.politica {
            marca.politica = text("--politica", file)?.filter(|texto| !texto.trim().is_empty());
        }
        if !self.origen.is_empty() {
            let origenes = self.origen.iter().filter(|origen| !origen.is_empty());
            marca.origenes = origenes.map(|origen| origin(origen)).collect::<Result<_, _>>()?;
        }
        Ok(marca)
    }
}

/// The text of a file; `-` stands for none.
fn text(flag: &str, file: &PathBuf) -> Result<Option<String>, String> {
    if file.as_os_str() == "-" {
        return Ok(None);
    }
    let texto = fs::read_to_string(file).map_err(|error| format!("{flag}: {}: {error}", file.display()))?;
    if texto.contains('\0') {
        return Err(format!("{flag}: {} is not a text", file.display()));
    }
    Ok(Some(texto))
}

fn logo(file: &PathBuf) -> Result<Option<Vec<u8>>, String> {
    if file.as_os_str() == "-" {
        return Ok(None);
    }
    let bytes = fs::read(file).map_err(|error| format!("--logo: {}: {error}", file.display()))?;
    let imagen =
        embudo_app::logo(&bytes).map_err(|motivo| format!("--logo: {}: {motivo}", file.display()))?;
    Ok(Some(imagen))
}

/// Scheme, host and port, and nothing else: what a browser calls an origin.
fn origin(texto: &str) -> Result<String, String> {
    let url = Url::parse(texto).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    let origin = url.map(|url| url.origin().ascii_serialization());
    origin.filter(|origin| texto.trim_end_matches('/') == origin).ok_or_else(|| {
        format!("--origen: «{texto}» is not an origin such as https://www.ejemplo.es (no path, no port 443)")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_origins_are_origins() {
        assert_eq!(origin("https://www.ejemplo.es/").unwrap(), "https://www.ejemplo.es");
        assert_eq!(origin("http://127.0.0.1:8081").unwrap(), "http://127.0.0.1:8081");
        for mal in ["www.ejemplo.es", "https://a.es/b", "javascript:alert(1)", "https://a.es; b", "*", ""] {
            assert!(origin(mal).is_err(), "{mal}");
        }
    }
}

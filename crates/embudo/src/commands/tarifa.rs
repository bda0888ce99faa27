//! `embudo tarifa`: price tables, and the price of a job by a table.
//!
//! A table is a file until it is imported; checking one and pricing a job open no database.

use std::error::Error;
use std::path::{Path, PathBuf};

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use embudo_app::App;
use embudo_domain::iva::{Condiciones, Impuesto, Impuestos, MaterialsShare};
use embudo_domain::perfil::{Calidad, Urgencia};
use embudo_domain::pricing::{Pricing, PricingInput};
use embudo_domain::tarifa::{DEFAULT_TEXT, Tarifa};
use embudo_domain::{EmpresaId, Zona};
use embudo_store::StoreError;
use embudo_store::empresas::StoredTarifa;
use jiff::civil::Date;

use super::find_empresa::find_empresa;
use crate::installation;
use crate::logging;
use crate::settings::Settings;

/// What to do with the price table.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Print the table that ships with Embudo, or one that a company loaded, to start the next from
    Export {
        /// The company, by id or slug
        #[arg(long, value_name = "ID|SLUG")]
        empresa: Option<String>,
        /// The version; the one in force today where it is not given
        #[arg(long, requires = "empresa")]
        version: Option<String>,
        /// Its items as CSV for a spreadsheet, instead of the whole table as TOML
        #[arg(long)]
        csv: bool,
    },
    /// Check a table (TOML, or CSV over the one that ships with Embudo); every mistake is told with its line
    Check {
        /// The file
        file: PathBuf,
    },
    /// Load a table into a company, for the quotes of its first day on; a CSV brings the items, over the table in force
    Import {
        /// The file
        file: PathBuf,
        /// What the table is called; a CSV does not say it
        #[arg(long)]
        version: Option<String>,
        /// The first day on which a CSV holds; today where it is not given
        #[arg(long, value_name = "DAY")]
        from: Option<Date>,
        /// The company, by id or slug; the default one where it is not given
        #[arg(long, value_name = "ID|SLUG")]
        empresa: Option<String>,
    },
    /// List the tables of a company, the latest first
    List {
        /// The company, by id or slug; the default one where it is not given
        #[arg(long, value_name = "ID|SLUG")]
        empresa: Option<String>,
    },
    /// Price a job, with its lines, tax and assumptions
    Precio(Precio),
}

/// What is known of a job; whatever is left out is supposed, and said.
#[derive(Debug, Args)]
pub struct Precio {
    /// Type of renovation
    #[arg(value_name = "TIPO", long = "tipo", value_parser = PossibleValuesParser::new(Zona::WORDS))]
    kind: Option<String>,
    /// Floor area in m²
    #[arg(long)]
    m2: Option<f64>,
    /// Quality
    #[arg(long, value_parser = PossibleValuesParser::new(Calidad::WORDS))]
    calidad: Option<String>,
    /// Whether structural work is present
    #[arg(long)]
    estructural: Option<bool>,
    /// How soon
    #[arg(long, value_parser = PossibleValuesParser::new(Urgencia::WORDS))]
    urgencia: Option<String>,
    /// Province or postal code
    #[arg(long)]
    provincia: Option<String>,
    /// How many bathrooms of a whole dwelling
    #[arg(long)]
    banos: Option<u8>,
    /// The floor; 0 is the street's
    #[arg(long, allow_negative_numbers = true)]
    planta: Option<i8>,
    /// Whether there is a lift
    #[arg(long)]
    ascensor: Option<bool>,
    /// A table other than the one that ships with Embudo
    #[arg(long, value_name = "FILE")]
    tarifa: Option<PathBuf>,
}

impl Command {
    /// Runs a command that needs no database; `false` if this one does.
    pub fn run_alone(&self) -> Result<bool, Box<dyn Error>> {
        match self {
            Self::Export { empresa: None, csv: false, .. } => logging::print(DEFAULT_TEXT)?,
            Self::Export { empresa: None, .. } => logging::print(&Tarifa::por_defecto().csv())?,
            Self::Check { file } => {
                let tarifa = read(file, &Tarifa::por_defecto())?.table;
                let partidas = tarifa.partidas().len();
                let sources = tarifa.partidas().iter().filter(|p| p.source.is_some()).count();
                let version = tarifa.version();
                logging::print(&format!(
                    "{}: version {version}, {partidas} items ({sources} with their source), no mistakes\n{}",
                    file.display(),
                    warnings(&tarifa)
                ))?;
            }
            Self::Precio(precio) => logging::print(&precio.text()?)?,
            Self::Export { .. } | Self::Import { .. } | Self::List { .. } => return Ok(false),
        }
        Ok(true)
    }

    /// Runs a command that needs the database.
    pub async fn run(&self, settings: &Settings) -> Result<(), Box<dyn Error>> {
        let (Self::Import { empresa, .. } | Self::List { empresa } | Self::Export { empresa, .. }) = self
        else {
            return Ok(());
        };
        let app = installation::open(settings).await?;
        let empresa = match empresa {
            Some(name) => find_empresa(&app, name).await?,
            None => app.store.empresa_by_slug(None).await?.ok_or("there is no default company")?.id,
        };
        match self {
            Self::Import { file, version, from, .. } => {
                let named = Named { version: version.as_deref(), since: *from };
                import(&app, empresa, file, named).await
            }
            Self::Export { version, csv, .. } => {
                let text = export(&app, empresa, version.as_deref()).await?;
                if !csv {
                    return Ok(logging::print(&text)?);
                }
                let table = Tarifa::parse(&text).map_err(|errors| errors.to_string())?;
                Ok(logging::print(&table.csv())?)
            }
            _ => list(&app, empresa).await,
        }
    }
}

/// The version of a table, and its first day.
struct Named<'a> {
    version: Option<&'a str>,
    since: Option<Date>,
}

impl Named<'_> {
    /// Gives a CSV its version and first day. A TOML file contains both itself.
    fn apply(&self, read: Read, today: Date) -> Result<Read, Box<dyn Error>> {
        match (read.is_csv, self.version) {
            (false, None) if self.since.is_none() => Ok(read),
            (false, _) => Err("`--version` and `--from` are for CSV: the TOML file says both itself".into()),
            (true, None) => Err("a CSV has no version: name it with `--version`".into()),
            (true, Some(version)) => {
                let since = self.since.unwrap_or(today);
                let table = read.table.into_version(version, since, "");
                let table = table.ok_or("a version has letters, digits, points and hyphens, 32 at most")?;
                Ok(Read { text: table.write(), table, is_csv: true })
            }
        }
    }
}

async fn import(app: &App, empresa: EmpresaId, file: &Path, named: Named<'_>) -> Result<(), Box<dyn Error>> {
    let base = app.quotes().tarifa(empresa, app.today()).await?;
    let Read { text, table: tarifa, is_csv } = named.apply(read(file, &base)?, app.today())?;
    let text =
        if is_csv { text } else { Tarifa::imported_text(&text).map_err(|errors| errors.to_string())? };
    let version = tarifa.version().to_owned();
    let since = tarifa.vigente_desde();
    let stored = StoredTarifa { version: version.clone(), since, text, creada_en: app.now() };
    app.store.save_tarifa(empresa, stored).await.map_err(|error| match error {
        StoreError::TarifaTaken => format!(
            "the company has another table of version «{version}», and quotes name it: give this one a new `version`"
        ),
        other => other.to_string(),
    })?;
    let warnings = warnings(&tarifa);
    Ok(logging::print(&format!("version {version} is loaded and holds from {since} on\n{warnings}"))?)
}

async fn export(app: &App, empresa: EmpresaId, version: Option<&str>) -> Result<String, Box<dyn Error>> {
    let stored = match version {
        Some(version) => app.store.tarifas(empresa).await?.into_iter().find(|t| t.version == version),
        None => app.store.current_tarifa(empresa, app.today()).await?,
    };
    match (stored, version) {
        (Some(stored), _) => Ok(stored.text),
        (None, None) => Ok(DEFAULT_TEXT.to_owned()),
        (None, Some(version)) => {
            Err(format!("the company has no table of version «{version}»; `embudo tarifa list` shows them")
                .into())
        }
    }
}

async fn list(app: &App, empresa: EmpresaId) -> Result<(), Box<dyn Error>> {
    let today = app.today();
    let tarifas = app.store.tarifas(empresa).await?;
    let current = app.store.current_tarifa(empresa, today).await?;
    let mut rows: Vec<Vec<String>> = tarifas
        .iter()
        .map(|t| {
            let holds = if Some(t) == current.as_ref() { "in force" } else { "" };
            vec![t.version.clone(), t.since.to_string(), holds.to_owned()]
        })
        .collect();
    let of_the_company = Tarifa::por_defecto();
    let holds = if current.is_none() { "in force" } else { "" };
    rows.push(vec![format!("{} (shipped)", of_the_company.version()), String::new(), holds.to_owned()]);
    Ok(logging::print(&logging::table(&["VERSION", "FROM", ""], &rows))?)
}

/// Warns of jobs whose share of materials is near the limit of the reduced tax rate, or above it.
fn warnings(tarifa: &Tarifa) -> String {
    let impuestos = Impuestos::por_defecto();
    let Some(limit) = impuestos.materials_limit() else { return String::new() };
    let line = |s: &MaterialsShare| {
        let what = if s.materiales > limit {
            "its quotes carry the general rate"
        } else {
            "a small change of the job can raise the tax"
        };
        format!(
            "warning: {} {}, {} m²: materials are {} of the price (limit of the reduced rate: {limit}): {what}\n",
            s.kind, s.calidad, s.m2, s.materiales
        )
    };
    impuestos.near_limit(tarifa).iter().map(line).collect()
}

/// A checked table with its text.
struct Read {
    text: String,
    table: Tarifa,
    is_csv: bool,
}

/// Reads a file; a CSV gets everything else from the `base` table.
fn read(file: &Path, base: &Tarifa) -> Result<Read, String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let is_csv = Tarifa::is_csv(&text);
    let table = if is_csv { base.with_csv(&text) } else { Tarifa::parse(&text) };
    let table = table.map_err(|errors| format!("{}:\n{errors}", file.display()))?;
    Ok(Read { text, table, is_csv })
}

impl Precio {
    fn text(&self) -> Result<String, Box<dyn Error>> {
        let tarifa = match &self.tarifa {
            // As `embudo tarifa import` would load it: all prices are the company's own.
            Some(file) => match read(file, &Tarifa::por_defecto())? {
                Read { table, is_csv: true, .. } => table,
                Read { table, .. } => table.imported(),
            },
            None => Tarifa::por_defecto(),
        };
        let data = PricingInput {
            kind: self.kind.as_deref().and_then(Zona::parse),
            m2_suelo: self.m2.filter(|m2| *m2 > 0.0 && m2.is_finite()),
            calidad: self.calidad.as_deref().and_then(Calidad::parse),
            estructural: self.estructural,
            urgencia: self.urgencia.as_deref().and_then(Urgencia::parse),
            provincia: self.provincia.clone(),
            banos: self.banos,
            planta: self.planta,
            ascensor: self.ascensor,
            ..PricingInput::default()
        };
        let today = jiff::Zoned::now().date();
        let (pricing, impuesto) =
            Impuestos::por_defecto().price(&data, &tarifa, Condiciones::default(), today);
        Ok(write(&pricing, &impuesto))
    }
}

fn write(pricing: &Pricing, impuesto: &Impuesto) -> String {
    let mut rows = Vec::new();
    for capitulo in &pricing.capitulos {
        for line in &capitulo.lines {
            rows.push(vec![
                capitulo.nombre.clone(),
                line.concepto.clone(),
                format!("{:>9}", line.cantidad.with_decimals()),
                line.unidad.to_string(),
                format!("{:>13}", line.precio.to_string()),
                format!("{:>13}", line.importe.to_string()),
            ]);
        }
    }
    let mut text = format!("{}\n\n", pricing.title);
    text += &logging::table(&["CHAPTER", "ITEM", "QUANTITY", "UNIT", "PRICE", "AMOUNT"], &rows);
    text += &format!(
        "\nBase {}   {} {} {}   Total {}\n",
        impuesto.base, impuesto.nombre, impuesto.percentage, impuesto.quota, impuesto.total
    );
    for reason in &impuesto.reasons {
        text += &format!("{reason}\n");
    }
    if let (Some(range), Some(total)) = (pricing.range, impuesto.range) {
        text += &format!("Estimate: {range} without tax, {total} with it\n");
    }
    for assumption in pricing.assumptions.iter().chain(&impuesto.assumptions) {
        text += &format!("- {}\n", assumption.text);
    }
    text
}

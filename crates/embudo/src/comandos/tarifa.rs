//! `embudo tarifa`: price tables, and what they say a job costs.
//!
//! A table is a file until it is imported; checking one and pricing a job open no database.

use std::error::Error;
use std::path::{Path, PathBuf};

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use embudo_app::App;
use embudo_domain::calculo::{Calculo, DatosReforma};
use embudo_domain::iva::{Condiciones, Impuesto, Impuestos, MaterialsShare};
use embudo_domain::perfil::{Calidad, Urgencia};
use embudo_domain::tarifa::{TEXTO_POR_DEFECTO, Tarifa};
use embudo_domain::{EmpresaId, Zona};
use embudo_store::StoreError;
use embudo_store::presupuestos::TarifaGuardada;

use super::empresa;
use crate::casa;
use crate::salida;
use crate::settings::Settings;

/// What to do with the price table.
#[derive(Debug, Subcommand)]
pub enum Comando {
    /// Print the table that ships with Embudo, or one that a company loaded, to start the next from
    Export {
        /// The company, by id or slug
        #[arg(long, value_name = "ID|SLUG")]
        empresa: Option<String>,
        /// The version; the one in force today where it is not given
        #[arg(long, requires = "empresa")]
        version: Option<String>,
    },
    /// Check a table; every mistake is told with its line
    Check {
        /// The file
        file: PathBuf,
    },
    /// Load a table into a company, for the quotes of its first day on
    Import {
        /// The file
        file: PathBuf,
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
    #[arg(long, value_parser = PossibleValuesParser::new(Zona::PALABRAS))]
    tipo: Option<String>,
    /// Floor area in m²
    #[arg(long)]
    m2: Option<f64>,
    /// Quality
    #[arg(long, value_parser = PossibleValuesParser::new(Calidad::PALABRAS))]
    calidad: Option<String>,
    /// Whether structural work is present
    #[arg(long)]
    estructural: Option<bool>,
    /// How soon
    #[arg(long, value_parser = PossibleValuesParser::new(Urgencia::PALABRAS))]
    urgencia: Option<String>,
    /// Province or postal code
    #[arg(long)]
    provincia: Option<String>,
    /// A table other than the one that ships with Embudo
    #[arg(long, value_name = "FILE")]
    tarifa: Option<PathBuf>,
}

impl Comando {
    /// Runs what needs no database; `false` if this does.
    pub fn run_alone(&self) -> Result<bool, Box<dyn Error>> {
        match self {
            Self::Export { empresa: None, .. } => salida::print(TEXTO_POR_DEFECTO)?,
            Self::Check { file } => {
                let (_, tarifa) = leer(file)?;
                let partidas = tarifa.partidas().len();
                let version = tarifa.version();
                salida::print(&format!(
                    "{}: version {version}, {partidas} items, no mistakes\n{}",
                    file.display(),
                    warnings(&tarifa)
                ))?;
            }
            Self::Precio(precio) => salida::print(&precio.texto()?)?,
            Self::Export { .. } | Self::Import { .. } | Self::List { .. } => return Ok(false),
        }
        Ok(true)
    }

    /// Runs what needs the database.
    pub async fn run(&self, settings: &Settings) -> Result<(), Box<dyn Error>> {
        let (Self::Import { empresa, .. } | Self::List { empresa } | Self::Export { empresa, .. }) = self
        else {
            return Ok(());
        };
        let app = casa::open(settings).await?;
        let empresa = match empresa {
            Some(name) => empresa::find(&app, name).await?,
            None => app.store.empresa_by_slug(None).await?.ok_or("there is no default company")?.id,
        };
        match self {
            Self::Import { file, .. } => import(&app, empresa, file).await,
            Self::Export { version, .. } => export(&app, empresa, version.as_deref()).await,
            _ => list(&app, empresa).await,
        }
    }
}

async fn import(app: &App, empresa: EmpresaId, file: &Path) -> Result<(), Box<dyn Error>> {
    let (texto, tarifa) = leer(file)?;
    let version = tarifa.version().to_owned();
    let desde = tarifa.vigente_desde();
    let guardada = TarifaGuardada { version: version.clone(), desde, texto, creada_en: app.ahora() };
    app.store.save_tarifa(empresa, guardada).await.map_err(|error| match error {
        StoreError::TarifaTaken => format!(
            "the company has another table of version «{version}», and quotes name it: give this one a new `version`"
        ),
        otro => otro.to_string(),
    })?;
    let warnings = warnings(&tarifa);
    Ok(salida::print(&format!("version {version} is loaded and holds from {desde} on\n{warnings}"))?)
}

async fn export(app: &App, empresa: EmpresaId, version: Option<&str>) -> Result<(), Box<dyn Error>> {
    let guardada = match version {
        Some(version) => app.store.tarifas(empresa).await?.into_iter().find(|t| t.version == version),
        None => app.store.tarifa_vigente(empresa, app.hoy()).await?,
    };
    match (guardada, version) {
        (Some(guardada), _) => Ok(salida::print(&guardada.texto)?),
        (None, None) => Ok(salida::print(TEXTO_POR_DEFECTO)?),
        (None, Some(version)) => {
            Err(format!("the company has no table of version «{version}»; `embudo tarifa list` shows them")
                .into())
        }
    }
}

async fn list(app: &App, empresa: EmpresaId) -> Result<(), Box<dyn Error>> {
    let hoy = app.hoy();
    let tarifas = app.store.tarifas(empresa).await?;
    let vigente = app.store.tarifa_vigente(empresa, hoy).await?;
    let mut filas: Vec<Vec<String>> = tarifas
        .iter()
        .map(|t| {
            let vale = if Some(t) == vigente.as_ref() { "in force" } else { "" };
            vec![t.version.clone(), t.desde.to_string(), vale.to_owned()]
        })
        .collect();
    let de_la_casa = Tarifa::por_defecto();
    let vale = if vigente.is_none() { "in force" } else { "" };
    filas.push(vec![format!("{} (shipped)", de_la_casa.version()), String::new(), vale.to_owned()]);
    Ok(salida::print(&salida::table(&["VERSION", "FROM", ""], &filas))?)
}

/// The jobs whose materials come near the limit of the reduced tax, or past it.
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
            s.tipo, s.calidad, s.m2, s.materiales
        )
    };
    impuestos.near_limit(tarifa).iter().map(line).collect()
}

/// A checked table with its text.
fn leer(file: &Path) -> Result<(String, Tarifa), String> {
    let texto = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let tarifa = Tarifa::parse(&texto).map_err(|errores| format!("{}:\n{errores}", file.display()))?;
    Ok((texto, tarifa))
}

impl Precio {
    fn texto(&self) -> Result<String, Box<dyn Error>> {
        let tarifa = match &self.tarifa {
            Some(file) => leer(file)?.1,
            None => Tarifa::por_defecto(),
        };
        let datos = DatosReforma {
            tipo: self.tipo.as_deref().and_then(Zona::parse),
            m2_suelo: self.m2.filter(|m2| *m2 > 0.0 && m2.is_finite()),
            calidad: self.calidad.as_deref().and_then(Calidad::parse),
            estructural: self.estructural,
            urgencia: self.urgencia.as_deref().and_then(Urgencia::parse),
            provincia: self.provincia.clone(),
            presupuesto_target: None,
        };
        let hoy = jiff::Zoned::now().date();
        let (calculo, impuesto) =
            Impuestos::por_defecto().price(&datos, &tarifa, Condiciones::default(), hoy);
        Ok(escribir(&calculo, &impuesto))
    }
}

fn escribir(calculo: &Calculo, impuesto: &Impuesto) -> String {
    let mut filas = Vec::new();
    for capitulo in &calculo.capitulos {
        for linea in &capitulo.lineas {
            filas.push(vec![
                capitulo.nombre.clone(),
                linea.concepto.clone(),
                format!("{:>9}", linea.cantidad.con_decimales()),
                linea.unidad.to_string(),
                format!("{:>13}", linea.precio.to_string()),
                format!("{:>13}", linea.importe.to_string()),
            ]);
        }
    }
    let mut texto = format!("{}\n\n", calculo.titulo);
    texto += &salida::table(&["CAPÍTULO", "CONCEPTO", "CANTIDAD", "UD", "PRECIO", "IMPORTE"], &filas);
    texto += &format!(
        "\nBase {}   {} {} {}   Total {}\n",
        impuesto.base, impuesto.nombre, impuesto.porcentaje, impuesto.cuota, impuesto.total
    );
    for motivo in &impuesto.motivos {
        texto += &format!("{motivo}\n");
    }
    if let (Some(rango), Some(total)) = (calculo.rango, impuesto.rango) {
        texto += &format!("Orientativo: {rango} sin impuestos, {total} con ellos\n");
    }
    for supuesto in calculo.supuestos.iter().chain(&impuesto.supuestos) {
        texto += &format!("- {}\n", supuesto.texto);
    }
    texto
}

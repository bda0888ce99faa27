//! `embudo tarifa`: the price table, and what it says a job costs.
//!
//! No database is opened: the table is a file, and a price is a sum.

use std::error::Error;
use std::path::{Path, PathBuf};

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use embudo_domain::Zona;
use embudo_domain::calculo::{Calculo, DatosReforma, calcular};
use embudo_domain::iva::{Condiciones, Impuestos};
use embudo_domain::lead::{Calidad, Urgencia};
use embudo_domain::tarifa::{TEXTO_POR_DEFECTO, Tarifa};

use crate::salida;

/// What to do with the price table.
#[derive(Debug, Subcommand)]
pub enum Comando {
    /// Print the table that ships with Embudo, to start your own from
    Export,
    /// Check a table; every mistake is told with its line
    Check {
        /// The file
        file: PathBuf,
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
    /// Runs it.
    pub fn run(&self) -> Result<(), Box<dyn Error>> {
        match self {
            Self::Export => salida::print(TEXTO_POR_DEFECTO)?,
            Self::Check { file } => {
                let tarifa = leer(file)?;
                let partidas = tarifa.partidas().len();
                let version = tarifa.version();
                salida::print(&format!(
                    "{}: version {version}, {partidas} items, no mistakes\n",
                    file.display()
                ))?;
            }
            Self::Precio(precio) => salida::print(&precio.texto()?)?,
        }
        Ok(())
    }
}

fn leer(file: &Path) -> Result<Tarifa, String> {
    let texto = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    Tarifa::leer(&texto).map_err(|errores| format!("{}:\n{errores}", file.display()))
}

impl Precio {
    fn texto(&self) -> Result<String, Box<dyn Error>> {
        let tarifa = match &self.tarifa {
            Some(file) => leer(file)?,
            None => Tarifa::por_defecto(),
        };
        let datos = DatosReforma {
            tipo: self.tipo.as_deref().and_then(Zona::desde),
            m2_suelo: self.m2.filter(|m2| *m2 > 0.0 && m2.is_finite()),
            calidad: self.calidad.as_deref().and_then(Calidad::desde),
            estructural: self.estructural,
            urgencia: self.urgencia.as_deref().and_then(Urgencia::desde),
            provincia: self.provincia.clone(),
            presupuesto_target: None,
        };
        Ok(escribir(&calcular(&datos, &tarifa)))
    }
}

fn escribir(calculo: &Calculo) -> String {
    let hoy = jiff::Zoned::now().date();
    let impuesto = Impuestos::por_defecto().aplicar(calculo, Condiciones::default(), hoy);
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
    if let Some(rango) = calculo.rango {
        texto += &format!("Orientativo: entre {} y {} sin impuestos\n", rango.minimo, rango.maximo);
    }
    for supuesto in calculo.supuestos.iter().chain(&impuesto.supuestos) {
        texto += &format!("- {}\n", supuesto.texto);
    }
    texto
}

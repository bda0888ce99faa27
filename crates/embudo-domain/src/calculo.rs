//! What a job costs: from what is known of a lead and a price table to the lines of a quote.
//!
//! Pure and total: every lead gets an answer, however little is known and however absurd a number is. Rules of the sums:
//!
//! 1. unit price = table price × price level of the province, rounded half up to the cent;
//! 2. amount of a line = printed quantity × printed unit price, rounded half up;
//! 3. materials of a line = amount × its share, rounded half up; labour is the rest;
//! 4. a surcharge is a percentage of the sum of the items, rounded half up, and a line of its own;
//! 5. every total is the exact sum of printed amounts.
//!
//! Taxes are [`crate::iva`]'s work; nothing here knows them. The target budget never changes a price.

mod rango;
mod supuestos;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::Zona;
use crate::decimal::{Cantidad, Porcentaje};
use crate::dinero::Cents;
use crate::lead::{Calidad, Urgencia};
use crate::perfil::Perfil;
use crate::provincia::Provincia;
use crate::tarifa::{Tarifa, Unidad};

pub use rango::Rango;
pub use supuestos::Supuesto;

/// What is known of the work; every field may be missing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DatosReforma {
    /// Renovation type.
    pub tipo: Option<Zona>,
    /// Floor area.
    pub m2_suelo: Option<f64>,
    /// Quality.
    pub calidad: Option<Calidad>,
    /// Whether structural work is present.
    pub estructural: Option<bool>,
    /// How soon.
    pub urgencia: Option<Urgencia>,
    /// The province, as the person wrote it.
    pub provincia: Option<String>,
    /// Target budget.
    pub presupuesto_target: Option<Cents>,
}

impl DatosReforma {
    /// What a lead's profile and province say.
    pub fn de(perfil: &Perfil, provincia: Option<&str>) -> Self {
        Self {
            tipo: perfil.tipo_reforma,
            m2_suelo: perfil.m2_suelo,
            calidad: perfil.calidad_global,
            estructural: perfil.estructural,
            urgencia: perfil.urgencia,
            provincia: provincia.map(str::to_owned),
            presupuesto_target: perfil.presupuesto_target_cents.map(Cents),
        }
    }
}

/// A priced job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Calculo {
    /// The version of the price table.
    pub tarifa_version: String,
    /// The day from which that table holds.
    #[serde(with = "crate::dia")]
    pub tarifa_desde: Date,
    /// The type that was priced, known or supposed.
    pub tipo: Zona,
    /// Its title («Reforma de baño»).
    pub titulo: String,
    /// The floor area that was priced.
    pub m2: Cantidad,
    /// The quality that was priced.
    pub calidad: Calidad,
    /// The province, where it was recognised.
    pub provincia: Option<Provincia>,
    /// The chapters, surcharges last.
    pub capitulos: Vec<Capitulo>,
    /// The sum of all chapters: the taxable base.
    pub base: Cents,
    /// The part of the base that is materials.
    pub material: Cents,
    /// The part of the base that is labour and everything else.
    pub mano_obra: Cents,
    /// Between what the base may lie while something that decides the price is unknown.
    pub rango: Option<Rango>,
    /// Everything that was supposed.
    pub supuestos: Vec<Supuesto>,
    /// What the price leaves out.
    pub no_incluye: Vec<String>,
    /// The client's target, as told.
    pub objetivo: Option<Cents>,
}

/// The lines of one chapter in one zone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Capitulo {
    /// The zone its lines belong to.
    pub zona: Zona,
    /// Its title.
    pub nombre: String,
    /// Its lines; never empty.
    pub lineas: Vec<Linea>,
    /// The exact sum of its lines.
    pub total: Cents,
}

/// One line of a quote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Linea {
    /// The key of the item in the table, or the cause of the surcharge.
    pub clave: String,
    /// What it is.
    pub concepto: String,
    /// What one gets in this quality.
    pub detalle: Option<String>,
    /// How much.
    pub cantidad: Cantidad,
    /// Of what.
    pub unidad: Unidad,
    /// Price of one unit.
    pub precio: Cents,
    /// Quantity times price.
    pub importe: Cents,
    /// The part of the amount that is materials.
    pub material: Cents,
    /// The rest.
    pub mano_obra: Cents,
}

/// Everything a sum needs, nothing missing.
#[derive(Debug, Clone, Copy)]
struct Escenario {
    tipo: Zona,
    m2: Cantidad,
    calidad: Calidad,
    estructural: bool,
    urgencia: Urgencia,
    factor: Porcentaje,
}

/// Why no sum can overflow.
const CABE: &str = "a checked table keeps every sum far below 2^63";
/// The title of the chapter of surcharges.
const AJUSTES: &str = "Ajustes";

/// Prices a job.
pub fn calcular(datos: &DatosReforma, tarifa: &Tarifa) -> Calculo {
    let (escenario, provincia, supuestos) = supuestos::completar(datos, tarifa);
    let capitulos = capitulos(tarifa, &escenario);
    let base = sumar(capitulos.iter().map(|c| c.total));
    let material = sumar(capitulos.iter().flat_map(|c| &c.lineas).map(|l| l.material));
    let tipo = tarifa.tipo(escenario.tipo);
    Calculo {
        tarifa_version: tarifa.version.clone(),
        tarifa_desde: tarifa.vigente_desde,
        tipo: escenario.tipo,
        titulo: tipo.nombre.clone(),
        m2: escenario.m2,
        calidad: escenario.calidad,
        provincia,
        base,
        material,
        mano_obra: base.checked_sub(material).expect(CABE),
        rango: rango::de(datos, tarifa, &escenario, provincia, base),
        supuestos,
        no_incluye: tipo.no_incluye.clone(),
        objetivo: datos.presupuesto_target,
        capitulos,
    }
}

/// The chapters of a job: those of the table in its order, lines of the type's own zone before those of other zones.
fn capitulos(tarifa: &Tarifa, e: &Escenario) -> Vec<Capitulo> {
    let mut capitulos: Vec<Capitulo> = Vec::new();
    for (capitulo, partida, precio) in tarifa.partidas_de(e.tipo, e.calidad, e.estructural) {
        let cantidad = partida.cantidad.aplicar(e.m2, tarifa.altura);
        if cantidad == Cantidad(0) {
            continue;
        }
        let unitario = precio.precio.parte(e.factor).expect(CABE);
        let linea = Linea::nueva(
            partida.clave.clone(),
            partida.concepto.clone(),
            cantidad,
            partida.unidad,
            unitario,
            precio.material,
        );
        let linea = Linea { detalle: precio.detalle.clone(), ..linea };
        let zona = partida.zona.unwrap_or(e.tipo);
        match capitulos.iter_mut().find(|c| c.zona == zona && c.nombre == capitulo.nombre) {
            Some(c) => c.lineas.push(linea),
            None => capitulos.push(Capitulo {
                zona,
                nombre: capitulo.nombre.clone(),
                lineas: vec![linea],
                total: Cents::CERO,
            }),
        }
    }
    // Stable: within a zone the order of the table stays.
    capitulos.sort_by_key(|c| (c.zona != e.tipo, c.zona));
    for c in &mut capitulos {
        c.total = sumar(c.lineas.iter().map(|l| l.importe));
    }
    let partidas = sumar(capitulos.iter().map(|c| c.total));
    capitulos.extend(ajustes(tarifa, e, partidas));
    capitulos
}

/// The surcharges and discounts that apply, as a chapter of their own.
fn ajustes(tarifa: &Tarifa, e: &Escenario, partidas: Cents) -> Option<Capitulo> {
    let lineas: Vec<Linea> = tarifa
        .recargos
        .iter()
        .filter(|r| r.cuando.se_da(e.estructural, e.urgencia))
        .map(|r| {
            let importe = partidas.parte(r.porcentaje).expect(CABE);
            let concepto = format!("{} ({} de las partidas)", r.concepto, r.porcentaje);
            let clave = r.cuando.as_str().to_owned();
            Linea::nueva(clave, concepto, Cantidad::unidades(1), Unidad::Pa, importe, r.material)
        })
        .filter(|l| l.importe != Cents::CERO)
        .collect();
    let total = sumar(lineas.iter().map(|l| l.importe));
    (!lineas.is_empty()).then(|| Capitulo { zona: e.tipo, nombre: AJUSTES.to_owned(), lineas, total })
}

impl Linea {
    fn nueva(
        clave: String,
        concepto: String,
        cantidad: Cantidad,
        unidad: Unidad,
        precio: Cents,
        parte_material: Porcentaje,
    ) -> Self {
        let importe = precio.por_cantidad(cantidad).expect(CABE);
        let material = importe.parte(parte_material).expect(CABE);
        let mano_obra = importe.checked_sub(material).expect(CABE);
        Self { clave, concepto, detalle: None, cantidad, unidad, precio, importe, material, mano_obra }
    }
}

fn sumar(todos: impl Iterator<Item = Cents>) -> Cents {
    Cents::suma(todos).expect(CABE)
}

#[cfg(test)]
mod propiedades;
#[cfg(test)]
mod tests;

//! What a job costs: from what is known of a lead and a price table to the lines of a quote.
//!
//! Pure and total: every lead gets an answer, however little is known and however absurd a number is. Rules of the sums:
//!
//! 1. unit price = table price × price level of the province, rounded half up to the cent;
//! 2. amount of a line = printed quantity × printed unit price, rounded half up;
//! 3. materials of a line = amount × its share, rounded half up; labour is the rest;
//! 4. a surcharge or discount is a percentage of the sum of the items, rounded half up, and a line of its own; it moves labour
//!    and materials alike, so the share of materials, on which the tax depends, is that of the items whatever is adjusted;
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
use crate::perfil::Perfil;
use crate::perfil::{Calidad, Urgencia};
use crate::provincia::Provincia;
use crate::tarifa::{Causa, Partida, PrecioPartida, Recargo, Tarifa, Unidad};

pub use rango::{Rango, corners};
pub use supuestos::Supuesto;

/// What a job comes to before tax.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Suma {
    /// The taxable base: items, surcharges and discounts.
    pub base: Cents,
    /// The items alone.
    pub partidas: Cents,
    /// The part of the items that is materials.
    pub material: Cents,
}

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
    pub fn new(perfil: &Perfil, provincia: Option<&str>) -> Self {
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
    let rango = rango::of(&rango::esquinas(datos, tarifa, &escenario, provincia), tarifa.redondeo_rango);
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
        rango,
        supuestos,
        no_incluye: tipo.no_incluye.clone(),
        objetivo: datos.presupuesto_target,
        capitulos,
    }
}

impl Calculo {
    /// What it comes to, with the items apart from what adjusts them.
    pub fn suma(&self) -> Suma {
        let es_ajuste = |c: &Capitulo, l: &Linea| c.nombre == AJUSTES && Causa::parse(&l.clave).is_some();
        let partidas =
            || self.capitulos.iter().flat_map(|c| c.lineas.iter().filter(move |l| !es_ajuste(c, l)));
        Suma {
            base: self.base,
            partidas: sumar(partidas().map(|l| l.importe)),
            material: sumar(partidas().map(|l| l.material)),
        }
    }
}

/// The chapters of a job: those of the table in its order, lines of the type's own zone before those of other zones.
fn capitulos(tarifa: &Tarifa, e: &Escenario) -> Vec<Capitulo> {
    let mut capitulos: Vec<Capitulo> = Vec::new();
    for (capitulo, partida, precio) in tarifa.partidas_de(e.tipo, e.calidad, e.estructural) {
        let Some(cifras) = Cifras::new(tarifa, e, partida, precio) else { continue };
        let linea = Linea {
            clave: partida.clave.clone(),
            concepto: partida.concepto.clone(),
            detalle: precio.detalle.clone(),
            ..cifras.linea(partida.unidad)
        };
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
    capitulos.extend(ajustes(tarifa, e, &suma(tarifa, e)));
    capitulos
}

/// The surcharges and discounts that apply, as a chapter of their own.
fn ajustes(tarifa: &Tarifa, e: &Escenario, suma: &Suma) -> Option<Capitulo> {
    let lineas: Vec<Linea> = recargos(tarifa, e)
        .map(|r| {
            let precio = suma.partidas.parte(r.porcentaje).expect(CABE);
            let material = precio.proporcional(suma.material, suma.partidas).expect(CABE);
            let cifras = Cifras { cantidad: Cantidad::unidades(1), precio, importe: precio, material };
            let concepto = format!("{} ({} de las partidas)", r.concepto, r.porcentaje);
            Linea { clave: r.cuando.as_str().to_owned(), concepto, ..cifras.linea(Unidad::Pa) }
        })
        .filter(|l| l.importe != Cents::CERO)
        .collect();
    let total = sumar(lineas.iter().map(|l| l.importe));
    (!lineas.is_empty()).then(|| Capitulo { zona: e.tipo, nombre: AJUSTES.to_owned(), lineas, total })
}

fn recargos<'a>(tarifa: &'a Tarifa, e: &Escenario) -> impl Iterator<Item = &'a Recargo> {
    let (estructural, urgencia) = (e.estructural, e.urgencia);
    tarifa.recargos.iter().filter(move |r| r.cuando.se_da(estructural, urgencia))
}

/// What a job without urgency comes to at the prices of the table.
pub(crate) fn suma_de(
    tarifa: &Tarifa,
    tipo: Zona,
    m2: Cantidad,
    calidad: Calidad,
    estructural: bool,
) -> Suma {
    let (urgencia, factor) = (Urgencia::Media, Porcentaje::CIEN);
    suma(tarifa, &Escenario { tipo, m2, calidad, estructural, urgencia, factor })
}

/// What a job comes to, without its lines.
fn suma(tarifa: &Tarifa, e: &Escenario) -> Suma {
    let (mut partidas, mut material) = (Cents::CERO, Cents::CERO);
    for partida in &tarifa.partidas {
        let precio = partida.precio_en(e.tipo, e.calidad, e.estructural);
        if let Some(cifras) = precio.and_then(|p| Cifras::new(tarifa, e, partida, p)) {
            partidas = partidas.checked_add(cifras.importe).expect(CABE);
            material = material.checked_add(cifras.material).expect(CABE);
        }
    }
    let ajustes = recargos(tarifa, e).map(|r| partidas.parte(r.porcentaje).expect(CABE));
    Suma { base: sumar(ajustes.chain([partidas])), partidas, material }
}

/// The figures of a line.
struct Cifras {
    cantidad: Cantidad,
    precio: Cents,
    importe: Cents,
    material: Cents,
}

impl Cifras {
    /// Those of an item of the table; `None` where the job has none of it.
    fn new(tarifa: &Tarifa, e: &Escenario, partida: &Partida, precio: &PrecioPartida) -> Option<Self> {
        let cantidad = partida.cantidad.aplicar(e.m2, tarifa.altura);
        let unitario = precio.precio.parte(e.factor).expect(CABE);
        let importe = unitario.por_cantidad(cantidad).expect(CABE);
        let material = importe.parte(precio.material).expect(CABE);
        (cantidad != Cantidad(0)).then_some(Self { cantidad, precio: unitario, importe, material })
    }

    /// A line that still lacks its words.
    fn linea(self, unidad: Unidad) -> Linea {
        Linea {
            clave: String::new(),
            concepto: String::new(),
            detalle: None,
            cantidad: self.cantidad,
            unidad,
            precio: self.precio,
            importe: self.importe,
            material: self.material,
            mano_obra: self.importe.checked_sub(self.material).expect(CABE),
        }
    }
}

fn sumar(todos: impl Iterator<Item = Cents>) -> Cents {
    Cents::suma(todos).expect(CABE)
}

#[cfg(test)]
mod propiedades;
#[cfg(test)]
mod tests;

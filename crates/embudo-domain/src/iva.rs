//! The indirect tax of a quote: IVA, IGIC or IPSI, by rules that are dated data (`datos/impuestos.toml`).
//!
//! A rule applies when it is in force and none of its conditions is denied; an unknown one is supposed, and the quote
//! says so and carries the client's declaration. The limit on materials is never supposed: it is computed from the lines.

mod margin;
mod parse;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::calculo::{Calculo, DatosReforma, Rango, Suma, Supuesto, calcular, corners};
use crate::datos::DatosInvalidos;
use crate::decimal::Porcentaje;
use crate::dinero::Cents;
use crate::provincia::{Provincia, Territorio};
use crate::tarifa::Tarifa;

pub use margin::{MARGIN, MaterialsShare};

/// The rules that the program ships.
pub const TEXTO_POR_DEFECTO: &str = include_str!("../datos/impuestos.toml");

enumeracion! {
    /// A condition that only the client can confirm.
    Condicion { Vivienda = "vivienda", Particular = "particular", DosAnos = "dos_anos" }
}

enumeracion! {
    /// What is known of a condition.
    Respuesta { Declarada = "declarada", Negada = "negada", Desconocida = "desconocida" }
}

/// What the client said of the conditions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Condiciones {
    /// The work is done in a dwelling for private use.
    pub vivienda: Respuesta,
    /// The client is a private person or a community of owners.
    pub particular: Respuesta,
    /// The dwelling was finished at least two years ago.
    pub dos_anos: Respuesta,
}

impl Default for Condiciones {
    /// Nothing known.
    fn default() -> Self {
        Self {
            vivienda: Respuesta::Desconocida,
            particular: Respuesta::Desconocida,
            dos_anos: Respuesta::Desconocida,
        }
    }
}

impl Condiciones {
    fn answer(&self, condicion: Condicion) -> Respuesta {
        match condicion {
            Condicion::Vivienda => self.vivienda,
            Condicion::Particular => self.particular,
            Condicion::DosAnos => self.dos_anos,
        }
    }
}

/// A checked set of rules: each territory has a last rule without conditions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Impuestos {
    pub(crate) version: String,
    pub(crate) revisado: Date,
    pub(crate) textos: Vec<TextosCondicion>,
    pub(crate) reglas: Vec<ReglaImpuesto>,
}

/// How a condition is put into words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextosCondicion {
    /// The condition.
    pub condicion: Condicion,
    /// What the quote says when it is supposed.
    pub supuesto: String,
    /// What it says when it is denied.
    pub negada: String,
}

/// One rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReglaImpuesto {
    /// Its key.
    pub clave: String,
    /// Where it rules.
    pub territorio: Territorio,
    /// The name of the tax.
    pub impuesto: String,
    /// The rate.
    pub porcentaje: Porcentaje,
    /// The first day.
    pub vigente_desde: Date,
    /// The last day, if it has ended.
    pub vigente_hasta: Option<Date>,
    /// The law.
    pub norma: String,
    /// What must hold.
    pub condiciones: Vec<Condicion>,
    /// The largest part of the base that may be materials.
    pub materiales_maximo: Option<Porcentaje>,
    /// Why this rate, as the quote prints it.
    pub texto: String,
    /// What the client must sign.
    pub declaracion: Option<String>,
    /// Whether the rate must still be confirmed with a local ordinance.
    pub confirmar: bool,
}

/// The tax of a quote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Impuesto {
    /// The key of the rule.
    pub regla: String,
    /// The version of the rules.
    pub version: String,
    /// The day from which the rule holds.
    #[serde(with = "crate::dia")]
    pub vigente_desde: Date,
    /// The law.
    pub norma: String,
    /// `IVA`, `IGIC` or `IPSI`.
    pub nombre: String,
    /// The rate.
    pub porcentaje: Porcentaje,
    /// The taxable base.
    pub base: Cents,
    /// The tax: the rate on the base, rounded half up.
    pub cuota: Cents,
    /// Base and tax.
    pub total: Cents,
    /// The part of the base that is materials, in per cent, rounded half up to two decimals.
    pub materiales: Porcentaje,
    /// Why this rate.
    pub texto: String,
    /// Why not a lower one, where one exists, and what would bring it.
    pub motivos: Vec<String>,
    /// What was supposed.
    pub supuestos: Vec<Supuesto>,
    /// What the client must sign for this rate.
    pub declaracion: Option<String>,
    /// Whether that declaration is still owed: not every condition has been declared.
    pub declaracion_pendiente: bool,
    /// Between what totals the job may lie while something that decides the price is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rango: Option<RangoTotal>,
}

/// Between what totals a job may lie, rounded outwards, each with its own tax.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RangoTotal {
    /// At least.
    pub minimo: Cents,
    /// At most.
    pub maximo: Cents,
    /// The rate, where it is the same for all that the job may come to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub porcentaje: Option<Porcentaje>,
}

impl std::fmt::Display for RangoTotal {
    /// «entre 4.300 € y 9.800 €».
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        Rango { minimo: self.minimo, maximo: self.maximo }.fmt(f)
    }
}

/// Why no total of a table can overflow.
const CABE: &str = "a checked table keeps every total far below 2^63";

impl Impuestos {
    /// Reads and checks a set of rules; all its mistakes at once.
    pub fn parse(texto: &str) -> Result<Self, DatosInvalidos> {
        parse::parse(texto)
    }

    /// The rules that the program ships.
    pub fn por_defecto() -> Self {
        Self::parse(TEXTO_POR_DEFECTO).expect("a test reads the shipped rules")
    }

    /// The version of the set.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The day on which a person last checked it against the law.
    pub fn revisado(&self) -> Date {
        self.revisado
    }

    /// The rules.
    pub fn reglas(&self) -> &[ReglaImpuesto] {
        &self.reglas
    }

    /// Prices a job with its tax on a day.
    pub fn price(
        &self,
        datos: &DatosReforma,
        tarifa: &Tarifa,
        condiciones: Condiciones,
        dia: Date,
    ) -> (Calculo, Impuesto) {
        let calculo = calcular(datos, tarifa);
        let mut impuesto = self.aplicar(&calculo, condiciones, dia);
        impuesto.rango = self.rango(&corners(datos, tarifa), calculo.provincia, condiciones, dia, tarifa);
        (calculo, impuesto)
    }

    /// The tax of a priced job on a day.
    pub fn aplicar(&self, calculo: &Calculo, condiciones: Condiciones, dia: Date) -> Impuesto {
        self.sobre(calculo.suma(), calculo.provincia, condiciones, dia).expect(CABE)
    }

    /// The least and the most that a job may cost its client. A dearer job is not always the one with the larger base: each has
    /// its own rate.
    fn rango(
        &self,
        sumas: &[Suma],
        provincia: Option<Provincia>,
        condiciones: Condiciones,
        dia: Date,
        tarifa: &Tarifa,
    ) -> Option<RangoTotal> {
        let con_tipo = |s: &Suma| {
            let porcentaje = self.regla_de(s, territorio(provincia), condiciones, dia).0.porcentaje;
            (porcentaje, total(s.base, porcentaje).expect(CABE))
        };
        let totales: Vec<(Porcentaje, Cents)> = sumas.iter().map(con_tipo).collect();
        let Rango { minimo, maximo } = Rango::alrededor(totales.iter().map(|t| t.1), tarifa.redondeo_rango)?;
        let (primero, _) = totales[0];
        let porcentaje = totales.iter().all(|t| t.0 == primero).then_some(primero);
        Some(RangoTotal { minimo, maximo, porcentaje })
    }

    /// The rule for a job, and what stands against those before it.
    fn regla_de(
        &self,
        suma: &Suma,
        territorio: Territorio,
        condiciones: Condiciones,
        dia: Date,
    ) -> (&ReglaImpuesto, Vec<String>) {
        let mut motivos = Vec::new();
        let en_vigor = |r: &&ReglaImpuesto| {
            r.territorio == territorio && r.vigente_desde <= dia && r.vigente_hasta.is_none_or(|h| dia <= h)
        };
        for regla in self.reglas.iter().filter(en_vigor) {
            let mal = self.objeciones(regla, suma, condiciones);
            if mal.is_empty() {
                return (regla, motivos);
            }
            motivos.extend(mal);
        }
        (self.general(territorio), motivos)
    }

    /// The tax of a job. An unknown province is supposed to be under IVA. `None` if the total is more than money can be.
    pub fn sobre(
        &self,
        suma: Suma,
        provincia: Option<Provincia>,
        condiciones: Condiciones,
        dia: Date,
    ) -> Option<Impuesto> {
        let mut supuestos = Vec::new();
        if provincia.is_none() {
            let texto = "La obra está en la península o Baleares y lleva IVA.";
            supuestos.push(Supuesto::new("provincia", texto));
        }
        let (regla, motivos) = self.regla_de(&suma, territorio(provincia), condiciones, dia);
        let desconocidas: Vec<&TextosCondicion> = regla
            .condiciones
            .iter()
            .filter(|c| condiciones.answer(**c) == Respuesta::Desconocida)
            .map(|c| self.textos(*c))
            .collect();
        supuestos
            .extend(desconocidas.iter().map(|t| Supuesto::new(t.condicion.as_str(), t.supuesto.as_str())));
        if regla.confirmar {
            let texto = format!(
                "El tipo de {} depende de la ordenanza local: lo confirmamos antes de facturar.",
                regla.impuesto
            );
            supuestos.push(Supuesto::new("impuesto", texto));
        }
        let total = total(suma.base, regla.porcentaje)?;
        Some(Impuesto {
            regla: regla.clave.clone(),
            version: self.version.clone(),
            vigente_desde: regla.vigente_desde,
            norma: regla.norma.clone(),
            nombre: regla.impuesto.clone(),
            porcentaje: regla.porcentaje,
            base: suma.base,
            cuota: total.checked_sub(suma.base)?,
            total,
            materiales: proporcion(suma.material, suma.partidas),
            texto: regla.texto.clone(),
            motivos,
            supuestos,
            declaracion: regla.declaracion.clone(),
            declaracion_pendiente: regla.declaracion.is_some() && !desconocidas.is_empty(),
            rango: None,
        })
    }

    /// Why a rule does not apply, and what would make it; empty if it does.
    fn objeciones(&self, r: &ReglaImpuesto, suma: &Suma, c: Condiciones) -> Vec<String> {
        let negadas = r.condiciones.iter().filter(|k| c.answer(**k) == Respuesta::Negada);
        let mut mal: Vec<String> = negadas.map(|k| self.textos(*k).negada.clone()).collect();
        if let Some(maximo) = r.materiales_maximo
            && let Some(sobra) = exceso(suma, maximo)
        {
            mal.push(format!(
                "Los materiales suponen el {} de la base, más del {maximo} que admite el tipo reducido.",
                proporcion(suma.material, suma.partidas)
            ));
            mal.push(format!(
                "El {} del {} sería posible si compraras tú materiales de los que ponemos por al menos {}, a nuestro precio de coste.",
                r.impuesto,
                r.porcentaje,
                sobra.hacia_arriba(Cents::euros(1)).corto()
            ));
        }
        mal
    }

    fn textos(&self, condicion: Condicion) -> &TextosCondicion {
        self.textos.iter().find(|t| t.condicion == condicion).expect("a checked set words every condition")
    }

    /// The rule for days on which none is in force: better an old rate than none.
    fn general(&self, territorio: Territorio) -> &ReglaImpuesto {
        let sin_condiciones = |r: &&ReglaImpuesto| r.territorio == territorio && r.es_general();
        self.reglas.iter().rfind(sin_condiciones).expect("a checked set has a general rule everywhere")
    }
}

impl ReglaImpuesto {
    /// Whether it always applies.
    pub fn es_general(&self) -> bool {
        self.condiciones.is_empty() && self.materiales_maximo.is_none()
    }
}

impl Impuesto {
    /// A range without tax, with this tax added; `None` if that is more than money can be.
    pub fn en_rango(&self, rango: Rango) -> Option<RangoTotal> {
        let con = |c: Cents| total(c, self.porcentaje);
        let porcentaje = Some(self.porcentaje);
        Some(RangoTotal { minimo: con(rango.minimo)?, maximo: con(rango.maximo)?, porcentaje })
    }
}

/// An unknown province is supposed to be under IVA.
fn territorio(provincia: Option<Provincia>) -> Territorio {
    provincia.map_or(Territorio::PeninsulaBaleares, Provincia::territorio)
}

/// A base with its tax, rounded half up.
fn total(base: Cents, porcentaje: Porcentaje) -> Option<Cents> {
    base.checked_add(base.parte(porcentaje)?)
}

/// The materials that the client would have to buy, so that what is left in the price stays within the limit; `None` where it is.
///
/// Taking v out of materials and items alike leaves (m − v) / (p − v), which is the limit l at v = (m − l·p) / (1 − l).
fn exceso(suma: &Suma, maximo: Porcentaje) -> Option<Cents> {
    let (m, p, l) = (i128::from(suma.material.0), i128::from(suma.partidas.0), i128::from(maximo.0));
    let sobra = m * 10_000 - p * l;
    if sobra <= 0 {
        return None;
    }
    let resto = (10_000 - l).max(1);
    let de_las_partidas = Cents(i64::try_from((sobra + resto - 1) / resto).unwrap_or(i64::MAX));
    // Surcharges and discounts move materials as they move the items.
    de_las_partidas.proporcional(suma.base, suma.partidas).or(Some(de_las_partidas))
}

/// A part of a whole in per cent.
fn proporcion(parte: Cents, todo: Cents) -> Porcentaje {
    if todo.0 <= 0 {
        return Porcentaje(0);
    }
    let cociente = crate::decimal::half_up(i128::from(parte.0) * 10_000, i128::from(todo.0));
    Porcentaje(i64::try_from(cociente).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests;

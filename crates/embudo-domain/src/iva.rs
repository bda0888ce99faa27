//! The indirect tax of a quote: IVA, IGIC or IPSI, by rules that are dated data (`datos/impuestos.toml`).
//!
//! A rule applies when it is in force and none of its conditions is denied; an unknown one is supposed, and the quote
//! says so and carries the client's declaration. The limit on materials is never supposed: it is computed from the lines.

mod leer;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::calculo::{Calculo, Rango, Supuesto};
use crate::datos::DatosInvalidos;
use crate::decimal::Porcentaje;
use crate::dinero::Cents;
use crate::provincia::{Provincia, Territorio};

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
    fn de(&self, condicion: Condicion) -> Respuesta {
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
    /// Why not a lower one, where one exists.
    pub motivos: Vec<String>,
    /// What was supposed.
    pub supuestos: Vec<Supuesto>,
    /// What the client must sign for this rate.
    pub declaracion: Option<String>,
    /// Whether that declaration is still owed: not every condition has been declared.
    pub declaracion_pendiente: bool,
}

impl Impuestos {
    /// Reads and checks a set of rules; all its mistakes at once.
    pub fn leer(texto: &str) -> Result<Self, DatosInvalidos> {
        leer::leer(texto)
    }

    /// The rules that the program ships.
    pub fn por_defecto() -> Self {
        Self::leer(TEXTO_POR_DEFECTO).expect("a test reads the shipped rules")
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

    /// The tax of a priced job on a day.
    pub fn aplicar(&self, calculo: &Calculo, condiciones: Condiciones, dia: Date) -> Impuesto {
        self.sobre(calculo.base, calculo.material, calculo.provincia, condiciones, dia)
            .expect("a checked table keeps every total far below 2^63")
    }

    /// The tax of a base of which a part is materials. An unknown province is supposed to be under IVA. `None` if the total
    /// is more than money can be.
    pub fn sobre(
        &self,
        base: Cents,
        material: Cents,
        provincia: Option<Provincia>,
        condiciones: Condiciones,
        dia: Date,
    ) -> Option<Impuesto> {
        let territorio = provincia.map_or(Territorio::PeninsulaBaleares, Provincia::territorio);
        let mut supuestos = Vec::new();
        if provincia.is_none() {
            let texto = "Suponemos que la obra está en la península o Baleares y lleva IVA.";
            supuestos.push(Supuesto::new("provincia", texto));
        }
        let mut motivos = Vec::new();
        let en_vigor = |r: &&ReglaImpuesto| {
            r.territorio == territorio && r.vigente_desde <= dia && r.vigente_hasta.is_none_or(|h| dia <= h)
        };
        let mut elegida = None;
        for regla in self.reglas.iter().filter(en_vigor) {
            let mal = self.objeciones(regla, base, material, condiciones);
            if mal.is_empty() {
                elegida = Some(regla);
                break;
            }
            motivos.extend(mal);
        }
        let regla = elegida.unwrap_or_else(|| self.general(territorio));
        let desconocidas: Vec<&TextosCondicion> = regla
            .condiciones
            .iter()
            .filter(|c| condiciones.de(**c) == Respuesta::Desconocida)
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
        let cuota = base.parte(regla.porcentaje)?;
        Some(Impuesto {
            regla: regla.clave.clone(),
            version: self.version.clone(),
            vigente_desde: regla.vigente_desde,
            norma: regla.norma.clone(),
            nombre: regla.impuesto.clone(),
            porcentaje: regla.porcentaje,
            base,
            cuota,
            total: base.checked_add(cuota)?,
            materiales: proporcion(material, base),
            texto: regla.texto.clone(),
            motivos,
            supuestos,
            declaracion: regla.declaracion.clone(),
            declaracion_pendiente: regla.declaracion.is_some() && !desconocidas.is_empty(),
        })
    }

    /// Why a rule does not apply; empty if it does.
    fn objeciones(&self, r: &ReglaImpuesto, base: Cents, material: Cents, c: Condiciones) -> Vec<String> {
        let negadas = r.condiciones.iter().filter(|k| c.de(**k) == Respuesta::Negada);
        let mut mal: Vec<String> = negadas.map(|k| self.textos(*k).negada.clone()).collect();
        if let Some(maximo) = r.materiales_maximo
            && i128::from(material.0) * 10_000 > i128::from(base.0) * i128::from(maximo.0)
        {
            mal.push(format!(
                "Los materiales suponen el {} de la base, más del {maximo} que admite el tipo reducido.",
                proporcion(material, base)
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
    pub fn en_rango(&self, rango: Rango) -> Option<Rango> {
        let con = |c: Cents| c.checked_add(c.parte(self.porcentaje)?);
        Some(Rango { minimo: con(rango.minimo)?, maximo: con(rango.maximo)? })
    }
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

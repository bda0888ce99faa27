//! How a quantity follows from the floor area: a language of one line that a person can write.
//!
//! ```text
//! 5                          five, always
//! suelo                      the floor area
//! suelo*0.85                 85 % of it
//! paredes*0.9 min 12         wall area, at least 12 m²
//! perimetro*0.4 min 3 max 8  running metres along the walls
//! suelo*0.075 entero min 3   one for every 13 m², whole pieces, at least 3
//! ```
//!
//! Every rule grows with the area or stays, never shrinks: a larger job can never cost less.

use crate::decimal::{self, Cantidad, half_up};

/// The largest quantity a line may have; it keeps every product within 64 bits.
pub(crate) const MAX_CANTIDAD: Cantidad = Cantidad::unidades(100_000);

/// What a quantity is taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    /// Nothing: a fixed count.
    Fija,
    /// The floor area in m².
    Suelo,
    /// The perimeter in m of a room of that area with sides 4:3.
    Perimetro,
    /// Perimeter times height, in m².
    Paredes,
}

/// A rule for a quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Regla {
    /// What it is taken from.
    pub base: Base,
    /// In thousandths; for a fixed count, the count itself.
    pub coeficiente_milesimas: i64,
    /// Whether it is rounded up to whole pieces.
    pub entero: bool,
    /// At least.
    pub minimo: Option<Cantidad>,
    /// At most.
    pub maximo: Option<Cantidad>,
}

impl Regla {
    /// How a mistake in a rule is answered.
    pub(crate) const AYUDA: &'static str = "No se entiende la cantidad: escribe «3», «suelo», «paredes*0.9 min 12», \
         «perimetro*0.4 min 3 max 8» o «suelo*0.075 entero min 1» (coeficiente entre 0.001 y 1000, tres decimales).";

    /// Reads a rule. A comma for the decimals and × for the product are understood too.
    pub fn parse(texto: &str) -> Option<Self> {
        let texto = texto.replace('×', "*").replace(',', ".").replace('*', " * ");
        let mut palabras = texto.split_whitespace().peekable();
        let base = match palabras.next()? {
            "suelo" => Base::Suelo,
            "perimetro" => Base::Perimetro,
            "paredes" => Base::Paredes,
            numero => {
                let coeficiente_milesimas = coeficiente(numero)?;
                let fija = Self {
                    base: Base::Fija,
                    coeficiente_milesimas,
                    entero: false,
                    minimo: None,
                    maximo: None,
                };
                return palabras.next().is_none().then_some(fija);
            }
        };
        let mut regla = Self { base, coeficiente_milesimas: 1000, entero: false, minimo: None, maximo: None };
        if palabras.next_if_eq(&"*").is_some() {
            regla.coeficiente_milesimas = coeficiente(palabras.next()?)?;
        }
        while let Some(palabra) = palabras.next() {
            match palabra {
                "entero" if !regla.entero => regla.entero = true,
                "min" if regla.minimo.is_none() => regla.minimo = Some(limite(palabras.next()?)?),
                "max" if regla.maximo.is_none() => regla.maximo = Some(limite(palabras.next()?)?),
                _ => return None,
            }
        }
        let en_orden = regla.maximo.is_none_or(|max| regla.minimo.is_none_or(|min| min <= max));
        en_orden.then_some(regla)
    }

    /// The quantity for a floor area and a height of the walls, in hundredths, rounded half up.
    pub fn aplicar(&self, m2: Cantidad, altura: Cantidad) -> Cantidad {
        let base = match self.base {
            Base::Fija => 100,
            Base::Suelo => i128::from(m2.0.max(0)),
            Base::Perimetro => perimetro(m2),
            Base::Paredes => half_up(perimetro(m2) * i128::from(altura.0), 100),
        };
        let mut cantidad = half_up(base * i128::from(self.coeficiente_milesimas), 1000);
        if self.entero {
            cantidad = (cantidad + 99) / 100 * 100;
        }
        let minimo = self.minimo.map_or(0, |c| i128::from(c.0));
        let maximo = self.maximo.unwrap_or(MAX_CANTIDAD).min(MAX_CANTIDAD);
        let acotada = cantidad.max(minimo).min(i128::from(maximo.0));
        Cantidad(i64::try_from(acotada).expect("bounded by the largest quantity"))
    }
}

/// With sides a : b = 4 : 3 and area S, the perimeter is √(49·S/3); whole numbers, so the same on every machine.
fn perimetro(m2: Cantidad) -> i128 {
    (i128::from(m2.0.max(0)) * 4_900 / 3).isqrt()
}

fn coeficiente(texto: &str) -> Option<i64> {
    decimal::parse(texto, 3).filter(|c| (1..=1_000_000).contains(c))
}

fn limite(texto: &str) -> Option<Cantidad> {
    decimal::parse(texto, 2).filter(|c| (1..=MAX_CANTIDAD.0).contains(c)).map(Cantidad)
}

impl std::fmt::Display for Regla {
    /// The canonical spelling.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let coeficiente = decimal::escribir_corto(self.coeficiente_milesimas, 3);
        let base = match self.base {
            Base::Fija => return f.write_str(&coeficiente),
            Base::Suelo => "suelo",
            Base::Perimetro => "perimetro",
            Base::Paredes => "paredes",
        };
        f.write_str(base)?;
        if self.coeficiente_milesimas != 1000 {
            write!(f, "*{coeficiente}")?;
        }
        if self.entero {
            f.write_str(" entero")?;
        }
        for (palabra, limite) in [("min", self.minimo), ("max", self.maximo)] {
            if let Some(limite) = limite {
                write!(f, " {palabra} {}", decimal::escribir_corto(limite.0, 2))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cantidad(regla: &str, m2: i64) -> Cantidad {
        Regla::parse(regla).expect(regla).aplicar(Cantidad::unidades(m2), Cantidad(250))
    }

    #[test]
    fn quantities_follow_the_floor() {
        // 12 m² is 4 × 3 m: 14 m around, 35 m² of wall.
        assert_eq!(cantidad("perimetro", 12), Cantidad(1400));
        assert_eq!(cantidad("paredes", 12), Cantidad(3500));
        assert_eq!(cantidad("paredes*0.9 min 40", 12), Cantidad(4000));
        assert_eq!(cantidad("suelo*0.85", 80), Cantidad(6800));
        assert_eq!(cantidad("suelo*0.075 entero min 3", 80), Cantidad(600));
        assert_eq!(cantidad("suelo*0.075 entero min 3", 81), Cantidad(700));
        assert_eq!(cantidad("5", 80), Cantidad(500));
        assert_eq!(cantidad("perimetro max 8", 80), Cantidad(800));
    }

    #[test]
    fn rules_are_written_in_one_way() {
        for (texto, canonico) in [
            ("suelo", "suelo"),
            (" paredes × 0,90   max 20,5 min 12.00 ", "paredes*0.9 min 12 max 20.5"),
            ("suelo*0.075 min 1 entero", "suelo*0.075 entero min 1"),
            ("5.000", "5"),
            ("suelo*1", "suelo"),
        ] {
            let regla = Regla::parse(texto).expect(texto);
            assert_eq!(regla.to_string(), canonico);
            assert_eq!(Regla::parse(canonico), Some(regla));
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for texto in [
            "",
            "techo",
            "suelo*",
            "suelo*0",
            "suelo*-1",
            "suelo 3",
            "suelo min",
            "suelo min 5 max 3",
            "5 min 3",
            "suelo*0.0001",
            "suelo entero entero",
            "0",
            "suelo*1e9",
            "suelo*1001",
        ] {
            assert_eq!(Regla::parse(texto), None, "{texto}");
        }
    }

    #[test]
    fn absurd_areas_stay_in_bounds() {
        for regla in ["suelo*1000", "paredes*1000", "perimetro*1000 entero"] {
            let regla = Regla::parse(regla).expect("a rule");
            assert_eq!(regla.aplicar(Cantidad(i64::MAX), Cantidad(i64::MAX)), MAX_CANTIDAD);
            assert_eq!(regla.aplicar(Cantidad(i64::MIN), Cantidad(250)), Cantidad(0));
        }
    }
}

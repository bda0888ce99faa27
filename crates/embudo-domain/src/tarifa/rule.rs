//! How a quantity is computed from the floor area: a language of one line that a person can write.
//!
//! ```text
//! 5                          five, always
//! suelo                      the floor area
//! suelo*0.85                 85 % of it
//! paredes*0.9 min 12         wall area, at least 12 m²
//! perimetro*0.4 min 3 max 8  running metres along the walls
//! suelo*0.075 entero min 3   one for every 13 m², whole pieces, at least 3
//! banos*20                   20 for each bathroom of a dwelling
//! ```
//!
//! With a growing area the result of a rule grows or stays the same, it never shrinks: a larger job can never cost
//! less.

use crate::decimal::{self, Cantidad, half_up};

/// The largest quantity a line may have; it keeps every product within 64 bits.
pub(crate) const MAX_QUANTITY: Cantidad = Cantidad::unidades(100_000);

/// What a quantity is computed from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    /// Nothing: a fixed count.
    Fixed,
    /// The floor area in m².
    Floor,
    /// The perimeter in m of a room of that area with sides 4:3.
    Perimeter,
    /// Perimeter times height, in m².
    Walls,
    /// The bathrooms of a dwelling.
    Bathrooms,
}

/// The measures from which quantities are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Measures {
    /// The floor area.
    pub m2: Cantidad,
    /// The height of the walls, in m.
    pub height: Cantidad,
    /// The bathrooms.
    pub banos: u8,
}

/// A rule for a quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// What the quantity is computed from.
    pub base: Base,
    /// In thousandths; for a fixed count, the count itself.
    pub coefficient_thousandths: i64,
    /// Whether the quantity is rounded up to whole pieces.
    pub integer: bool,
    pub minimum: Option<Cantidad>,
    pub maximum: Option<Cantidad>,
}

impl Rule {
    /// The message for a mistake in a rule.
    pub const HELP: &'static str = "No se entiende la cantidad: escribe «3», «suelo», «paredes*0.9 min 12», \
         «perimetro*0.4 min 3 max 8», «suelo*0.075 entero min 1» o «banos*20» (coeficiente entre 0.001 y 1000, tres decimales).";

    /// Reads a rule. A comma for the decimals and × for the product are understood too.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.replace('×', "*").replace(',', ".").replace('*', " * ");
        let mut words = text.split_whitespace().peekable();
        let base = match words.next()? {
            "suelo" => Base::Floor,
            "perimetro" => Base::Perimeter,
            "paredes" => Base::Walls,
            "banos" => Base::Bathrooms,
            number => {
                let coefficient_thousandths = coefficient(number)?;
                let fixed = Self {
                    base: Base::Fixed,
                    coefficient_thousandths,
                    integer: false,
                    minimum: None,
                    maximum: None,
                };
                return words.next().is_none().then_some(fixed);
            }
        };
        let mut rule =
            Self { base, coefficient_thousandths: 1000, integer: false, minimum: None, maximum: None };
        if words.next_if_eq(&"*").is_some() {
            rule.coefficient_thousandths = coefficient(words.next()?)?;
        }
        while let Some(word) = words.next() {
            match word {
                "entero" if !rule.integer => rule.integer = true,
                "min" if rule.minimum.is_none() => rule.minimum = Some(limit(words.next()?)?),
                "max" if rule.maximum.is_none() => rule.maximum = Some(limit(words.next()?)?),
                _ => return None,
            }
        }
        let in_order = rule.maximum.is_none_or(|max| rule.minimum.is_none_or(|min| min <= max));
        in_order.then_some(rule)
    }

    /// The quantity of a job, in hundredths, rounded half up.
    pub fn apply(&self, job: Measures) -> Cantidad {
        let base = match self.base {
            Base::Fixed => 100,
            Base::Floor => i128::from(job.m2.0.max(0)),
            Base::Perimeter => perimeter(job.m2),
            Base::Walls => half_up(perimeter(job.m2) * i128::from(job.height.0), 100),
            Base::Bathrooms => i128::from(job.banos) * 100,
        };
        let mut cantidad = half_up(base * i128::from(self.coefficient_thousandths), 1000);
        if self.integer {
            cantidad = (cantidad + 99) / 100 * 100;
        }
        let minimum = self.minimum.map_or(0, |c| i128::from(c.0));
        let maximum = self.maximum.unwrap_or(MAX_QUANTITY).min(MAX_QUANTITY);
        let bounded = cantidad.max(minimum).min(i128::from(maximum.0));
        Cantidad(i64::try_from(bounded).expect("bounded by the largest quantity"))
    }
}

/// With sides a : b = 4 : 3 and area S, the perimeter is √(49·S/3). It is computed in integers, so it is the same on
/// every machine.
fn perimeter(m2: Cantidad) -> i128 {
    (i128::from(m2.0.max(0)) * 4_900 / 3).isqrt()
}

fn coefficient(text: &str) -> Option<i64> {
    decimal::parse(text, 3).filter(|c| (1..=1_000_000).contains(c))
}

fn limit(text: &str) -> Option<Cantidad> {
    decimal::parse(text, 2).filter(|c| (1..=MAX_QUANTITY.0).contains(c)).map(Cantidad)
}

impl std::fmt::Display for Rule {
    /// The canonical spelling.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let coefficient = decimal::write_short(self.coefficient_thousandths, 3);
        let base = match self.base {
            Base::Fixed => return f.write_str(&coefficient),
            Base::Floor => "suelo",
            Base::Perimeter => "perimetro",
            Base::Walls => "paredes",
            Base::Bathrooms => "banos",
        };
        f.write_str(base)?;
        if self.coefficient_thousandths != 1000 {
            write!(f, "*{coefficient}")?;
        }
        if self.integer {
            f.write_str(" entero")?;
        }
        for (word, limit) in [("min", self.minimum), ("max", self.maximum)] {
            if let Some(limit) = limit {
                write!(f, " {word} {}", decimal::write_short(limit.0, 2))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cantidad(rule: &str, m2: i64) -> Cantidad {
        let job = Measures { m2: Cantidad::unidades(m2), height: Cantidad(250), banos: 2 };
        Rule::parse(rule).expect(rule).apply(job)
    }

    #[test]
    fn quantities_follow_the_floor() {
        // 12 m² is 4 × 3 m: a perimeter of 14 m and 35 m² of wall.
        assert_eq!(cantidad("perimetro", 12), Cantidad(1400));
        assert_eq!(cantidad("paredes", 12), Cantidad(3500));
        assert_eq!(cantidad("paredes*0.9 min 40", 12), Cantidad(4000));
        assert_eq!(cantidad("suelo*0.85", 80), Cantidad(6800));
        assert_eq!(cantidad("suelo*0.075 entero min 3", 80), Cantidad(600));
        assert_eq!(cantidad("suelo*0.075 entero min 3", 81), Cantidad(700));
        assert_eq!(cantidad("5", 80), Cantidad(500));
        assert_eq!(cantidad("perimetro max 8", 80), Cantidad(800));
        assert_eq!(cantidad("banos", 80), Cantidad(200));
        assert_eq!(cantidad("banos*4.5", 80), Cantidad(900));
    }

    #[test]
    fn rules_are_written_in_one_way() {
        for (text, canonical) in [
            ("suelo", "suelo"),
            (" paredes × 0,90   max 20,5 min 12.00 ", "paredes*0.9 min 12 max 20.5"),
            ("suelo*0.075 min 1 entero", "suelo*0.075 entero min 1"),
            ("5.000", "5"),
            ("suelo*1", "suelo"),
            ("banos × 20", "banos*20"),
        ] {
            let rule = Rule::parse(text).expect(text);
            assert_eq!(rule.to_string(), canonical);
            assert_eq!(Rule::parse(canonical), Some(rule));
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for text in [
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
            assert_eq!(Rule::parse(text), None, "{text}");
        }
    }

    #[test]
    fn absurd_areas_stay_in_bounds() {
        for rule in ["suelo*1000", "paredes*1000", "perimetro*1000 entero"] {
            let rule = Rule::parse(rule).expect("a rule");
            let job = |m2, height| Measures { m2: Cantidad(m2), height: Cantidad(height), banos: u8::MAX };
            assert_eq!(rule.apply(job(i64::MAX, i64::MAX)), MAX_QUANTITY);
            assert_eq!(rule.apply(job(i64::MIN, 250)), Cantidad(0));
        }
    }
}

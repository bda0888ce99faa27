//! The number a photo gets when its sender gave none (contract §2, ingesta).

/// The largest magnitude an `orden` may have: above it a successor could stop being finite.
pub const MAX_ORDEN: f64 = 1e308;

/// Hands out consecutive numbers that continue from a lead's current maximum.
#[derive(Debug, Clone, Copy)]
pub struct Numerador {
    maximo: Option<f64>,
}

impl Numerador {
    /// Starts from the current maximum, `None` for a lead without photos.
    pub fn after(maximo: Option<f64>) -> Self {
        Self { maximo }
    }

    /// The number of the next photo: the one it brought, or the maximum + 1.
    ///
    /// The first photo is 1. Where + 1 changes nothing (beyond 2^53) it is the next larger double, so no
    /// two photos that left the number out ever share one.
    pub fn siguiente(&mut self, dado: Option<f64>) -> f64 {
        let numero = dado.unwrap_or_else(|| match self.maximo {
            None => 1.0,
            Some(m) if m + 1.0 > m => m + 1.0,
            Some(m) => m.next_up(),
        });
        self.maximo = Some(self.maximo.map_or(numero, |m| m.max(numero)));
        numero
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn continues_from_the_maximum_also_between_items() {
        let mut n = Numerador::after(None);
        assert_eq!([n.siguiente(None), n.siguiente(None)], [1.0, 2.0]);
        assert_eq!([n.siguiente(Some(10.5)), n.siguiente(None), n.siguiente(Some(-1.0))], [10.5, 11.5, -1.0]);
        assert_eq!(n.siguiente(None), 12.5);
    }

    #[test]
    fn a_negative_maximum_is_a_maximum() {
        assert_eq!(Numerador::after(Some(-5.0)).siguiente(None), -4.0);
    }

    #[test]
    fn numbers_stay_distinct_where_adding_one_is_lost() {
        for inicio in [9_007_199_254_740_992.0, 1e300, MAX_ORDEN, -MAX_ORDEN] {
            let mut n = Numerador::after(Some(inicio));
            let (a, b) = (n.siguiente(None), n.siguiente(None));
            assert!(inicio < a && a < b && b.is_finite(), "{inicio}: {a}, {b}");
        }
    }
}

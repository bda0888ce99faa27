//! The number of a photo whose sender gave none (contract §2, ingesta).

/// The maximum magnitude of an `orden`: above it the next number could be infinite.
pub const MAX_ORDEN: f64 = 1e308;

/// Hands out consecutive numbers that continue from a lead's current maximum.
#[derive(Debug, Clone, Copy)]
pub struct Numberer {
    maximum: Option<f64>,
}

impl Numberer {
    /// Starts from the current maximum, `None` for a lead without photos.
    pub fn after(maximum: Option<f64>) -> Self {
        Self { maximum }
    }

    /// The number of the next photo: the given one, or the maximum + 1.
    ///
    /// The first photo is 1. Where + 1 changes nothing (beyond 2^53) it is the next larger double, so no
    /// two photos that left the number out ever share one.
    pub fn next(&mut self, given: Option<f64>) -> f64 {
        let number = given.unwrap_or_else(|| match self.maximum {
            None => 1.0,
            Some(m) if m + 1.0 > m => m + 1.0,
            Some(m) => m.next_up(),
        });
        self.maximum = Some(self.maximum.map_or(number, |m| m.max(number)));
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn continues_from_the_maximum_also_between_items() {
        let mut n = Numberer::after(None);
        assert_eq!([n.next(None), n.next(None)], [1.0, 2.0]);
        assert_eq!([n.next(Some(10.5)), n.next(None), n.next(Some(-1.0))], [10.5, 11.5, -1.0]);
        assert_eq!(n.next(None), 12.5);
    }

    #[test]
    fn a_negative_maximum_is_a_maximum() {
        assert_eq!(Numberer::after(Some(-5.0)).next(None), -4.0);
    }

    #[test]
    fn numbers_stay_distinct_where_adding_one_is_lost() {
        for start in [9_007_199_254_740_992.0, 1e300, MAX_ORDEN, -MAX_ORDEN] {
            let mut n = Numberer::after(Some(start));
            let (a, b) = (n.next(None), n.next(None));
            assert!(start < a && a < b && b.is_finite(), "{start}: {a}, {b}");
        }
    }
}

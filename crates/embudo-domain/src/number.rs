//! Numbers as the API writes them.

use serde::{Serialize, Serializer};

/// A number that is written without a fraction where it is whole, as it was most likely sent.
#[derive(Debug, Clone, Copy)]
pub struct PlainNumber(pub f64);

impl Serialize for PlainNumber {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        const EXACT: f64 = 9_007_199_254_740_992.0;
        match self.0 {
            // Within ±2^53 the conversion loses nothing.
            #[allow(clippy::cast_possible_truncation)]
            n if n.fract() == 0.0 && n.abs() < EXACT => s.serialize_i64(n as i64),
            n => s.serialize_f64(n),
        }
    }
}

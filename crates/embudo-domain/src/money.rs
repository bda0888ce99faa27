//! Money: whole cents of a euro, with arithmetic that cannot overflow unnoticed.
//!
//! Only three operations round to the cent, all half away from zero: a quantity times a price, a percentage of an
//! amount, and a proportional share. Sums are exact. This module must not know what the money is for.

use serde::{Deserialize, Serialize};

use crate::decimal::{Cantidad, Percentage, half_up, in_spanish};

/// An amount in cents of a euro.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cents(pub i64);

impl Cents {
    pub const ZERO: Self = Self(0);

    /// Whole euros.
    pub const fn euros(n: i64) -> Self {
        Self(n * 100)
    }

    /// The sum, if it fits.
    pub const fn checked_add(self, other: Self) -> Option<Self> {
        match self.0.checked_add(other.0) {
            Some(n) => Some(Self(n)),
            None => None,
        }
    }

    /// The difference, if it fits.
    pub const fn checked_sub(self, other: Self) -> Option<Self> {
        match self.0.checked_sub(other.0) {
            Some(n) => Some(Self(n)),
            None => None,
        }
    }

    /// The exact sum of many, if it fits.
    pub fn sum(all: impl IntoIterator<Item = Self>) -> Option<Self> {
        all.into_iter().try_fold(Self::ZERO, Self::checked_add)
    }

    /// This unit price times a quantity, rounded half up to the cent, if it fits.
    pub fn by_cantidad(self, cantidad: Cantidad) -> Option<Self> {
        Self::adjust(half_up(i128::from(self.0) * i128::from(cantidad.0), 100))
    }

    /// This percentage of the amount, rounded half up to the cent, if it fits.
    pub fn part(self, percentage: Percentage) -> Option<Self> {
        Self::adjust(half_up(i128::from(self.0) * i128::from(percentage.0), 10_000))
    }

    /// The same share of this amount that `part` is of `all`, rounded half up to the cent, if it fits. Zero if `all` is
    /// zero or less.
    pub fn proportional(self, part: Self, all: Self) -> Option<Self> {
        if all.0 <= 0 {
            return Some(Self::ZERO);
        }
        Self::adjust(half_up(i128::from(self.0) * i128::from(part.0), i128::from(all.0)))
    }

    /// The amount rounded down to a multiple of a positive step: 1.234,56 € with a step of 100 € is 1.200 €.
    pub fn downwards(self, step: Self) -> Self {
        Self(self.0 - self.0.rem_euclid(step.0.max(1)))
    }

    /// The amount rounded up to a multiple of a positive step, or the amount itself if the result would not fit.
    pub fn upwards(self, step: Self) -> Self {
        let below = self.downwards(step);
        if below == self { self } else { below.checked_add(step).unwrap_or(self) }
    }

    /// `12.346 €` for whole euros, otherwise with cents: for ranges and targets in running text.
    pub fn short(self) -> String {
        if self.0 % 100 == 0 { format!("{}\u{a0}€", in_spanish(self.0 / 100, 0)) } else { self.to_string() }
    }

    fn adjust(n: i128) -> Option<Self> {
        i64::try_from(n).ok().map(Self)
    }
}

impl std::fmt::Display for Cents {
    /// `12.345,67 €`, with a no-break space: the sign never starts a line of its own.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}\u{a0}€", in_spanish(self.0, 2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_as_in_spain() {
        assert_eq!(Cents(1_234_567).to_string(), "12.345,67\u{a0}€");
        assert_eq!(Cents(5).to_string(), "0,05\u{a0}€");
        assert_eq!(Cents(-123_456).to_string(), "-1.234,56\u{a0}€");
        assert_eq!(
            (Cents::euros(4300).short(), Cents(150).short()),
            ("4.300\u{a0}€".into(), "1,50\u{a0}€".into())
        );
    }

    #[test]
    fn rounds_half_up_and_never_wraps() {
        assert_eq!(Cents(333).by_cantidad(Cantidad(150)), Some(Cents(500)));
        assert_eq!(Cents(1005).part(Percentage(1000)), Some(Cents(101)));
        assert_eq!(Cents(-100).proportional(Cents(1), Cents(8)), Some(Cents(-13)));
        assert_eq!(Cents(100).proportional(Cents(1), Cents(0)), Some(Cents(0)));
        assert_eq!(Cents(i64::MAX).by_cantidad(Cantidad(200)), None);
        assert_eq!(Cents(i64::MAX).checked_add(Cents(1)), None);
        assert_eq!(Cents::sum([Cents(1), Cents(i64::MAX)]), None);
        assert_eq!(Cents(i64::MIN).checked_sub(Cents(1)), None);
    }

    #[test]
    fn steps() {
        let step = Cents::euros(100);
        assert_eq!(Cents(123_456).downwards(step), Cents::euros(1200));
        assert_eq!(Cents(123_456).upwards(step), Cents::euros(1300));
        assert_eq!(Cents::euros(1200).upwards(step), Cents::euros(1200));
        assert_eq!(Cents(i64::MAX).upwards(step), Cents(i64::MAX));
    }
}

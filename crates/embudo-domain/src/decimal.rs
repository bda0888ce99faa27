//! Exact decimals: fixed-point numbers read from and written to text, and the one rounding rule.
//!
//! Money, quantities and percentages never pass through a float, because floats are not exact: `0.1 + 0.2` is not
//! `0.3`.

use serde::{Deserialize, Serialize};

/// Reads a plain decimal (`12`, `12.5`, `-3.00`) as a count of units of `10^-decimals`. `None` for exponents, for more
/// digits after the point than there is room for, and for what does not fit.
pub fn parse(text: &str, decimals: u32) -> Option<i64> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all_digits = |t: &str| t.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || !all_digits(whole) || !all_digits(fraction) {
        return None;
    }
    if digits.ends_with('.') || fraction.len() > decimals as usize {
        return None;
    }
    let scale = 10_i64.checked_pow(decimals)?;
    let filler = 10_i64.checked_pow(decimals - fraction.len() as u32)?;
    let fraction: i64 = if fraction.is_empty() { 0 } else { fraction.parse().ok()? };
    let whole: i64 = whole.parse().ok()?;
    whole.checked_mul(scale)?.checked_add(fraction.checked_mul(filler)?)?.checked_mul(sign)
}

/// Writes a fixed-point number with all its decimals and a point: the inverse of [`parse`].
pub fn write(value: i64, decimals: u32) -> String {
    let sign = if value < 0 { "-" } else { "" };
    let scale = 10_u64.pow(decimals);
    let magnitude = value.unsigned_abs();
    if decimals == 0 {
        return format!("{sign}{magnitude}");
    }
    format!("{sign}{}.{:0width$}", magnitude / scale, magnitude % scale, width = decimals as usize)
}

/// Like [`write()`], but without trailing zeros: `5`, `0.9`, `0.012`.
pub fn write_short(value: i64, decimals: u32) -> String {
    let length = write(value, decimals);
    match length.contains('.') {
        true => length.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => length,
    }
}

/// A number as Spanish people write it: points between thousands, comma before decimals.
pub fn in_spanish(value: i64, decimals: u32) -> String {
    let flat = write(value, decimals);
    let (sign, flat) = flat.strip_prefix('-').map_or(("", flat.as_str()), |rest| ("-", rest));
    let (whole, fraction) = flat.split_once('.').unwrap_or((flat, ""));
    let mut text = String::from(sign);
    for (n, digit) in whole.chars().enumerate() {
        if n > 0 && (whole.len() - n).is_multiple_of(3) {
            text.push('.');
        }
        text.push(digit);
    }
    if !fraction.is_empty() {
        text.push(',');
        text.push_str(fraction);
    }
    text
}

/// Reads a number as people in Spain type it, as a count of units of `10^-decimals`: `12,5`, `1.234,56`, `1.200`, also
/// `12.5`. A point before exactly three digits separates thousands, as [`in_spanish`] writes them. A euro sign or a
/// percent sign after the number is ignored.
pub fn from_spanish(text: &str, decimals: u32) -> Option<i64> {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let text = text.trim_end_matches(['€', '%']);
    let (whole, fraction) = match text.split_once(',') {
        Some((whole, fraction)) => (without_thousands(whole)?, fraction),
        None => match without_thousands(text) {
            Some(whole) => (whole, ""),
            None => return parse(text, decimals),
        },
    };
    let joint = if text.contains(',') { "." } else { "" };
    parse(&format!("{whole}{joint}{fraction}"), decimals)
}

/// A whole number without the points between its thousands; `None` if the points are in other places.
fn without_thousands(text: &str) -> Option<String> {
    let mut groups = text.split('.');
    let first = groups.next()?;
    let digits = first.trim_start_matches(['-', '+']);
    let is_grouped = groups.clone().next().is_none() || (1..=3).contains(&digits.len());
    (is_grouped && groups.all(|g| g.len() == 3)).then(|| text.replace('.', ""))
}

/// Divides and rounds to the nearest whole, halves away from zero («redondeo comercial»): 2.5 is 3 and −2.5 is −3.
///
/// The divisor must be positive.
pub(crate) fn half_up(dividend: i128, divisor: i128) -> i128 {
    debug_assert!(divisor > 0);
    let half = divisor / 2;
    if dividend >= 0 { (dividend + half) / divisor } else { -((-dividend + half) / divisor) }
}

/// A quantity in hundredths of its unit: 20.35 m² is `Cantidad(2035)`.
///
/// Two decimals are what a quote prints, so the amount of a line can be checked with a pocket calculator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Cantidad(pub i64);

impl Cantidad {
    /// A whole number of units.
    pub const fn unidades(n: i64) -> Self {
        Self(n * 100)
    }

    /// Always with two decimals, for columns that are aligned at the comma: `5,00`.
    pub fn with_decimals(self) -> String {
        in_spanish(self.0, 2)
    }
}

impl std::fmt::Display for Cantidad {
    /// `20,35`; without trailing zeros: `6,5`, `5`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = in_spanish(self.0, 2);
        f.write_str(text.trim_end_matches('0').trim_end_matches(','))
    }
}

/// A percentage in hundredths of a point: 10 % is `Percentage(1000)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Percentage(pub i64);

impl Percentage {
    /// 100 %: as a factor it changes nothing.
    pub const HUNDRED: Self = Self(10_000);

    /// The percentage as a factor: 112 % is `1,12`.
    pub fn as_factor(self) -> String {
        let text = in_spanish(self.0, 4);
        let short = text.trim_end_matches('0').len().max(text.len() - 2);
        text[..short].to_owned()
    }

    /// Reads what [`Self::as_factor`] writes, as people type it.
    pub fn from_factor(text: &str) -> Option<Self> {
        from_spanish(text.trim().trim_start_matches(['×', 'x']), 4).map(Self)
    }
}

impl std::fmt::Display for Percentage {
    /// `10 %`, `6,5 %`, with a no-break space.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = in_spanish(self.0, 2);
        write!(f, "{}\u{a0}%", text.trim_end_matches('0').trim_end_matches(','))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_exact_or_refused() {
        for (text, value) in
            [("12", 1200), ("12.5", 1250), ("0.07", 7), ("-3.00", -300), ("+1", 100), ("007.10", 710)]
        {
            assert_eq!(parse(text, 2), Some(value), "{text}");
        }
        for text in ["", ".", "1.", ".5", "1.234", "1e3", "inf", "nan", "1,5", "--1", "99999999999999999999"]
        {
            assert_eq!(parse(text, 2), None, "{text}");
        }
        assert_eq!((write(-5, 2), write(123_400, 2)), ("-0.05".into(), "1234.00".into()));
        assert_eq!((write_short(5000, 3), write_short(12, 3)), ("5".into(), "0.012".into()));
        assert_eq!(write_short(100, 0), "100");
    }

    #[test]
    fn a_percentage_is_a_factor_too() {
        for (value, text) in [(11_200, "1,12"), (10_000, "1,00"), (9_350, "0,935"), (11_050, "1,105")] {
            assert_eq!(Percentage(value).as_factor(), text);
            assert_eq!(Percentage::from_factor(text), Some(Percentage(value)));
        }
        assert_eq!(Percentage::from_factor("×1,1"), Some(Percentage(11_000)));
        assert_eq!(Percentage::from_factor("mucho"), None);
    }

    #[test]
    fn numbers_are_read_as_people_type_them() {
        for (text, value) in [
            ("12", 1200),
            ("12,5", 1250),
            ("12.5", 1250),
            ("1.234,56", 123_456),
            ("1.234", 123_400),
            ("1.234.567", 123_456_700),
            ("1234,5", 123_450),
            (" 99,90 €", 9990),
            ("10\u{a0}%", 1000),
            ("-3", -300),
            ("0,07", 7),
        ] {
            assert_eq!(from_spanish(text, 2), Some(value), "{text}");
            let again = in_spanish(value, 2);
            assert_eq!(from_spanish(&again, 2), Some(value), "{again}");
        }
        for text in [
            "",
            "€",
            "doce",
            "1,2,3",
            "1.23,4",
            "12345.678,9",
            "1,234",
            "1e3",
            ",5",
            "5,",
            "1..000",
            "9".repeat(30).as_str(),
        ] {
            assert_eq!(from_spanish(text, 2), None, "{text}");
        }
    }

    #[test]
    fn halves_go_away_from_zero() {
        assert_eq!([half_up(25, 10), half_up(24, 10), half_up(-25, 10), half_up(-24, 10)], [3, 2, -3, -2]);
        assert_eq!([half_up(1, 3), half_up(2, 3)], [0, 1]);
    }

    #[test]
    fn spanish_spelling() {
        assert_eq!(in_spanish(123_456_789, 2), "1.234.567,89");
        assert_eq!(in_spanish(-99_900, 2), "-999,00");
        assert_eq!(Cantidad(2035).to_string(), "20,35");
        assert_eq!(Cantidad(650).to_string(), "6,5");
        assert_eq!(Cantidad(0).to_string(), "0");
        assert_eq!(Cantidad::unidades(1200).to_string(), "1.200");
        assert_eq!(Cantidad::unidades(5).with_decimals(), "5,00");
        assert_eq!(Percentage(1000).to_string(), "10\u{a0}%");
        assert_eq!(Percentage(650).to_string(), "6,5\u{a0}%");
        assert_eq!(Percentage(0).to_string(), "0\u{a0}%");
        assert_eq!(Percentage(10_000).to_string(), "100\u{a0}%");
    }
}

//! Exact decimals: fixed-point numbers read from and written to text, and the one rounding rule of the house.
//!
//! Money, quantities and percentages never pass through a float: `0.1 + 0.2` has no place in a quote.

use serde::{Deserialize, Serialize};

/// Reads a plain decimal (`12`, `12.5`, `-3.00`) as an integer of `10^-decimales`. `None` for exponents, for more
/// digits after the point than there is room for, and for what does not fit.
pub fn parse(texto: &str, decimales: u32) -> Option<i64> {
    let (signo, cifras) = match texto.strip_prefix('-') {
        Some(resto) => (-1, resto),
        None => (1, texto.strip_prefix('+').unwrap_or(texto)),
    };
    let (entera, fraccion) = cifras.split_once('.').unwrap_or((cifras, ""));
    let all_digits = |t: &str| t.bytes().all(|b| b.is_ascii_digit());
    if entera.is_empty() || !all_digits(entera) || !all_digits(fraccion) {
        return None;
    }
    if cifras.ends_with('.') || fraccion.len() > decimales as usize {
        return None;
    }
    let escala = 10_i64.checked_pow(decimales)?;
    let relleno = 10_i64.checked_pow(decimales - fraccion.len() as u32)?;
    let fraccion: i64 = if fraccion.is_empty() { 0 } else { fraccion.parse().ok()? };
    let entera: i64 = entera.parse().ok()?;
    entera.checked_mul(escala)?.checked_add(fraccion.checked_mul(relleno)?)?.checked_mul(signo)
}

/// Writes a fixed-point number with all its decimals and a point: the inverse of [`parse`].
pub fn escribir(valor: i64, decimales: u32) -> String {
    let signo = if valor < 0 { "-" } else { "" };
    let escala = 10_u64.pow(decimales);
    let magnitud = valor.unsigned_abs();
    if decimales == 0 {
        return format!("{signo}{magnitud}");
    }
    format!("{signo}{}.{:0ancho$}", magnitud / escala, magnitud % escala, ancho = decimales as usize)
}

/// Like [`escribir`], but without zeros that say nothing: `5`, `0.9`, `0.012`.
pub fn escribir_corto(valor: i64, decimales: u32) -> String {
    let largo = escribir(valor, decimales);
    match largo.contains('.') {
        true => largo.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => largo,
    }
}

/// A number as Spanish people write it: points between thousands, comma before decimals.
pub fn en_espanol(valor: i64, decimales: u32) -> String {
    let plano = escribir(valor, decimales);
    let (signo, plano) = plano.strip_prefix('-').map_or(("", plano.as_str()), |resto| ("-", resto));
    let (entera, fraccion) = plano.split_once('.').unwrap_or((plano, ""));
    let mut texto = String::from(signo);
    for (n, cifra) in entera.chars().enumerate() {
        if n > 0 && (entera.len() - n).is_multiple_of(3) {
            texto.push('.');
        }
        texto.push(cifra);
    }
    if !fraccion.is_empty() {
        texto.push(',');
        texto.push_str(fraccion);
    }
    texto
}

/// Divides and rounds to the nearest whole, halves away from zero («redondeo comercial»): 2.5 is 3 and −2.5 is −3.
///
/// The divisor must be positive.
pub(crate) fn half_up(dividendo: i128, divisor: i128) -> i128 {
    debug_assert!(divisor > 0);
    let mitad = divisor / 2;
    if dividendo >= 0 { (dividendo + mitad) / divisor } else { -((-dividendo + mitad) / divisor) }
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

    /// Always with two decimals, for columns whose commas stand under each other: `5,00`.
    pub fn con_decimales(self) -> String {
        en_espanol(self.0, 2)
    }
}

impl std::fmt::Display for Cantidad {
    /// `20,35`; without zeros that say nothing: `6,5`, `5`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let texto = en_espanol(self.0, 2);
        f.write_str(texto.trim_end_matches('0').trim_end_matches(','))
    }
}

/// A percentage in hundredths of a point: 10 % is `Porcentaje(1000)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Porcentaje(pub i64);

impl Porcentaje {
    /// 100 %: changes nothing as a factor.
    pub const CIEN: Self = Self(10_000);
}

impl std::fmt::Display for Porcentaje {
    /// `10 %`, `6,5 %`, with a space that does not break.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let texto = en_espanol(self.0, 2);
        write!(f, "{}\u{a0}%", texto.trim_end_matches('0').trim_end_matches(','))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_exact_or_refused() {
        for (texto, valor) in
            [("12", 1200), ("12.5", 1250), ("0.07", 7), ("-3.00", -300), ("+1", 100), ("007.10", 710)]
        {
            assert_eq!(parse(texto, 2), Some(valor), "{texto}");
        }
        for texto in ["", ".", "1.", ".5", "1.234", "1e3", "inf", "nan", "1,5", "--1", "99999999999999999999"]
        {
            assert_eq!(parse(texto, 2), None, "{texto}");
        }
        assert_eq!((escribir(-5, 2), escribir(123_400, 2)), ("-0.05".into(), "1234.00".into()));
        assert_eq!((escribir_corto(5000, 3), escribir_corto(12, 3)), ("5".into(), "0.012".into()));
        assert_eq!(escribir_corto(100, 0), "100");
    }

    #[test]
    fn halves_go_away_from_zero() {
        assert_eq!([half_up(25, 10), half_up(24, 10), half_up(-25, 10), half_up(-24, 10)], [3, 2, -3, -2]);
        assert_eq!([half_up(1, 3), half_up(2, 3)], [0, 1]);
    }

    #[test]
    fn spanish_spelling() {
        assert_eq!(en_espanol(123_456_789, 2), "1.234.567,89");
        assert_eq!(en_espanol(-99_900, 2), "-999,00");
        assert_eq!(Cantidad(2035).to_string(), "20,35");
        assert_eq!(Cantidad(650).to_string(), "6,5");
        assert_eq!(Cantidad(0).to_string(), "0");
        assert_eq!(Cantidad::unidades(1200).to_string(), "1.200");
        assert_eq!(Cantidad::unidades(5).con_decimales(), "5,00");
        assert_eq!(Porcentaje(1000).to_string(), "10\u{a0}%");
        assert_eq!(Porcentaje(650).to_string(), "6,5\u{a0}%");
        assert_eq!(Porcentaje(0).to_string(), "0\u{a0}%");
        assert_eq!(Porcentaje(10_000).to_string(), "100\u{a0}%");
    }
}

//! The shades of a company's pages, light and dark, from its one colour.
//!
//! Everything is derived in OKLCH and then measured: whatever is read as text has a contrast of at least 4.5 on what it
//! stands on, whatever colour a company chooses. Shades are computed here and not by the browser, so that old phones see them too.

use std::fmt::Write as _;

use embudo_domain::color::{CONTRASTE_MINIMO, Color};

/// The least contrast of things that must be seen but not read, such as a button against the page.
const CONTRASTE_FORMA: f64 = 3.0;

/// The custom properties of a brand as a style sheet.
pub(crate) fn hoja(color: Color) -> String {
    let mut css = String::from(":root{color-scheme:light dark;");
    escribir(&mut css, &claros(color));
    css.push_str("}@media (prefers-color-scheme:dark){:root{");
    escribir(&mut css, &oscuros(color));
    css.push_str("}}\n");
    css
}

type Tonos = [(&'static str, Color); 10];

fn escribir(css: &mut String, tonos: &Tonos) {
    for (nombre, color) in tonos {
        let _ = write!(css, "--{nombre}:{color};");
    }
}

fn claros(color: Color) -> Tonos {
    let paleta = color.paleta();
    let neutro = |l, c| neutro(color, l, c);
    let (suelo, suave) = (neutro(0.978, 0.006), tinte(color, 0.95, 0.018));
    Tonos::from([
        ("brand", paleta.marca),
        ("on-brand", paleta.sobre),
        ("brand-strong", ajustar(paleta.fuerte, suave, CONTRASTE_MINIMO, -0.01)),
        ("brand-soft", suave),
        ("brand-edge", ajustar(color, Color::BLANCO, CONTRASTE_FORMA, -0.01)),
        ("bg", suelo),
        ("surface", Color::BLANCO),
        ("line", neutro(0.9, 0.009)),
        ("ink", neutro(0.235, 0.01)),
        ("ink-2", ajustar(neutro(0.47, 0.012), suave, CONTRASTE_MINIMO, -0.01)),
    ])
}

fn oscuros(color: Color) -> Tonos {
    let neutro = |l, c| neutro(color, l, c);
    let (suelo, superficie, suave) = (neutro(0.19, 0.005), neutro(0.235, 0.006), tinte(color, 0.3, 0.03));
    let marca = ajustar(color, superficie, CONTRASTE_FORMA, 0.01);
    Tonos::from([
        ("brand", marca),
        ("on-brand", marca.paleta().sobre),
        ("brand-strong", ajustar(color, suave, CONTRASTE_MINIMO, 0.01)),
        ("brand-soft", suave),
        ("brand-edge", ajustar(color, superficie, CONTRASTE_FORMA, 0.01)),
        ("bg", suelo),
        ("surface", superficie),
        ("line", neutro(0.35, 0.008)),
        ("ink", neutro(0.945, 0.006)),
        ("ink-2", ajustar(neutro(0.76, 0.01), suave, CONTRASTE_MINIMO, 0.01)),
    ])
}

/// The hue of neutrals, in radians: paper and plaster.
const CALIDO: f64 = 1.31;

/// A warm neutral with a hint of the brand's hue.
fn neutro(color: Color, claridad: f64, croma: f64) -> Color {
    let [_, propia, tono] = color.oklch();
    let pizca = (croma * 0.35).min(propia);
    let a = croma * CALIDO.cos() + pizca * tono.cos();
    let b = croma * CALIDO.sin() + pizca * tono.sin();
    Color::from_oklch([claridad, a.hypot(b), b.atan2(a)])
}

/// A tint of the brand; a grey brand has none.
fn tinte(color: Color, claridad: f64, croma: f64) -> Color {
    let [_, propia, tono] = color.oklch();
    Color::from_oklch([claridad, croma.min(propia), tono])
}

/// The colour, made lighter or darker step by step until it stands out against another.
fn ajustar(color: Color, sobre: Color, contraste: f64, paso: f64) -> Color {
    let [mut claridad, croma, tono] = color.oklch();
    let mut ajustado = color;
    while ajustado.contraste(sobre) < contraste && (0.0..=1.0).contains(&claridad) {
        claridad += paso;
        ajustado = Color::from_oklch([claridad, croma, tono]);
    }
    ajustado
}

#[cfg(test)]
mod tests {
    use super::*;

    fn de(tonos: &Tonos, nombre: &str) -> Color {
        tonos.iter().find(|(n, _)| *n == nombre).expect("a token").1
    }

    #[test]
    fn every_colour_is_legible_by_day_and_by_night() {
        for n in 0..6_u8.pow(3) {
            let color = Color([n % 6 * 51, n / 6 % 6 * 51, n / 36 * 51]);
            for tonos in [claros(color), oscuros(color)] {
                let t = |nombre| de(&tonos, nombre);
                for (texto, fondo, minimo) in [
                    ("ink", "bg", 10.0),
                    ("ink", "surface", 10.0),
                    ("ink", "brand-soft", 7.0),
                    ("ink-2", "bg", 4.5),
                    ("ink-2", "surface", 4.5),
                    ("ink-2", "brand-soft", 4.5),
                    ("brand-strong", "surface", 4.5),
                    ("brand-strong", "bg", 4.4),
                    ("brand-strong", "brand-soft", 4.5),
                    ("on-brand", "brand", 4.5),
                    ("brand-edge", "surface", 3.0),
                ] {
                    let contraste = t(texto).contraste(t(fondo));
                    assert!(contraste >= minimo, "{color}: {texto} on {fondo}: {contraste}");
                }
            }
        }
    }

    #[test]
    fn it_is_a_style_sheet_with_both_schemes() {
        let hoja = hoja(Color::POR_DEFECTO);
        assert!(hoja.starts_with(":root{color-scheme:light dark;--brand:#1f5f5b;--on-brand:#ffffff;"));
        assert_eq!(hoja.matches("--ink:").count(), 2);
    }
}

//! The light and dark shades of a company's pages, derived from its one colour.
//!
//! Every shade is derived in OKLCH and its contrast is then measured. Whatever colour a company chooses, text has a
//! contrast of at least 4.5 against its background. The shades are computed here and not by the browser, so that old
//! phones show them too.

use std::fmt::Write as _;

use embudo_domain::color::{Color, MIN_CONTRAST};

/// The minimum contrast of shapes without text, such as a button against the page.
const SHAPE_CONTRAST: f64 = 3.0;

/// The custom properties of a brand as a style sheet.
pub(crate) fn style_sheet(color: Color) -> String {
    let mut css = String::from(":root{color-scheme:light dark;");
    write(&mut css, &light(color));
    css.push_str("}@media (prefers-color-scheme:dark){:root:not([data-tema=claro]){");
    write(&mut css, &dark(color));
    // In the panel a person may choose a theme, which overrides the setting of the system.
    css.push_str("}}:root[data-tema=claro]{color-scheme:light}:root[data-tema=oscuro]{color-scheme:dark;");
    write(&mut css, &dark(color));
    css.push_str("}\n");
    css
}

/// The shades for light, dark and paper side by side, for a page that previews a colour before it is saved.
pub(crate) fn sample(color: Color) -> String {
    let paper = color.palette();
    let paper = [
        ("brand", paper.brand),
        ("on-brand", paper.over),
        ("brand-strong", paper.strong),
        ("brand-soft", paper.soft),
    ];
    let mut css = String::new();
    for (class, shades) in [("dia", &light(color)[..]), ("noche", &dark(color)[..]), ("papel", &paper[..])] {
        let _ = write!(css, ".muestra-{class}{{");
        write(&mut css, shades);
        css.push('}');
    }
    css
}

type Shades = [(&'static str, Color); 10];

fn write(css: &mut String, shades: &[(&str, Color)]) {
    for (nombre, color) in shades {
        let _ = write!(css, "--{nombre}:{color};");
    }
}

fn light(color: Color) -> Shades {
    let palette = color.palette();
    let neutral = |l, c| neutral(color, l, c);
    let (floor, soft) = (neutral(0.978, 0.006), tint(color, 0.95, 0.018));
    Shades::from([
        ("brand", palette.brand),
        ("on-brand", palette.over),
        ("brand-strong", adjust(palette.strong, soft, MIN_CONTRAST, -0.01)),
        ("brand-soft", soft),
        ("brand-edge", adjust(color, Color::WHITE, SHAPE_CONTRAST, -0.01)),
        ("bg", floor),
        ("surface", Color::WHITE),
        ("line", neutral(0.9, 0.009)),
        ("ink", neutral(0.235, 0.01)),
        ("ink-2", adjust(neutral(0.47, 0.012), soft, MIN_CONTRAST, -0.01)),
    ])
}

fn dark(color: Color) -> Shades {
    let neutral = |l, c| neutral(color, l, c);
    let (floor, superficie, soft) = (neutral(0.19, 0.005), neutral(0.235, 0.006), tint(color, 0.3, 0.03));
    let brand = adjust(color, superficie, SHAPE_CONTRAST, 0.01);
    Shades::from([
        ("brand", brand),
        ("on-brand", brand.palette().over),
        ("brand-strong", adjust(color, soft, MIN_CONTRAST, 0.01)),
        ("brand-soft", soft),
        ("brand-edge", adjust(color, superficie, SHAPE_CONTRAST, 0.01)),
        ("bg", floor),
        ("surface", superficie),
        ("line", neutral(0.35, 0.008)),
        ("ink", neutral(0.945, 0.006)),
        ("ink-2", adjust(neutral(0.76, 0.01), soft, MIN_CONTRAST, 0.01)),
    ])
}

/// The hue of the neutral shades, in radians: a warm white like paper and plaster.
const WARM: f64 = 1.31;

/// A warm neutral shade with a little of the brand's hue.
fn neutral(color: Color, lightness: f64, chroma: f64) -> Color {
    let [_, own, shade] = color.oklch();
    let pinch = (chroma * 0.35).min(own);
    let a = chroma * WARM.cos() + pinch * shade.cos();
    let b = chroma * WARM.sin() + pinch * shade.sin();
    Color::from_oklch([lightness, a.hypot(b), b.atan2(a)])
}

/// A tint of the brand colour. A grey brand has a grey tint.
fn tint(color: Color, lightness: f64, chroma: f64) -> Color {
    let [_, own, shade] = color.oklch();
    Color::from_oklch([lightness, chroma.min(own), shade])
}

/// Makes a colour lighter or darker step by step, until its contrast against another colour is high enough.
fn adjust(color: Color, over: Color, contrast: f64, step: f64) -> Color {
    let [mut lightness, chroma, shade] = color.oklch();
    let mut adjusted = color;
    while adjusted.contrast(over) < contrast && (0.0..=1.0).contains(&lightness) {
        lightness += step;
        adjusted = Color::from_oklch([lightness, chroma, shade]);
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(shades: &Shades, nombre: &str) -> Color {
        shades.iter().find(|(n, _)| *n == nombre).expect("a token").1
    }

    #[test]
    fn every_colour_is_legible_by_day_and_by_night() {
        for n in 0..6_u8.pow(3) {
            let color = Color([n % 6 * 51, n / 6 % 6 * 51, n / 36 * 51]);
            for shades in [light(color), dark(color)] {
                let t = |nombre| of(&shades, nombre);
                for (text, background, minimum) in [
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
                    let contrast = t(text).contrast(t(background));
                    assert!(contrast >= minimum, "{color}: {text} on {background}: {contrast}");
                }
            }
        }
    }

    #[test]
    fn it_is_a_style_sheet_with_both_schemes() {
        let style_sheet = style_sheet(Color::DEFAULT);
        assert!(style_sheet.starts_with(":root{color-scheme:light dark;--brand:#1f5f5b;--on-brand:#ffffff;"));
        assert_eq!(style_sheet.matches("--ink:").count(), 3);
        let sample = sample(Color::DEFAULT);
        assert!(
            sample.starts_with(".muestra-dia{--brand:#1f5f5b;") && sample.contains(".muestra-papel{--brand:")
        );
    }
}

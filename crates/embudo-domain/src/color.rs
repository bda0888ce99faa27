//! A company's colour, and the shades that pages, mails and the PDF take from it.
//!
//! Shades are derived in OKLCH, where equal steps look equal, so that any hue stays legible. Nothing here knows CSS.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An opaque sRGB colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Color(pub [u8; 3]);

/// The shades of one brand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Palette {
    pub brand: Color,
    /// Dark enough to be read as text on white (contrast of at least 4.5).
    pub strong: Color,
    /// A tint for large areas, on which dark text reads well.
    pub soft: Color,
    /// The colour of text on the brand colour: black or white, whichever contrasts more (at least 4.5).
    pub over: Color,
}

/// The least contrast of text that people must read (WCAG 2.2, AA).
pub const MIN_CONTRAST: f64 = 4.5;

impl Color {
    pub const WHITE: Self = Self([255; 3]);
    pub const BLACK: Self = Self([0; 3]);
    /// The colour of a company that has not chosen one: a deep green-blue.
    pub const DEFAULT: Self = Self([0x1f, 0x5f, 0x5b]);

    /// Reads `#rrggbb`, in upper or lower case.
    pub fn parse(text: &str) -> Option<Self> {
        let hex = text.strip_prefix('#').filter(|h| h.len() == 6)?;
        if !hex.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        let [_, r, g, b] = u32::from_str_radix(hex, 16).ok()?.to_be_bytes();
        Some(Self([r, g, b]))
    }

    /// Contrast with another colour, from 1 to 21 (WCAG 2.2).
    pub fn contrast(self, other: Self) -> f64 {
        let (a, b) = (self.luminance(), other.luminance());
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// The shades of this brand.
    pub fn palette(self) -> Palette {
        let over =
            if self.contrast(Self::WHITE) >= self.contrast(Self::BLACK) { Self::WHITE } else { Self::BLACK };
        let [lightness, chroma, tone] = self.oklch();
        let mut strong = self;
        let mut l = lightness;
        while strong.contrast(Self::WHITE) < MIN_CONTRAST {
            l -= 0.01;
            strong = Self::from_oklch([l, chroma, tone]);
        }
        let soft = Self::from_oklch([0.96, chroma.min(0.025), tone]);
        Palette { brand: self, strong, soft, over }
    }

    fn luminance(self) -> f64 {
        let [r, g, b] = self.0.map(to_linear);
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }

    /// Lightness, chroma and hue (in radians) of this colour.
    pub fn oklch(self) -> [f64; 3] {
        let [r, g, b] = self.0.map(to_linear);
        let l = (0.412_221_470_8 * r + 0.536_332_536_3 * g + 0.051_445_992_9 * b).cbrt();
        let m = (0.211_903_498_2 * r + 0.680_699_545_1 * g + 0.107_396_956_6 * b).cbrt();
        let s = (0.088_302_461_9 * r + 0.281_718_837_6 * g + 0.629_978_700_5 * b).cbrt();
        let lightness = 0.210_454_255_3 * l + 0.793_617_785_0 * m - 0.004_072_046_8 * s;
        let a = 1.977_998_495_1 * l - 2.428_592_205_0 * m + 0.450_593_709_9 * s;
        let b = 0.025_904_037_1 * l + 0.782_771_766_2 * m - 0.808_675_766_0 * s;
        [lightness, a.hypot(b), b.atan2(a)]
    }

    /// The colour nearest to these coordinates; what lies outside sRGB is clipped.
    pub fn from_oklch([lightness, chroma, tone]: [f64; 3]) -> Self {
        let (a, b) = (chroma * tone.cos(), chroma * tone.sin());
        let l = (lightness + 0.396_337_777_4 * a + 0.215_803_757_3 * b).powi(3);
        let m = (lightness - 0.105_561_345_8 * a - 0.063_854_172_8 * b).powi(3);
        let s = (lightness - 0.089_484_177_5 * a - 1.291_485_548_0 * b).powi(3);
        Self([
            from_linear(4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s),
            from_linear(-1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s),
            from_linear(-0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701_0 * s),
        ])
    }
}

fn to_linear(channel: u8) -> f64 {
    let c = f64::from(channel) / 255.0;
    if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
}

fn from_linear(c: f64) -> u8 {
    let c = c.clamp(0.0, 1.0);
    let c = if c <= 0.003_130_8 { c * 12.92 } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 };
    // Between 0 and 255 by the clamp above.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let channel = (c * 255.0).round() as u8;
    channel
}

impl std::fmt::Display for Color {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [r, g, b] = self.0;
        write!(f, "#{r:02x}{g:02x}{b:02x}")
    }
}

impl Serialize for Color {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Color {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(d)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom("not a colour"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_colour_is_written_in_one_way() {
        assert_eq!(Color::parse("#1F5f5b"), Some(Color::DEFAULT));
        assert_eq!(Color::DEFAULT.to_string(), "#1f5f5b");
        for wrong in ["", "#fff", "1f5f5b", "#1f5f5g", "#+12345", "#1f5f5b0"] {
            assert_eq!(Color::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn oklch_goes_there_and_back() {
        for c in [[0, 0, 0], [255, 255, 255], [31, 95, 91], [255, 0, 0], [12, 200, 77]] {
            assert_eq!(Color::from_oklch(Color(c).oklch()), Color(c));
        }
    }

    #[test]
    fn every_hue_stays_legible() {
        for r in (0..=255).step_by(51) {
            for g in (0..=255).step_by(51) {
                for b in (0..=255).step_by(51) {
                    let p = Color([r, g, b]).palette();
                    assert!(p.brand.contrast(p.over) >= MIN_CONTRAST, "{}", p.brand);
                    assert!(p.strong.contrast(Color::WHITE) >= MIN_CONTRAST, "{}", p.brand);
                    assert!(p.strong.contrast(p.soft) >= 3.9, "{} {}", p.brand, p.strong.contrast(p.soft));
                    assert!(p.soft.contrast(Color::BLACK) >= 15.0, "{}", p.brand);
                }
            }
        }
    }
}

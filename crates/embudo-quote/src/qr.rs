//! The QR code that leads to the quote's web page, as one vector path.

use std::fmt::Write;

use fast_qr::{ECL, QRBuilder};

/// An SVG with the quiet zone that readers need; `None` if the text is too long for any QR code.
pub fn svg(text: &str) -> Option<String> {
    let qr = QRBuilder::new(text).ecl(ECL::M).build().ok()?;
    let margin = 2;
    let mut stroke = String::new();
    for y in 0..qr.size {
        let mut x = 0;
        while x < qr.size {
            let start = x;
            while x < qr.size && qr[y][x].value() {
                x += 1;
            }
            if x > start {
                let length = x - start;
                // Writing to a string cannot fail.
                let _ = write!(stroke, "M{} {}h{length}v1h-{length}z", start + margin, y + margin);
            }
            x += 1;
        }
    }
    let side = qr.size + 2 * margin;
    Some(format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side} {side}"><path fill="#000" d="{stroke}"/></svg>"##
    ))
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_link_fits_and_a_book_does_not() {
        let svg = super::svg("https://ejemplo.es/p/abcdef").expect("fits");
        assert!(svg.starts_with("<svg") && svg.contains("M2 2h7v1h-7z"), "{svg}");
        assert_eq!(super::svg(&"x".repeat(5_000)), None);
    }
}

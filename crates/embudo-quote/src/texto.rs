//! People's texts made printable: nothing invisible that moves other text, nothing without a sign in our typefaces, and no word so
//! long that it runs off the page.

use crate::letras::Letras;

/// Stands for a character that no typeface has.
const HUECO: char = '□';
/// An invisible place where a line may break.
const CORTE: char = '\u{200b}';
/// A run of so many characters without a space gets places to break.
const PALABRA_LARGA: usize = 24;
/// A paragraph has at most about so many bytes: laying out one without end costs more than its length.
const PARRAFO: usize = 2_000;
/// Names and other short texts longer than this end in «…», and sentences longer than that.
const LINEA: usize = 600;
const FRASE: usize = 8_000;

/// Cleans texts and counts what it had to replace.
pub(crate) struct Limpieza<'a> {
    letras: &'a Letras,
    /// How many characters had no sign.
    pub(crate) sustituidos: usize,
}

impl<'a> Limpieza<'a> {
    pub(crate) fn new(letras: &'a Letras) -> Self {
        Self { letras, sustituidos: 0 }
    }

    /// A name or another short text; breaks become spaces.
    pub(crate) fn linea(&mut self, texto: &str) -> String {
        self.hasta(texto, LINEA)
    }

    /// A sentence of the company, such as a condition: long ones are kept.
    pub(crate) fn frase(&mut self, texto: &str) -> String {
        self.hasta(texto, FRASE)
    }

    fn hasta(&mut self, texto: &str, maximo: usize) -> String {
        let mut corta: String = texto.chars().take(maximo).collect();
        if corta.len() < texto.len() {
            corta.push('…');
        }
        let junta = corta.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
        // A number and its unit stay on one line.
        self.limpiar(&junta).replace(" m²", "\u{a0}m²")
    }

    /// The lines of a text, empty ones left out.
    pub(crate) fn parrafos(&mut self, texto: &str) -> Vec<String> {
        let lineas = texto.split(['\n', '\r', '\u{2028}', '\u{2029}', '\u{b}', '\u{c}', '\u{85}']);
        lineas.flat_map(|l| trozos(&self.limpiar(l.trim()))).collect()
    }

    fn limpiar(&mut self, texto: &str) -> String {
        let mut limpio = String::with_capacity(texto.len());
        let mut seguidos = 0;
        for c in texto.chars() {
            // Emoji younger than our typeface become their older sisters.
            let c = match c {
                '\t' => ' ',
                '🙂' | '🙃' | '🤗' => '☺',
                '🥰' | '🤩' => '😍',
                '🤣' => '😂',
                '🛠' => '🔧',
                c if es_invisible(c) => continue,
                c if self.letras.cubre(c) => c,
                c if c.is_whitespace() => ' ',
                _ => {
                    self.sustituidos += 1;
                    HUECO
                }
            };
            if c.is_whitespace() {
                seguidos = 0;
            } else {
                // Only before a letter, so that no accent is torn from what it stands on.
                if seguidos >= PALABRA_LARGA && (c.is_alphanumeric() || c.is_ascii_punctuation()) {
                    limpio.push(CORTE);
                    seguidos = 0;
                }
                seguidos += 1;
            }
            limpio.push(c);
        }
        limpio
    }
}

/// Cuts a text that is too long where a line may break; an empty one gives nothing.
fn trozos(texto: &str) -> Vec<String> {
    let mut trozos = vec![String::new()];
    for palabra in texto.split_inclusive([' ', CORTE]) {
        let ultimo = trozos.last_mut().expect("there is always one");
        if !ultimo.is_empty() && ultimo.len() + palabra.len() > PARRAFO {
            trozos.push(palabra.to_owned());
        } else {
            ultimo.push_str(palabra);
        }
    }
    trozos.retain(|t| !t.is_empty());
    trozos
}

/// Controls, marks that turn the direction of text, joiners, variation selectors, skin tones (our emoji are black and white),
/// private and undefined characters.
fn es_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{e000}'..='\u{f8ff}' | '\u{fdd0}'..='\u{fdef}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}' | '\u{1d173}'..='\u{1d17a}' | '\u{1f3fb}'..='\u{1f3ff}' | '\u{e0000}'..='\u{10ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_stay_and_tricks_go() {
        let letras = Letras::cargar();
        let mut l = Limpieza::new(&letras);
        for igual in [
            "José Ñúñez, 5\u{a0}m² a 12,50 €",
            "#panic(\"x\")",
            "$x$ *b* <a> \\ @ref",
            "😀 🚿 🛁",
            "مرحبا",
            "Ελλάδα",
        ] {
            assert_eq!(l.linea(igual), igual);
        }
        assert_eq!(l.sustituidos, 0);
        assert_eq!(l.linea("a\u{202e}b\u{200b}\u{0}c\u{feff}\n\td\u{fe0f}"), "abc d");
        assert_eq!(l.linea("漢字"), "□□");
        assert_eq!(l.sustituidos, 2);
        assert!(letras.cubre(HUECO) && letras.cubre('…'));
        assert_eq!(l.parrafos("uno\r\n\n  dos  \u{2028}tres"), ["uno", "dos", "tres"]);
    }

    #[test]
    fn endless_words_can_break() {
        let letras = Letras::cargar();
        let mut l = Limpieza::new(&letras);
        let larga = l.parrafos(&"x".repeat(10_000));
        assert!(larga.iter().all(|p| p.len() <= PARRAFO) && larga.len() == 6, "{}", larga.len());
        let larga = larga.concat();
        assert!(larga.split(CORTE).all(|t| t.len() <= PALABRA_LARGA));
        assert_eq!(larga.replace(CORTE, "").len(), 10_000);
        assert_eq!(l.linea(&"y".repeat(10_000)).replace(CORTE, "").chars().count(), LINEA + 1);
        let acentos = l.linea(&"e\u{301}".repeat(40));
        assert!(acentos.split(CORTE).all(|t| t.starts_with('e')));
    }
}

//! Makes people's texts printable: removes invisible characters that affect other text, replaces characters without a
//! glyph in our typefaces, and breaks words that would run off the page.

use unicode_normalization::UnicodeNormalization;

use crate::fonts::Fonts;

/// The replacement for a character that no typeface has.
const GAP: char = '□';
/// An invisible place where a line may break.
const CUT: char = '\u{200b}';
/// A word with this number of characters gets places to break.
const LONG_WORD: usize = 24;
/// The approximate maximum of bytes in a paragraph: the cost of layout grows faster than its length.
const PARAGRAPH: usize = 2_000;
/// The maximum lengths of names and other short texts, and of sentences. Longer texts end in «…».
const LINE: usize = 600;
const SENTENCE: usize = 8_000;

/// Cleans texts and counts what it had to replace.
pub(crate) struct Cleanup<'a> {
    fonts: &'a Fonts,
    /// How many characters had no glyph.
    pub(crate) superseded: usize,
}

impl<'a> Cleanup<'a> {
    pub(crate) fn new(fonts: &'a Fonts) -> Self {
        Self { fonts, superseded: 0 }
    }

    /// A name or another short text; line breaks become spaces.
    pub(crate) fn line(&mut self, text: &str) -> String {
        self.until(text, LINE)
    }

    /// A sentence of the company, such as a condition. Its limit is higher, so that long ones are not cut.
    pub(crate) fn sentence(&mut self, text: &str) -> String {
        self.until(text, SENTENCE)
    }

    fn until(&mut self, text: &str, maximum: usize) -> String {
        let mut short: String = text.chars().take(maximum).collect();
        if short.len() < text.len() {
            short.push('…');
        }
        let joins = short.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
        // A number and its unit stay on one line.
        self.clean(&joins).replace(" m²", "\u{a0}m²")
    }

    /// The lines of a text, without empty ones. Lines that are too long are split.
    pub(crate) fn paragraphs(&mut self, text: &str) -> Vec<String> {
        let lines = text.split(['\n', '\r', '\u{2028}', '\u{2029}', '\u{b}', '\u{c}', '\u{85}']);
        lines.flat_map(|l| chunks(&self.clean(l.trim()))).collect()
    }

    fn clean(&mut self, text: &str) -> String {
        let mut clean = String::with_capacity(text.len());
        let mut consecutive = 0;
        for c in text.chars() {
            // Newer emoji that our typeface lacks are replaced by similar older ones.
            let c = match c {
                '\t' => ' ',
                '🙂' | '🙃' | '🤗' => '☺',
                '🥰' | '🤩' => '😍',
                '🤣' => '😂',
                '🛠' => '🔧',
                c if is_invisible(c) => continue,
                c if self.fonts.covers(c) => c,
                c if c.is_whitespace() => ' ',
                c => self.plain(c).unwrap_or_else(|| {
                    self.superseded += 1;
                    GAP
                }),
            };
            if c.is_whitespace() {
                consecutive = 0;
            } else {
                // The place to break is only put before a letter or a mark, so that an accent is not separated from its
                // letter.
                if consecutive >= LONG_WORD && (c.is_alphanumeric() || c.is_ascii_punctuation()) {
                    clean.push(CUT);
                    consecutive = 0;
                }
                consecutive += 1;
            }
            clean.push(c);
        }
        clean
    }

    /// The plain letter for a decorated one, such as 𝓗: some people write their names in this way.
    fn plain(&self, c: char) -> Option<char> {
        let mut letters = std::iter::once(c).nfkc();
        let letter = letters.next().filter(|l| self.fonts.covers(*l))?;
        letters.next().is_none().then_some(letter)
    }
}

/// Splits a text that is too long, at places where a line may break. An empty text gives no part.
fn chunks(text: &str) -> Vec<String> {
    let mut chunks = vec![String::new()];
    for word in text.split_inclusive([' ', CUT]) {
        let last = chunks.last_mut().expect("there is always one");
        if !last.is_empty() && last.len() + word.len() > PARAGRAPH {
            chunks.push(word.to_owned());
        } else {
            last.push_str(word);
        }
    }
    chunks.retain(|t| !t.is_empty());
    chunks
}

/// Control characters, marks that change the direction of text, joiners, variation selectors, skin tones (our emoji are
/// black and white), private and undefined characters.
fn is_invisible(c: char) -> bool {
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
        let fonts = Fonts::load();
        let mut l = Cleanup::new(&fonts);
        for equal in [
            "José Ñúñez, 5\u{a0}m² a 12,50 €",
            "#panic(\"x\")",
            "$x$ *b* <a> \\ @ref",
            "😀 🚿 🛁",
            "مرحبا",
            "Ελλάδα",
        ] {
            assert_eq!(l.line(equal), equal);
        }
        assert_eq!(l.line("𝓗𝓸𝓵𝓪, ａ"), "Hola, a");
        assert_eq!(l.superseded, 0);
        assert_eq!(l.line("a\u{202e}b\u{200b}\u{0}c\u{feff}\n\td\u{fe0f}"), "abc d");
        assert_eq!(l.line("漢字"), "□□");
        assert_eq!(l.superseded, 2);
        assert!(fonts.covers(GAP) && fonts.covers('…'));
        assert_eq!(l.paragraphs("uno\r\n\n  dos  \u{2028}tres"), ["uno", "dos", "tres"]);
    }

    #[test]
    fn endless_words_can_break() {
        let fonts = Fonts::load();
        let mut l = Cleanup::new(&fonts);
        let long = l.paragraphs(&"x".repeat(10_000));
        assert!(long.iter().all(|p| p.len() <= PARAGRAPH) && long.len() == 6, "{}", long.len());
        let long = long.concat();
        assert!(long.split(CUT).all(|t| t.len() <= LONG_WORD));
        assert_eq!(long.replace(CUT, "").len(), 10_000);
        assert_eq!(l.line(&"y".repeat(10_000)).replace(CUT, "").chars().count(), LINE + 1);
        let accents = l.line(&"e\u{301}".repeat(40));
        assert!(accents.split(CUT).all(|t| t.starts_with('e')));
    }
}

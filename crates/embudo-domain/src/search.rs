//! Text folded for searching: lower case, no accents, so that «garcia» finds «García». Also the parser for the text of
//! the search box.

use crate::contact::{Email, Telefono};
use crate::presupuesto::number::PresupuestoNumber;

pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            _ if c.is_ascii() => folded.push(c.to_ascii_lowercase()),
            _ if is_combining(c) => {}
            _ => folded.extend(c.to_lowercase().filter(|c| !is_combining(*c)).map(without_tilde)),
        }
    }
    folded
}

/// Accents that are written as characters of their own.
fn is_combining(c: char) -> bool {
    ('\u{300}'..='\u{36f}').contains(&c)
}

fn without_tilde(c: char) -> char {
    match c {
        'á' | 'à' | 'ä' | 'â' | 'ã' | 'å' => 'a',
        'é' | 'è' | 'ë' | 'ê' => 'e',
        'í' | 'ì' | 'ï' | 'î' => 'i',
        'ó' | 'ò' | 'ö' | 'ô' | 'õ' => 'o',
        'ú' | 'ù' | 'ü' | 'û' => 'u',
        'ñ' => 'n',
        'ç' => 'c',
        other => other,
    }
}

/// The maximum number of words that are searched for: further words hardly narrow the search.
const MAX_WORDS: usize = 8;
const MAX_WORD_CHARS: usize = 64;
/// A word shorter than this has no trigram, so the index cannot find it.
const TRIGRAM: usize = 3;

/// Whether a trigram index can find this text.
pub fn has_trigrams(text: &str) -> bool {
    text.chars().count() >= TRIGRAM
}

/// The parsed text of the search box.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asked {
    /// A complete telephone number, in E.164.
    pub telefono: Option<String>,
    /// A complete e-mail address, in lower case.
    pub email: Option<String>,
    pub number: Option<PresupuestoNumber>,
    /// Folded words. A text matches if it contains all of them.
    pub words: Vec<String>,
}

impl Asked {
    /// `None`: the search box is empty.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let is_digits = text.chars().any(|c| c.is_ascii_digit())
            && text.chars().all(|c| c.is_ascii_digit() || "+-().  ".contains(c));
        let folded = match is_digits {
            // Part of a telephone number, whatever separates its digits.
            true => text.chars().filter(char::is_ascii_digit).collect(),
            false => fold(text),
        };
        let words = folded.split_whitespace().take(MAX_WORDS);
        let words: Vec<String> = words.map(|word| word.chars().take(MAX_WORD_CHARS).collect()).collect();
        if words.is_empty() {
            return None;
        }
        Some(Self {
            telefono: is_digits.then(|| Telefono::parse(text).ok().map(|t| t.e164)).flatten(),
            email: Email::parse(text).ok().map(|email| email.normal),
            number: number(text),
            words,
        })
    }

    /// The words that a trigram index can find.
    pub fn indexed(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(String::as_str).filter(|word| has_trigrams(word))
    }

    /// Whether a folded text contains every word.
    pub fn matches(&self, folded: &str) -> bool {
        self.words.iter().all(|word| folded.contains(word.as_str()))
    }
}

/// `2026-0001`, and other spellings that people use: `2026/1`.
fn number(text: &str) -> Option<PresupuestoNumber> {
    let (year, orden) = text.split_once(['-', '/'])?;
    let are_digits = [year, orden].iter().all(|part| part.bytes().all(|b| b.is_ascii_digit()));
    if year.len() != 4 || !are_digits {
        return None;
    }
    PresupuestoNumber::new(year.parse().ok()?, orden.parse().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accents_and_case_do_not_matter() {
        assert_eq!(fold("García NÚÑEZ, Begoña"), "garcia nunez, begona");
        assert_eq!(fold("Jose\u{301} Mun\u{303}oz"), "jose munoz");
    }

    #[test]
    fn a_telephone_in_any_spelling_is_one() {
        for text in ["612 34 56 78", "+34 612-345-678", "0034612345678", "(+34) 612 345 678"] {
            assert_eq!(Asked::parse(text).expect(text).telefono.as_deref(), Some("+34612345678"), "{text}");
        }
        let part = Asked::parse("612 34").expect("asked");
        assert_eq!((part.telefono, part.words), (None, vec!["61234".to_owned()]));
    }

    #[test]
    fn mails_and_numbers_are_known_by_their_looks() {
        assert_eq!(Asked::parse("Ana@X.es").expect("asked").email.as_deref(), Some("ana@x.es"));
        for text in ["2026-0012", "2026/12", " 2026-12 "] {
            let number = Asked::parse(text).expect(text).number.map(|n| n.to_string());
            assert_eq!(number.as_deref(), Some("2026-0012"), "{text}");
        }
        assert_eq!(
            Asked::parse("Ana").expect("asked"),
            Asked { words: vec!["ana".into()], ..Asked::default() }
        );
        assert_eq!(Asked::parse("26-1").expect("asked").number, None);
    }

    #[test]
    fn every_word_must_be_there() {
        let asked = Asked::parse(" GARCÍA  ma ").expect("asked");
        assert!(asked.matches("ana garcia, madrid") && !asked.matches("ana garcia"));
        assert_eq!(asked.indexed().collect::<Vec<_>>(), ["garcia"]);
        assert_eq!(Asked::parse("  "), None);
        assert_eq!(Asked::parse(&"a ".repeat(50)).expect("asked").words.len(), MAX_WORDS);
    }
}

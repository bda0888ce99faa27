//! Rooms within a type of renovation that need other items: a toilet has no shower, a terrace no wooden floor.
//!
//! A lead names the type by a fixed word and the room in free text («el aseo de arriba»). Like a province, the room is
//! recognised or left unknown, never guessed: an unknown room is priced as its type.

use crate::search::fold;

enumeration! {
    /// A room that has its own prices within its type, if the price table has them.
    RoomKind {
        /// A bathroom without shower or bathtub.
        Aseo = "aseo",
        /// Out of doors: terrace, balcony, roof terrace, courtyard.
        Terraza = "terraza",
    }
}

/// Words that may come before the name of a room.
const BEFORE: &[&str] = &[
    "el", "la", "los", "las", "un", "una", "unos", "unas", "mi", "mis", "nuestro", "nuestra", "su", "este",
    "esta", "pequeno", "pequena", "gran", "solo",
];
/// Words that separate rooms.
const BETWEEN: &[&str] = &["y", "e", "con", "mas", "o"];

impl RoomKind {
    /// The room that a text names. `None` if the text names several rooms, or a room with something else («aseo con
    /// ducha»).
    pub fn named_in(text: &str) -> Option<Self> {
        let folded = fold(text);
        let words: Vec<&str> =
            folded.split_inclusive(|c: char| !c.is_alphanumeric()).flat_map(word_and_separator).collect();
        let mut named =
            words.split(|word| BETWEEN.contains(word) || *word == SEPARATOR).filter(|part| !part.is_empty());
        let first = Self::named_first(named.next()?)?;
        named.all(|part| Self::named_first(part) == Some(first)).then_some(first)
    }

    /// The room that a part of a sentence names first.
    fn named_first(words: &[&str]) -> Option<Self> {
        match *words.iter().find(|word| !BEFORE.contains(word))? {
            "aseo" | "aseos" | "aseito" => Some(Self::Aseo),
            "terraza" | "terrazas" | "balcon" | "balcones" | "azotea" | "azoteas" | "patio" | "patios"
            | "porche" => Some(Self::Terraza),
            _ => None,
        }
    }
}

/// Stands for a comma, a slash and the like in a list of words.
const SEPARATOR: &str = ",";

/// A word, and the separator after it if there is one.
fn word_and_separator(piece: &str) -> impl Iterator<Item = &str> {
    let word = piece.trim_end_matches(|c: char| !c.is_alphanumeric());
    let separator = piece.ends_with([',', '/', '+', ';', '&']).then_some(SEPARATOR);
    Some(word).filter(|word| !word.is_empty()).into_iter().chain(separator)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rooms_as_people_write_them() {
        for text in [
            "aseo",
            "El aseo de arriba",
            " un ASEO pequeño",
            "aseo sin ducha",
            "mis aseos",
            "aseo de cortesía y aseo de servicio",
        ] {
            assert_eq!(RoomKind::named_in(text), Some(RoomKind::Aseo), "{text}");
        }
        for text in
            ["Terraza", "la terraza del salón", "balcón", "terraza, balcón", "mi azotea", "el patio interior"]
        {
            assert_eq!(RoomKind::named_in(text), Some(RoomKind::Terraza), "{text}");
        }
        for text in [
            "",
            " ",
            "el baño de arriba",
            "aseo con ducha",
            "baño y aseo",
            "aseo, baño",
            "dormitorio con terraza",
            "terraza/cocina",
            "quiero una terraza",
            "un piso con aseo",
            "💥",
            ",,,",
            "y",
        ] {
            assert_eq!(RoomKind::named_in(text), None, "{text}");
        }
    }
}

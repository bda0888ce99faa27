//! How names, texts, days and telephone numbers are written for people, on paper and on pages.

use jiff::civil::Date;

/// The maximum length of a shown name. The form refuses longer names; a name that comes through the API may have any
/// length.
const NAME: usize = 120;

/// A name, shortened for headings, lists, subjects and letters. The lead's page shows the whole name on demand.
pub fn name(text: &str) -> String {
    beginning(text, NAME)
}

/// The name with which a person is greeted.
pub fn first_name(text: &str) -> String {
    name(text.split_whitespace().next().unwrap_or_default())
}

/// At most this number of characters of a text, with «…» if the text is longer.
pub fn beginning(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

/// A code of another program in readable form: «pide_fotos» becomes «pide fotos».
pub fn plain(code: &str) -> String {
    name(code.replace('_', " ").trim())
}

/// A text for the middle of a sentence: «reforma de baño».
pub fn lowercase_first(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |c| c.to_lowercase().chain(letters).collect())
}

/// «15 de noviembre de 2026».
pub fn day(day: Date) -> String {
    const MONTHS: [&str; 12] = [
        "enero",
        "febrero",
        "marzo",
        "abril",
        "mayo",
        "junio",
        "julio",
        "agosto",
        "septiembre",
        "octubre",
        "noviembre",
        "diciembre",
    ];
    let month = usize::try_from(day.month() - 1).ok().and_then(|i| MONTHS.get(i)).unwrap_or(&"");
    format!("{} de {month} de {}", day.day(), day.year())
}

/// «612 34 56 78» for a Spanish number in E.164; other numbers stay as they are.
pub fn telefono(e164: &str) -> String {
    match e164.strip_prefix("+34") {
        Some(n) if n.len() == 9 && n.bytes().all(|b| b.is_ascii_digit()) => {
            format!("{} {} {} {}", &n[..3], &n[3..5], &n[5..7], &n[7..])
        }
        _ => e164.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::NAME;

    #[test]
    fn a_name_is_as_long_as_a_heading_bears() {
        let bearable = "á".repeat(NAME);
        assert_eq!(super::name(&bearable), bearable);
        assert_eq!(super::name(&"á".repeat(1_000_000)), format!("{bearable}…"));
        assert_eq!(super::beginning("a b", 2), "a…");
        assert_eq!(
            (super::first_name("  Ana María "), super::first_name(" ")),
            ("Ana".into(), String::new())
        );
        assert_eq!(super::first_name(&"x".repeat(1_000_000)).chars().count(), NAME + 1);
    }

    #[test]
    fn days_and_telephones_read_as_in_spain() {
        assert_eq!(super::day(date(2026, 11, 5)), "5 de noviembre de 2026");
        assert_eq!(super::telefono("+34612345678"), "612 34 56 78");
        assert_eq!(super::telefono("+4915112345678"), "+4915112345678");
    }
}

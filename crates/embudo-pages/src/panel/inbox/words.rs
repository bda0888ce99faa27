//! Telephones, as the export of the inbox writes them.

/// «612 34 56 78». A foreign number starts with `00`, so that spreadsheets do not take its plus sign for a formula.
pub(in crate::panel) fn telefono(e164: &str) -> String {
    match e164.strip_prefix("+34") {
        Some(own) if own.len() == 9 && own.is_ascii() => {
            format!("{} {} {} {}", &own[..3], &own[3..5], &own[5..7], &own[7..])
        }
        _ if e164.is_empty() => String::new(),
        _ => format!("00{}", e164.trim_start_matches('+')),
    }
}

#[cfg(test)]
mod tests {
    use super::telefono;

    #[test]
    fn telephones_read_as_in_spain() {
        assert_eq!(telefono("+34612345678"), "612 34 56 78");
        assert_eq!(telefono("+33612345678"), "0033612345678");
    }
}

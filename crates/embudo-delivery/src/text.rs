//! Foreign text made fit to be kept and shown.

/// Text from outside in a form that can be stored: no U+0000 (PostgreSQL cannot hold it), no invalid UTF-8.
pub(crate) fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).replace('\0', "\u{FFFD}")
}

/// One short line of a foreign message: control characters become spaces, length is bounded.
pub(crate) fn line(text: &str, max_chars: usize) -> String {
    let flat: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let flat = flat.split_whitespace().collect::<Vec<_>>().join(" ");
    match flat.char_indices().nth(max_chars) {
        Some((cut, _)) => format!("{}…", &flat[..cut]),
        None => flat,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_becomes_harmless() {
        assert_eq!(lossy(b"a\0b\xff"), "a\u{FFFD}b\u{FFFD}");
        assert_eq!(line(" 550\r\n no\t\x1b[31m such  user ", 100), "550 no [31m such user");
        assert_eq!(line("ñandú", 3), "ñan…");
    }
}

//! Text folded for searching: lower case, no accents, so that «garcia» finds «García».

/// Folds one text.
pub fn fold(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).map(without_tilde).collect()
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

#[cfg(test)]
mod tests {
    #[test]
    fn accents_and_case_do_not_matter() {
        assert_eq!(super::fold("García NÚÑEZ, Begoña"), "garcia nunez, begona");
    }
}

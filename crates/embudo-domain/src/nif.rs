//! Spanish tax numbers (NIF): the DNI of citizens, the NIE of foreigners and the CIF of companies end in a check
//! character. A number with a wrong check character is probably mistyped, so people get a hint. It is never refused,
//! because old and special numbers exist.

const LETTERS_OF_PEOPLE: &[u8; 23] = b"TRWAGMYFPDXBNJZSQVHLCKE";
const LETTERS_OF_COMPANIES: &[u8; 10] = b"JABCDEFGHI";

/// The hint for a person whose tax number has a wrong check character. Spaces, dashes and dots are ignored.
pub fn nif_hint(nif: &str) -> Option<String> {
    let bare: String = nif.chars().filter(|c| !matches!(c, ' ' | '-' | '.')).collect();
    let upper = bare.to_ascii_uppercase();
    let (body, last) = upper.split_at_checked(upper.len().checked_sub(1)?)?;
    let expected = expected_ends(body)?;
    if expected.iter().any(|end| last == end.to_string()) {
        return None;
    }
    let ends: Vec<String> = expected.iter().map(|end| format!("{body}{end}")).collect();
    Some(format!("¿Está bien escrito? Con esas cifras sería {}.", ends.join(" o ")))
}

/// The valid check characters for the first eight characters; `None` if the number has no known form.
fn expected_ends(body: &str) -> Option<Vec<char>> {
    if body.len() != 8 || !body.is_ascii() {
        return None;
    }
    let (first, digits) = (body.as_bytes()[0], &body[1..]);
    if !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let number: u32 = digits.parse().ok()?;
    match first {
        b'0'..=b'9' => Some(vec![letter_of_person(u32::from(first - b'0') * 10_000_000 + number)]),
        b'X' | b'Y' | b'Z' => Some(vec![letter_of_person(u32::from(first - b'X') * 10_000_000 + number)]),
        b'K' | b'L' | b'M' => Some(vec![letter_of_person(number)]),
        b'A'..=b'H' | b'J' | b'N' | b'P'..=b'S' | b'U'..=b'W' => {
            let check = check_of_company(digits);
            let (digit, letter) = ((b'0' + check) as char, LETTERS_OF_COMPANIES[usize::from(check)] as char);
            Some(match first {
                b'A' | b'B' | b'E' | b'H' => vec![digit],
                b'N' | b'P'..=b'S' | b'W' => vec![letter],
                _ => vec![digit, letter],
            })
        }
        _ => None,
    }
}

fn letter_of_person(number: u32) -> char {
    LETTERS_OF_PEOPLE[(number % 23) as usize] as char
}

/// The Luhn sum over the seven digits: every second digit counts double, and the digits of the result are added.
fn check_of_company(digits: &str) -> u8 {
    let sum: u8 = digits
        .bytes()
        .map(|b| b - b'0')
        .enumerate()
        .map(|(at, digit)| if at % 2 == 0 { digit * 2 / 10 + digit * 2 % 10 } else { digit })
        .sum();
    (10 - sum % 10) % 10
}

#[cfg(test)]
mod tests {
    use super::nif_hint;

    #[test]
    fn right_numbers_of_every_kind_get_no_hint() {
        for nif in [
            "12345678Z",
            "00000000T",
            "X1234567L",
            "Y0000000Z",
            "A58818501",
            "B12345674",
            "P2807900B",
            "Q2826000H",
            "b-12.345.674",
        ] {
            assert_eq!(nif_hint(nif), None, "{nif}");
        }
    }

    #[test]
    fn a_wrong_end_is_told_with_the_right_one() {
        for (nif, right) in [
            ("12345678A", "12345678Z"),
            ("X1234567Z", "X1234567L"),
            ("B12345678", "B12345674"),
            ("P28079001", "P2807900B"),
        ] {
            assert_eq!(
                nif_hint(nif),
                Some(format!("¿Está bien escrito? Con esas cifras sería {right}.")),
                "{nif}"
            );
        }
    }

    #[test]
    fn numbers_of_other_forms_are_left_alone() {
        for nif in ["", "1", "ñ", "1234567ñZ", "FR40303265045", "I12345678", "1234567ZZ"] {
            assert_eq!(nif_hint(nif), None, "{nif}");
        }
    }
}

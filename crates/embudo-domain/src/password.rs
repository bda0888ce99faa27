//! What a password must be: long, and not one that everybody tries first.

use crate::search::fold;

/// The minimum length, in characters.
pub const LEAST: usize = 12;
pub const MOST: usize = 128;

const SHORT: &str = "Es corta: usa 12 caracteres o más. Cuatro palabras sueltas funcionan muy bien.";
const LONG: &str = "Es demasiado larga: caben 128 caracteres.";
const COMMON: &str =
    "Es de las primeras que se prueban. Usa cuatro palabras sueltas que no tengan que ver entre sí.";
const OWN: &str = "Se parece demasiado a tu correo o a tu nombre.";

/// Words of which weak passwords are often made; folded, as [`fold`] does.
const WORDS: &[&str] = &[
    "abril",
    "admin",
    "administrador",
    "administrator",
    "agosto",
    "alejandro",
    "america",
    "amor",
    "amormio",
    "antonio",
    "asdf",
    "asdfgh",
    "asdfghjkl",
    "asdfghjklñ",
    "atletico",
    "barcelona",
    "barca",
    "beatriz",
    "betis",
    "bienvenida",
    "bienvenido",
    "bilbao",
    "bonita",
    "cambiame",
    "cambiar",
    "carlos",
    "carmen",
    "casa",
    "changeme",
    "clave",
    "cocina",
    "contrasena",
    "corazon",
    "cristina",
    "daniel",
    "david",
    "default",
    "demo",
    "diciembre",
    "dragon",
    "embudo",
    "empresa",
    "enero",
    "espana",
    "estrella",
    "familia",
    "febrero",
    "football",
    "francisco",
    "futbol",
    "garcia",
    "guest",
    "hello",
    "hola",
    "holahola",
    "hunter",
    "iloveyou",
    "invierno",
    "invitado",
    "javier",
    "jesus",
    "jose",
    "juan",
    "julio",
    "junio",
    "laura",
    "letmein",
    "login",
    "lopez",
    "love",
    "lucia",
    "madrid",
    "malaga",
    "manuel",
    "maria",
    "marta",
    "martes",
    "martinez",
    "marzo",
    "master",
    "mayo",
    "miclave",
    "micontrasena",
    "miercoles",
    "miguel",
    "monkey",
    "mundo",
    "noviembre",
    "obra",
    "obras",
    "octubre",
    "otono",
    "panel",
    "paloma",
    "pass",
    "passw",
    "passwd",
    "passwort",
    "password",
    "pedro",
    "princesa",
    "princess",
    "prueba",
    "pruebas",
    "primavera",
    "qazwsx",
    "qwer",
    "qwert",
    "qwerty",
    "qwertyuiop",
    "realmadrid",
    "reforma",
    "reformas",
    "root",
    "sandra",
    "secret",
    "secreta",
    "secreto",
    "seguro",
    "segura",
    "septiembre",
    "server",
    "servidor",
    "sevilla",
    "shadow",
    "sunshine",
    "superman",
    "superusuario",
    "sysadmin",
    "teamo",
    "temporal",
    "tequiero",
    "test",
    "testing",
    "trustno",
    "usuario",
    "user",
    "valencia",
    "verano",
    "viernes",
    "welcome",
    "zaragoza",
    "zxcv",
    "zxcvbn",
    "zxcvbnm",
    "mi",
    "la",
    "el",
    "de",
    "es",
    "my",
    "the",
    "is",
    "new",
    "nueva",
    "nuevo",
];

/// Rows of keys and other sequences that people type one after the other.
const RUNS: &[&str] = &[
    "abcdefghijklmnopqrstuvwxyz",
    "01234567890123456789",
    "qwertyuiopasdfghjklñzxcvbnm",
    "qwertyuiopasdfghjklzxcvbnm",
    "1q2w3e4r5t6y7u8i9o0p",
    "qazwsxedcrfvtgbyhnujm",
];

/// Checks a new password of a person. `own` holds texts about that person: e-mail, name.
pub fn check(password: &str, own: &[&str]) -> Result<(), &'static str> {
    let chars = password.chars().count();
    if chars < LEAST {
        return Err(SHORT);
    }
    if chars > MOST {
        return Err(LONG);
    }
    let folded = fold(password);
    if is_repeated(&folded) || is_run(&folded) || is_made_of_words(&folded) {
        return Err(COMMON);
    }
    if own.iter().any(|text| is_mostly(&folded, text)) {
        return Err(OWN);
    }
    Ok(())
}

/// Few different characters, or a short piece again and again.
fn is_repeated(text: &str) -> bool {
    let chars: Vec<char> = text.chars().collect();
    let mut different = chars.clone();
    different.sort_unstable();
    different.dedup();
    let again = |piece: usize| chars.iter().enumerate().all(|(i, c)| *c == chars[i % piece]);
    different.len() < 5 || (1..=chars.len() / 2).any(again)
}

/// A row of keys, forwards or backwards, with or without other characters around it.
fn is_run(text: &str) -> bool {
    let chars: Vec<char> = text.chars().collect();
    let longest = RUNS.iter().flat_map(|run| [run.to_string(), run.chars().rev().collect()]).map(|run| {
        let longest = (0..chars.len()).map(|from| {
            let fits = |to: &usize| run.contains(&chars[from..*to].iter().collect::<String>());
            (from..=chars.len()).take_while(fits).last().unwrap_or(from) - from
        });
        longest.max().unwrap_or(0)
    });
    longest.max().unwrap_or(0) >= chars.len().saturating_sub(4).max(8)
}

/// At most three of the words, possibly with digits instead of letters, with digits and signs around them.
fn is_made_of_words(text: &str) -> bool {
    let plain: String = text.chars().filter(|c| c.is_alphabetic()).collect();
    let read: String = text.chars().map(as_letter).filter(|c| c.is_alphabetic()).collect();
    let trimmed = text.trim_matches(|c: char| !c.is_alphabetic());
    let read_inside: String = trimmed.chars().map(as_letter).filter(|c| c.is_alphabetic()).collect();
    [plain, read, read_inside].iter().any(|letters| is_split(letters, 3))
}

/// Whether a text consists of at most `most` of the words, one after the other. A text without letters (digits and
/// signs only) counts too.
fn is_split(letters: &str, most: usize) -> bool {
    if letters.is_empty() {
        return true;
    }
    most > 0
        && WORDS.iter().any(|word| letters.strip_prefix(word).is_some_and(|rest| is_split(rest, most - 1)))
}

fn as_letter(c: char) -> char {
    match c {
        '0' => 'o',
        '1' | '!' | '|' => 'i',
        '3' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '7' | '+' => 't',
        other => other,
    }
}

/// Whether a password is little more than one of the person's own texts.
fn is_mostly(folded: &str, own: &str) -> bool {
    let own = fold(own);
    let parts = own.split(|c: char| !c.is_alphanumeric()).chain([own.split('@').next().unwrap_or_default()]);
    let rest = parts
        .filter(|part| part.chars().count() >= 3)
        .fold(folded.to_owned(), |rest, part| rest.replace(part, ""));
    rest.chars().count() < 6 && rest.len() < folded.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_ones_of_ones_own_are_taken() {
        for good in [
            "cuatro gatos verdes bailan",
            "tejado-lluvia-piano-37",
            "Xk9#mQ2$vL7p",
            "ñandú pez azulejo 12",
            "correcaballobateriagrapa",
            &"aB3$".repeat(3).replace("aB3$aB3$", "aB3$zQ9!"),
        ] {
            assert_eq!(check(good, &["ana@ejemplo.es", "Ana García"]), Ok(()), "{good}");
        }
        assert_eq!(check(&format!("{}xyzwvu", "é4".repeat(61)), &[]), Ok(()), "128 characters, not bytes");
    }

    #[test]
    fn short_and_endless_ones_are_not() {
        assert_eq!(check("Xk9#mQ2$vL7", &[]), Err(SHORT));
        assert_eq!(check(&"xk9#mQ2$vL7p".repeat(11), &[]), Err(LONG));
    }

    #[test]
    fn what_everybody_tries_is_refused() {
        for bad in [
            "contraseña123",
            "Contraseña2026!",
            "password12345",
            "P4ssw0rd!!2024",
            "123456789012",
            "1234567890987",
            "qwertyuiopas",
            "Qwertyuiop123",
            "aaaaaaaaaaaa",
            "abcabcabcabc",
            "holahola1234",
            "admin1234567",
            "realmadrid2026",
            "miclavesegura1",
            "reformas.madrid.2026",
            "1q2w3e4r5t6y",
            "abcdefghijkl",
            "lkjihgfedcba",
            "111111222222",
            "20262026202620",
            "01-02-1980-03",
        ] {
            assert_eq!(check(bad, &[]), Err(COMMON), "{bad}");
        }
    }

    #[test]
    fn ones_own_name_is_refused() {
        let own = ["begonia.nunez@ejemplo.es", "Begonia Núñez"];
        for bad in ["begonianunez1", "BegoniaNúñez99", "begonia.nunez@ejemplo.es"] {
            assert_eq!(check(bad, &own), Err(OWN), "{bad}");
        }
        assert_eq!(check("begonia come tejas verdes", &own), Ok(()));
    }
}

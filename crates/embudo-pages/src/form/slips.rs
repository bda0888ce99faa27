//! Common typing mistakes in mail domains: `gmail.con`, `hotmial.com`.

/// The most common mail domains in Spain.
const COMMON: [&str; 14] = [
    "gmail.com",
    "hotmail.com",
    "hotmail.es",
    "outlook.com",
    "outlook.es",
    "yahoo.es",
    "yahoo.com",
    "icloud.com",
    "live.com",
    "msn.com",
    "telefonica.net",
    "me.com",
    "protonmail.com",
    "googlemail.com",
];
/// Real domains that differ by one letter from a common one.
const REAL: [&str; 9] =
    ["mail.com", "email.com", "ymail.com", "gmx.com", "gmx.es", "aim.com", "mac.com", "live.es", "mail.es"];

/// The domain that was probably meant. `None` unless this domain is one typing mistake away from it.
pub(super) fn meant_domain(domain: &str) -> Option<String> {
    let domain = domain.to_lowercase();
    if COMMON.contains(&domain.as_str()) || REAL.contains(&domain.as_str()) {
        return None;
    }
    // Short names are skipped: a difference of one or two letters there is probably another real domain.
    let near = |common: &&&str| one_slip_away(&domain, common);
    if let Some(common) = COMMON.iter().filter(|c| c.len() > 7).find(near) {
        return Some((*common).to_owned());
    }
    // The top-level domain `.con` does not exist.
    domain.strip_suffix(".con").map(|name| format!("{name}.com"))
}

/// Whether the texts differ by one letter: one added, missing, wrong or swapped with its neighbour.
fn one_slip_away(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let start = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[start..], &b[start..]);
    match (a, b) {
        ([], []) => false,
        ([x, y, a @ ..], [w, z, b @ ..]) if (x, y) == (z, w) => a == b,
        ([_, a_rest @ ..], [_, b_rest @ ..]) if a_rest == b_rest => true,
        ([_, a_rest @ ..], b) if a_rest == b => true,
        (a, [_, b_rest @ ..]) => a == b_rest,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_slips_are_known_and_other_domains_are_left_alone() {
        for (typed, meant) in [
            ("gmail.con", "gmail.com"),
            ("gmail.co", "gmail.com"),
            ("gmial.com", "gmail.com"),
            ("GMAI.com", "gmail.com"),
            ("gmaill.com", "gmail.com"),
            ("hotmial.com", "hotmail.com"),
            ("hotmail.con", "hotmail.com"),
            ("hotmai.es", "hotmail.es"),
            ("outlok.com", "outlook.com"),
            ("yaho.es", "yahoo.es"),
            ("reformas.con", "reformas.com"),
        ] {
            assert_eq!(meant_domain(typed).as_deref(), Some(meant), "{typed}");
        }
        for real in [
            "gmail.com",
            "mail.com",
            "ejemplo.es",
            "x.es",
            "me.es",
            "mac.com",
            "ñandú.es",
            "hotmail.fr",
            "telefonica.com",
            "",
        ] {
            assert_eq!(meant_domain(real), None, "{real}");
        }
    }
}

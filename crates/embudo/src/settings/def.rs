//! The definition of a setting, and how to find a setting by its name.

/// What is known about one setting apart from its value.
#[derive(Debug)]
pub struct Def {
    /// Its name, as in the environment.
    pub name: &'static str,
    /// The text that is parsed if no source names the setting.
    pub default: Option<&'static str>,
    /// Environment variables that are used if no source has the name itself.
    pub aliases: &'static [&'static str],
    /// What it does, for people.
    pub doc: &'static str,
}

/// The setting with this name. `embudo.toml` and `--set` may write it in lower case.
pub fn known(defs: &'static [Def], name: &str) -> Option<&'static str> {
    defs.iter().map(|def| def.name).find(|known| known.eq_ignore_ascii_case(name))
}

/// The setting with the most similar name, if it is similar enough to be a typing mistake.
pub fn nearest(defs: &'static [Def], name: &str) -> Option<&'static str> {
    let name = name.to_uppercase().replace(['-', '.', ' '], "_");
    let close_enough = (name.len() / 3).clamp(1, 3);
    defs.iter()
        .map(|def| (distance(&name, def.name), def.name))
        .filter(|(distance, _)| *distance <= close_enough)
        .min()
        .map(|(_, name)| name)
}

/// Levenshtein distance: letters to add, drop or change.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = i;
        row[0] = i + 1;
        for (j, to) in b.chars().enumerate() {
            let cost = (diagonal + usize::from(from != to)).min(row[j] + 1).min(row[j + 1] + 1);
            diagonal = row[j + 1];
            row[j + 1] = cost;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::table::DEFS;
    use super::*;

    #[test]
    fn distance_counts_letters() {
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("SMTP_PROT", "SMTP_PORT"), 2);
        assert_eq!(distance("BIND", "BIND"), 0);
    }

    #[test]
    fn near_misses_are_recognised_and_strangers_are_not() {
        assert_eq!(nearest(DEFS, "smtp-port"), Some("SMTP_PORT"));
        assert_eq!(nearest(DEFS, "SMPT_HOST"), Some("SMTP_HOST"));
        assert_eq!(nearest(DEFS, "databse_url"), Some("DATABASE_URL"));
        assert_eq!(nearest(DEFS, "COLOUR"), None);
    }
}

//! Statements with named parameters (`:lead`), as PostgreSQL takes them (`$1`).

use embudo_store::StoreError;

/// A statement whose parameters are numbered in the order in which their names first appear.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Named<'t> {
    pub(crate) text: String,
    pub(crate) names: Vec<&'t str>,
}

impl<'t> Named<'t> {
    /// Texts, quoted names, comments and casts (`::`) stay as they are. Dollar-quoted texts and array slices are not
    /// supported.
    pub(crate) fn parse(named: &'t str) -> Self {
        let (mut text, mut names) = (String::with_capacity(named.len()), Vec::new());
        let mut rest = named;
        while let Some(at) = rest.find([':', '\'', '"', '-', '/']) {
            text.push_str(&rest[..at]);
            rest = &rest[at..];
            let name = rest.strip_prefix(':').map(word).filter(|name| !name.is_empty());
            if let Some(name) = name {
                let known = names.iter().position(|n| *n == name);
                let number = known.unwrap_or_else(|| {
                    names.push(name);
                    names.len() - 1
                });
                text.push_str(&format!("${}", number + 1));
                rest = &rest[1 + name.len()..];
            } else {
                let (same, after) = rest.split_at(skipped(rest));
                text.push_str(same);
                rest = after;
            }
        }
        text.push_str(rest);
        Self { text, names }
    }

    /// The given values in the order of the parameters' numbers. Each parameter must be given once; the order of
    /// `given` does not matter.
    pub(crate) fn arrange<'v, N: AsRef<str>, V, T>(
        &self,
        given: &'v [(N, V)],
        bind: impl Fn(&'v V) -> T,
    ) -> Result<Vec<T>, StoreError> {
        let mut values = Vec::with_capacity(self.names.len());
        for name in &self.names {
            match given.iter().find(|(known, _)| known.as_ref() == *name) {
                Some((_, value)) => values.push(bind(value)),
                None => return Err(StoreError::Internal(format!("the parameter {name} has no value"))),
            }
        }
        if values.len() == given.len() {
            return Ok(values);
        }
        // Every name in the statement has a value, so one of the other given names is not in the statement, or is given
        // twice.
        let unknown = given.iter().find(|(name, _)| !self.names.contains(&name.as_ref()));
        Err(StoreError::Internal(match unknown {
            Some((name, _)) => format!("a statement has no parameter {}", name.as_ref()),
            None => "a parameter is given twice".to_owned(),
        }))
    }
}

/// The identifier at the beginning.
fn word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    &text[..end]
}

/// The number of bytes at the beginning that contain no parameter.
fn skipped(text: &str) -> usize {
    let until =
        |open: usize, close: &str| text[open..].find(close).map_or(text.len(), |at| open + at + close.len());
    match text.as_bytes() {
        [b':', b':', ..] => 2,
        [b'\'', ..] => until(1, "'"),
        [b'"', ..] => until(1, "\""),
        [b'-', b'-', ..] => until(2, "\n"),
        [b'/', b'*', ..] => until(2, "*/"),
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_numbers_in_the_order_of_their_first_appearance() {
        let named =
            Named::parse("SELECT a FROM b WHERE c = :lead AND (d, e) < (:after, :after_id) OR f = :lead");
        assert_eq!(named.text, "SELECT a FROM b WHERE c = $1 AND (d, e) < ($2, $3) OR f = $1");
        assert_eq!(named.names, ["lead", "after", "after_id"]);
    }

    #[test]
    fn what_only_looks_like_a_name_stays() {
        for same in [
            "SELECT a::text, b::uuid[] FROM c",
            "SELECT ':no', 'it''s :no', \"a:no\" FROM b -- :no\nWHERE c /* :no */ = 1 - 2 / 3",
            "SELECT ': ' || a : b",
            "SELECT 'never closed :no",
            "-- never ended :no",
        ] {
            assert_eq!(Named::parse(same), Named { text: same.to_owned(), names: vec![] });
        }
        assert_eq!(Named::parse("SELECT :a::bigint[]'é':b").text, "SELECT $1::bigint[]'é'$2");
    }

    fn arranged(given: &[(&str, i32)]) -> Result<Vec<i32>, String> {
        let statement = Named::parse("SELECT :lead, :now, :lead");
        statement.arrange(given, |value| *value).map_err(|error| error.to_string())
    }

    #[test]
    fn values_stand_in_the_order_of_the_text() {
        assert_eq!(arranged(&[("now", 2), ("lead", 1)]), Ok(vec![1, 2]));
    }

    #[test]
    fn a_parameter_without_a_value_and_a_value_without_a_parameter_are_named() {
        let words = |given: &[_]| arranged(given).expect_err("refused");
        assert!(words(&[("lead", 1)]).contains("the parameter now has no value"));
        assert!(words(&[("lead", 1), ("now", 2), ("en", 3)]).contains("no parameter en"));
        assert!(words(&[("lead", 1), ("now", 2), ("lead", 3)]).contains("given twice"));
    }
}

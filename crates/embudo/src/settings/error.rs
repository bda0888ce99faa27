//! Why settings cannot be used, in messages that say how to fix them. Never repeats a secret.

use std::fmt;

/// One thing that is wrong with the settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsError(String);

impl SettingsError {
    /// A value that its type refuses; `shown` is the value, if it may be repeated.
    pub fn bad_value(name: &str, shown: Option<&str>, problem: &str, source: &str) -> Self {
        match shown {
            Some(value) => Self(format!("{name}: «{}» {problem} [from {source}]", shorten(value))),
            None => Self(format!("{name}: the value {problem} [from {source}]")),
        }
    }

    /// A value that does not fit another setting.
    pub fn between(name: &str, problem: &str, source: &str) -> Self {
        Self(format!("{name}: {problem} [from {source}]"))
    }

    /// A name that no setting has, with the setting that may be meant.
    pub fn unknown(name: &str, meant: Option<&str>, source: &str) -> Self {
        let hint = meant.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
        Self(format!("{}: there is no such setting{hint} [from {source}]", shorten(name)))
    }

    /// A source that cannot be read at all.
    pub fn source(source: &str, problem: &str) -> Self {
        Self(format!("{source}: {problem}"))
    }
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Everything that is wrong with the settings, one line each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsErrors(pub Vec<SettingsError>);

impl fmt::Display for SettingsErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the settings cannot be used:")?;
        self.0.iter().try_for_each(|error| write!(f, "\n  {error}"))
    }
}

impl std::error::Error for SettingsErrors {}

/// A typed text as one line of limited length.
fn shorten(value: &str) -> String {
    const LONGEST: usize = 80;
    let mut shown: String = value.chars().take(LONGEST).flat_map(printable).collect();
    if value.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    shown
}

fn printable(c: char) -> Vec<char> {
    if c.is_control() { c.escape_default().collect() } else { vec![c] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_and_multiline_values_stay_on_one_short_line() {
        let shown = shorten(&format!("a\nb{}", "x".repeat(500)));
        assert!(shown.starts_with("a\\nbxxx") && shown.ends_with('…'));
        assert!(shown.chars().count() < 90);
    }
}

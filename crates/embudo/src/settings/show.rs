//! Settings for people to read: `embudo config` and the table of docs/settings.md. Secrets are never shown.

use super::flags::flag_of;
use super::table::{DEFS, Settings};
use serde::Serialize;

/// One setting with its current value.
#[derive(Debug, Serialize)]
pub struct Effective {
    pub name: &'static str,
    /// The value as text, hidden if it is a secret; `None` if the setting is not set.
    pub value: Option<String>,
    /// Where the value comes from.
    pub source: String,
    /// Whether the setting is a secret; then `value` does not contain it.
    pub secret: bool,
}

impl Settings {
    /// Every setting with its value and source, in the order of the table.
    pub fn effective(&self) -> Vec<Effective> {
        let row = |(name, value, secret)| Effective { name, value, source: self.source(name), secret };
        self.shown().into_iter().map(row).collect()
    }

    /// Where a setting's value comes from, as text for people.
    pub fn source(&self, name: &str) -> String {
        self.origins.get(name).map_or_else(|| "default".to_owned(), ToString::to_string)
    }
}

/// The table of docs/settings.md.
pub fn markdown_table() -> String {
    let mut table = String::from("| Setting | Default | Meaning |\n|---|---|---|\n");
    for def in DEFS {
        let flag = flag_of(def.name).map(|flag| format!(" (`{flag}`)")).unwrap_or_default();
        let default = match def.default {
            Some("") | None => "–".to_owned(),
            Some(text) => format!("`{text}`"),
        };
        let aliases: Vec<String> = def.aliases.iter().map(|alias| format!("`{alias}`")).collect();
        let or_else = match aliases.as_slice() {
            [] => String::new(),
            aliases => format!(" Else {} is used.", aliases.join(", then ")),
        };
        table += &format!("| `{}`{flag} | {default} | {}{or_else} |\n", def.name, def.doc);
    }
    table
}

//! The text of the first start: where things are, and a command to try.
//!
//! The key itself is shown only once, when it was just made and stdout is a terminal; otherwise the file with the key
//! is named, because output to a pipe ends in a log.

use crate::data_dir::{Origin, StoredKey};
use crate::installation;
use crate::settings::Settings;
use std::path::Path;

/// The facts of a first start.
pub struct Welcome<'a> {
    /// The settings in force.
    pub settings: &'a Settings,
    /// The key and its origin.
    pub data_dir: &'a StoredKey,
    /// The address that the server listens on, for people.
    pub url: &'a str,
}

impl Welcome<'_> {
    /// The whole text.
    pub fn text(&self, terminal: bool) -> String {
        let (url, version) = (self.url, env!("CARGO_PKG_VERSION"));
        let (key_line, bearer) = self.key(terminal);
        let data = self.settings.data_dir.display();
        let engine = match installation::engine(self.settings) {
            "sqlite" => "SQLite",
            _ => "PostgreSQL",
        };
        format!(
            "Embudo {version} is ready. This is its first start.\n\
             \n\
             \x20 API       {url}/api/leads\n\
             \x20 form      {url}/\n\
             \x20 panel     {url}/panel\n\
             \x20 docs      {url}/docs\n\
             \x20 health    {url}/healthz\n\
             \x20 data      {data} ({engine})\n\
             \x20 API key   {key_line}\n\
             \n\
             Create a first lead:\n\
             \n\
             \x20 curl -sS {url}/api/leads \\\n\
             \x20   -H \"Authorization: Bearer {bearer}\" \\\n\
             \x20   -H 'Content-Type: application/json' \\\n\
             \x20   -d '{{\"nombre\":\"Ana García\",\"telefono\":\"612 34 56 78\",\"email\":\"ana@ejemplo.es\"}}'\n\
             \n"
        )
    }

    /// The line about the key, and how the command refers to it.
    fn key(&self, terminal: bool) -> (String, String) {
        let by_file = |path: &Path| format!("$(cat {})", quoted(path));
        match &self.data_dir.origin {
            Origin::Created(path) if terminal => {
                let key = self.data_dir.key.expose().to_owned();
                (format!("{key}\n            kept in {} (shown only this once)", path.display()), key)
            }
            Origin::Created(path) | Origin::File(path) => (format!("in {}", path.display()), by_file(path)),
            Origin::Setting => {
                let from = self.settings.source("FUNNEL_API_KEY");
                (format!("FUNNEL_API_KEY [from {from}]"), "$FUNNEL_API_KEY".to_owned())
            }
        }
    }
}

/// A path quoted for a shell, also inside double quotes.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "/._-".contains(c);
    if text.chars().all(plain) { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{ApiKey, Flags};
    use std::collections::HashMap;
    use std::path::PathBuf;

    fn text(origin: Origin, terminal: bool) -> String {
        let settings = Settings::load(&Flags::default(), &HashMap::new(), Path::new("/nonexistent")).unwrap();
        let data_dir = StoredKey { key: ApiKey::new("clave-secreta").unwrap(), origin };
        Welcome { settings: &settings, data_dir: &data_dir, url: "http://127.0.0.1:8080" }.text(terminal)
    }

    #[test]
    fn the_key_is_shown_only_to_a_person_and_only_when_it_is_new() {
        let file = PathBuf::from("./data/api-key");
        assert!(text(Origin::Created(file.clone()), true).contains("Bearer clave-secreta\""));
        for hidden in [
            text(Origin::Created(file.clone()), false),
            text(Origin::File(file.clone()), true),
            text(Origin::Setting, true),
        ] {
            assert!(!hidden.contains("clave-secreta"), "{hidden}");
        }
        assert!(text(Origin::File(file), true).contains("Bearer $(cat ./data/api-key)\""));
    }

    #[test]
    fn odd_paths_are_quoted() {
        assert_eq!(quoted(Path::new("./a b/it's")), r"'./a b/it'\''s'");
    }
}

//! Who receives the data of a company's clients, as its privacy text names them.

use serde::{Deserialize, Serialize};

/// The maximum length of the name of a recipient, in characters.
pub const MAX_RECIPIENT: usize = 200;

/// Kept as JSON among the company's settings.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Privacy {
    /// The company that generates pictures of the finished work from photos.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renders: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mensajeria: Option<String>,
    #[serde(rename = "correo", skip_serializing_if = "Option::is_none")]
    pub mail: Option<String>,
    #[serde(rename = "alojamiento", skip_serializing_if = "Option::is_none")]
    pub hosting: Option<String>,
    #[serde(rename = "otros", skip_serializing_if = "Option::is_none")]
    pub others: Option<String>,
    /// The day on which the company last changed its privacy text, or the recipients that it names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

impl Privacy {
    /// The fields that a person fills in, in the order in which they are shown.
    pub const NAMES: [&str; 5] = ["renders", "mensajeria", "correo", "alojamiento", "otros"];

    pub fn text(&self, name: &str) -> &str {
        let field = match name {
            "renders" => &self.renders,
            "mensajeria" => &self.mensajeria,
            "correo" => &self.mail,
            "alojamiento" => &self.hosting,
            "otros" => &self.others,
            _ => &None,
        };
        field.as_deref().unwrap_or_default()
    }

    /// Reads a field that somebody typed. An empty field names no recipient.
    pub fn write(&mut self, name: &str, typed: &str) -> Result<(), &'static str> {
        let line = typed.split_whitespace().collect::<Vec<_>>().join(" ");
        if line.chars().count() > MAX_RECIPIENT || line.chars().any(char::is_control) {
            return Err("Caben 200 letras.");
        }
        let line = Some(line).filter(|line| !line.is_empty());
        match name {
            "renders" => self.renders = line,
            "mensajeria" => self.mensajeria = line,
            "correo" => self.mail = line,
            "alojamiento" => self.hosting = line,
            "otros" => self.others = line,
            _ => return Err("Ese dato no se cambia aquí."),
        }
        Ok(())
    }

    /// The purpose for which each recipient gets data, and its name; only recipients that are named.
    pub fn named(&self) -> Vec<(&'static str, &str)> {
        let all = Self::NAMES.map(|name| (purpose(name), self.text(name)));
        all.into_iter().filter(|(_, who)| !who.is_empty()).collect()
    }
}

/// What a recipient does, for the client to read.
pub const fn purpose(name: &str) -> &'static str {
    match name.as_bytes() {
        b"renders" => "Imágenes orientativas de la reforma, a partir de tus fotos",
        b"mensajeria" => "Mensajes",
        b"correo" => "Correo electrónico",
        b"alojamiento" => "Alojamiento de los datos",
        _ => "Otros",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_who_are_named_are_told_with_what_they_do() {
        let mut privacy = Privacy::default();
        assert!(privacy.named().is_empty());
        for name in Privacy::NAMES {
            assert!(privacy.write(name, &"x".repeat(201)).is_err(), "{name}");
            privacy.write(name, &format!("  {name}   S.L. ")).expect("good");
            assert_eq!(privacy.text(name), format!("{name} S.L."));
        }
        privacy.write("correo", " ").expect("nobody");
        assert_eq!(privacy.named().len(), 4);
        assert_eq!(privacy.named()[0].1, "renders S.L.");
        assert!(privacy.write("version", "x").is_err());
    }
}

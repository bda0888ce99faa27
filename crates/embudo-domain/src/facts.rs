//! What is known of a lead and can be edited by a person: contact data and profile, field by field.
//!
//! Two people may edit at once. A change carries the values that its author saw ([`Facts`] before). It is applied only
//! if nobody else has changed the same field since.

use crate::columns::Cell;
use crate::contact::{Email, Telefono};
use crate::lead::Lead;
use crate::obra::Obra;
use crate::perfil::Perfil;

/// The longest value that a description of a change shows.
const MAX_SHOWN: usize = 400;

/// The contact data, by the names that the API gives them.
pub const CONTACT: [&str; 4] = ["nombre", "telefono", "email", "provincia"];

#[derive(Debug, Clone, PartialEq)]
pub struct Facts {
    pub nombre: String,
    pub telefono: Telefono,
    pub email: Email,
    pub provincia: Option<String>,
    pub perfil: Perfil,
    pub obra: Obra,
}

/// One changed field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FactChange {
    /// Its name on the wire.
    pub field: &'static str,
    pub before: Option<String>,
    pub after: Option<String>,
}

impl Facts {
    pub fn of(lead: &Lead) -> Self {
        Self {
            nombre: lead.nombre.clone(),
            telefono: Telefono { typed: lead.telefono.clone(), e164: lead.telefono_e164.clone() },
            email: Email { typed: lead.email.clone(), normal: lead.email.to_lowercase() },
            provincia: lead.provincia.clone(),
            perfil: lead.perfil.clone(),
            obra: lead.obra.clone(),
        }
    }
}

/// Something that several people edit, field by field.
pub trait Editable: Clone {
    /// The names of all its fields on the wire.
    fn names() -> impl Iterator<Item = &'static str>;

    /// A field as a text. `None`: the field is not known.
    fn text(&self, name: &str) -> Option<String>;

    /// Copies one field from `from`.
    fn take_over(&mut self, name: &str, from: &Self);

    /// The fields that differ from an earlier state.
    fn changes(&self, before: &Self) -> Vec<FactChange> {
        let change = |field| FactChange { field, before: before.text(field), after: self.text(field) };
        Self::names().map(change).filter(|change| change.before != change.after).collect()
    }

    /// This value with the changes that lead from `seen` to `edited`. `None` if somebody else has since changed one of
    /// these fields to a different value.
    fn with_changes(&self, seen: &Self, edited: &Self) -> Option<Self> {
        let mut merged = self.clone();
        for change in edited.changes(seen) {
            let now = self.text(change.field);
            if now != change.before && now != change.after {
                return None;
            }
            merged.take_over(change.field, edited);
        }
        Some(merged)
    }
}

impl Editable for Facts {
    fn names() -> impl Iterator<Item = &'static str> {
        let fields = Perfil::fields().iter().chain(Obra::fields());
        CONTACT.into_iter().chain(fields.map(|field| field.nombre))
    }

    fn text(&self, name: &str) -> Option<String> {
        match name {
            "nombre" => Some(self.nombre.clone()),
            "telefono" => Some(self.telefono.typed.clone()).filter(|_| !self.telefono.is_none()),
            "email" => Some(self.email.typed.clone()).filter(|_| !self.email.is_none()),
            "provincia" => self.provincia.clone(),
            _ => self.perfil.cell(name).or_else(|| self.obra.cell(name)).map(|cell| match cell {
                Cell::Text(text) => text.to_owned(),
                Cell::Boolean(true) => "sí".to_owned(),
                Cell::Boolean(false) => "no".to_owned(),
                Cell::Number(n) => n.to_string(),
                Cell::Integer(n) => n.to_string(),
                Cell::Instant(at) => at.to_string(),
            }),
        }
    }

    fn take_over(&mut self, name: &str, from: &Self) {
        match name {
            "nombre" => self.nombre.clone_from(&from.nombre),
            "telefono" => self.telefono.clone_from(&from.telefono),
            "email" => self.email.clone_from(&from.email),
            "provincia" => self.provincia.clone_from(&from.provincia),
            _ => {
                self.perfil.take_over(name, &from.perfil);
                self.obra.take_over(name, &from.obra);
            }
        }
    }
}

/// The values before and after some changes, as two texts for the audit log.
pub fn audit_texts(changes: &[FactChange]) -> (String, String) {
    let side = |of: fn(&FactChange) -> Option<&String>| {
        let word = |change: &FactChange| {
            let value = of(change).map_or("—", String::as_str);
            format!("{}: {}", change.field, value.chars().take(MAX_SHOWN).collect::<String>())
        };
        changes.iter().map(word).collect::<Vec<_>>().join("; ")
    };
    (side(|change| change.before.as_ref()), side(|change| change.after.as_ref()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perfil::Urgencia;

    fn facts() -> Facts {
        Facts {
            nombre: "Ana".into(),
            telefono: Telefono::parse("612345678").expect("a telephone"),
            email: Email::parse("ana@x.es").expect("an e-mail"),
            provincia: None,
            perfil: Perfil { m2_suelo: Some(5.5), ..Perfil::default() },
            obra: Obra::default(),
        }
    }

    #[test]
    fn changes_of_different_fields_go_together_and_of_the_same_do_not() {
        let seen = facts();
        let mut mine = seen.clone();
        mine.provincia = Some("Madrid".into());
        mine.perfil.m2_suelo = None;
        let mut now = seen.clone();
        now.perfil.urgencia = Some(Urgencia::Alta);
        let merged = now.with_changes(&seen, &mine).expect("nobody else changed these");
        assert_eq!(merged.perfil, Perfil { urgencia: Some(Urgencia::Alta), ..Perfil::default() });
        assert_eq!(merged.provincia.as_deref(), Some("Madrid"));

        now.provincia = Some("Madrid".into());
        assert!(now.with_changes(&seen, &mine).is_some(), "the same change twice is one");
        now.provincia = Some("Cuenca".into());
        assert_eq!(now.with_changes(&seen, &mine), None);
    }

    #[test]
    fn changes_are_told_by_both_sides() {
        let (seen, mut mine) = (facts(), facts());
        mine.perfil.m2_suelo = Some(7.0);
        mine.perfil.viable = Some(true);
        mine.obra.ascensor = Some(false);
        let (before, after) = audit_texts(&mine.changes(&seen));
        assert_eq!(before, "viable: —; m2Suelo: 5.5; ascensor: —");
        assert_eq!(after, "viable: sí; m2Suelo: 7; ascensor: no");
    }
}

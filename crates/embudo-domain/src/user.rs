//! A person who signs in.

use jiff::Timestamp;

use crate::contact::Email;
use crate::role::{Membership, Permission, Role};
use crate::{EmpresaId, UserId};

/// The maximum length of a person's name, in characters.
pub const MAX_NAME: usize = 100;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    pub id: UserId,
    pub email: Email,
    pub nombre: String,
    /// Whether they may do everything in every company.
    pub is_admin: bool,
    /// Whether they may sign in at all.
    pub is_active: bool,
    /// Whether they have chosen a password; an invited person has none yet.
    pub has_password: bool,
    /// Whether their sign-in asks for a second factor.
    pub has_totp: bool,
    pub creado_en: Timestamp,
    /// Their companies, sorted by the company's id.
    pub memberships: Vec<Membership>,
}

impl User {
    /// The person's role in a company; `None` if they do not belong to it.
    pub fn role_in(&self, empresa: EmpresaId) -> Option<Role> {
        if self.is_admin {
            return Some(Role::Administrador);
        }
        self.memberships.iter().find(|m| m.empresa == empresa).map(|m| m.role)
    }

    /// Whether they may sign in and have this permission in a company.
    pub fn may(&self, empresa: EmpresaId, permission: Permission) -> bool {
        self.is_active && self.role_in(empresa).is_some_and(|role| role.may(permission))
    }

    /// Whether leads of a company may be assigned to them.
    pub fn works_in(&self, empresa: EmpresaId) -> bool {
        self.may(empresa, Permission::WorkLeads)
    }

    /// Whether they may be assigned to visits of a company.
    pub fn goes_in(&self, empresa: EmpresaId) -> bool {
        self.may(empresa, Permission::GoOnVisits)
    }
}

/// Reads a person's name: one line, not empty, of limited length.
pub fn parse_name(text: &str) -> Result<String, &'static str> {
    let name = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if name.is_empty() {
        return Err("Escribe un nombre.");
    }
    if name.chars().count() > MAX_NAME || name.chars().any(char::is_control) {
        return Err("El nombre es demasiado largo: caben 100 letras.");
    }
    Ok(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_one_line() {
        assert_eq!(parse_name("  Ana \n García "), Ok("Ana García".to_owned()));
        assert!(parse_name(" \t").is_err());
        assert!(parse_name(&"ñ".repeat(101)).is_err());
        assert!(parse_name("a\0b").is_err());
    }
}

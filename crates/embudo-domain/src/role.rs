//! What a person may do in a company.

use crate::EmpresaId;

enumeration! {
    /// What a person may do; each may do all that those before it may.
    Role {
        /// Sees everything, changes nothing.
        Lectura = "lectura",
        /// Works with leads, quotes and visits.
        Comercial = "comercial",
        /// Runs the company: prices, texts, outbox, figures.
        Gestor = "gestor",
        /// Belongs to the installation, not to a company: people, and everything in every company.
        Administrador = "administrador",
    }
}

impl Role {
    /// What a person can be in a company.
    pub const IN_EMPRESA: [Self; 3] = [Self::Lectura, Self::Comercial, Self::Gestor];

    /// The role of a membership; nobody is an administrator of one company.
    pub fn parse_in_empresa(word: &str) -> Option<Self> {
        Self::parse(word).filter(|role| Self::IN_EMPRESA.contains(role))
    }

    /// What the role allows, as the panel shows it.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Lectura => "ve todo, sin cambiar nada",
            Self::Comercial => "trabaja con leads, presupuestos y visitas",
            Self::Gestor => "además, lleva precios, textos, envíos y cifras",
            Self::Administrador => "todo, en todas las empresas, y las personas",
        }
    }
}

/// A person's place in a company.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Membership {
    pub empresa: EmpresaId,
    pub role: Role,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_role_holds_the_ones_before() {
        assert!(Role::Lectura < Role::Comercial && Role::Comercial < Role::Gestor);
        assert!(Role::Gestor < Role::Administrador);
        assert_eq!(Role::parse_in_empresa("gestor"), Some(Role::Gestor));
        assert_eq!(Role::parse_in_empresa("administrador"), None);
    }
}

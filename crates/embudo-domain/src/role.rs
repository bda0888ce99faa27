//! What a person may do in a company: a role is a set of permissions.

use crate::EmpresaId;

enumeration! {
    /// The role of a person in a company. Roles are not ordered: ask [`Role::may`].
    Role {
        /// Works on site: the visits and works that they take part in, and nothing else.
        Obra = "obra",
        /// Sees leads, calendar, quotes and figures, without costs and margins, and changes nothing.
        Lectura = "lectura",
        /// Works with leads, quotes and visits.
        Comercial = "comercial",
        /// Runs the company: prices, texts, outbox, figures.
        Gestor = "gestor",
        /// Belongs to the installation, not to a company: manages people, and may do everything in every company.
        Administrador = "administrador",
    }
}

/// One thing that a person may do in a company. The panel's table of routes names the permission that each address
/// needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permission {
    /// Sees the visits to which they are assigned, with address, contact, photos, measurements and the accepted scope.
    SeeOwnVisits,
    /// May be assigned to visits, and adds photos, notes and measurements there.
    GoOnVisits,
    /// Sees everybody's visits.
    SeeVisits,
    /// Creates, moves, cancels and closes visits.
    PlanVisits,
    /// Sees every lead: inbox, search, chat, photos, and notices about them.
    SeeLeads,
    /// Works with leads, and may be in charge of one.
    WorkLeads,
    /// Sees quotes with their prices.
    SeeQuotes,
    WriteQuotes,
    SeeFigures,
    /// Sees what the company earns.
    SeeMargins,
    /// Exports lists from the panel, and manages the data that is kept about a person.
    KeepData,
    /// Sees what is sent, and may send it again.
    RunOutbox,
    /// Sets the company's data, look, prices, texts, form, connections and notices.
    RunCompany,
    /// Manages people, the audit log, and blocked data.
    Administer,
}

use Permission::{
    Administer, GoOnVisits, KeepData, PlanVisits, RunCompany, RunOutbox, SeeFigures, SeeLeads, SeeMargins,
    SeeOwnVisits, SeeQuotes, SeeVisits, WorkLeads, WriteQuotes,
};

impl Permission {
    pub const ALL: [Self; 14] = [
        SeeOwnVisits,
        GoOnVisits,
        SeeVisits,
        PlanVisits,
        SeeLeads,
        WorkLeads,
        SeeQuotes,
        WriteQuotes,
        SeeFigures,
        SeeMargins,
        KeepData,
        RunOutbox,
        RunCompany,
        Administer,
    ];
}

impl Role {
    /// The roles that a person can have in a company.
    pub const IN_EMPRESA: [Self; 4] = [Self::Obra, Self::Lectura, Self::Comercial, Self::Gestor];

    /// The role of a membership. Nobody is the administrator of a single company.
    pub fn parse_in_empresa(word: &str) -> Option<Self> {
        Self::parse(word).filter(|role| Self::IN_EMPRESA.contains(role))
    }

    /// The permissions of the role.
    pub const fn permissions(self) -> &'static [Permission] {
        match self {
            Self::Obra => &[SeeOwnVisits, GoOnVisits],
            Self::Lectura => &[SeeOwnVisits, SeeVisits, SeeLeads, SeeQuotes, SeeFigures],
            Self::Comercial => &[
                SeeOwnVisits,
                GoOnVisits,
                SeeVisits,
                PlanVisits,
                SeeLeads,
                WorkLeads,
                SeeQuotes,
                WriteQuotes,
                SeeFigures,
            ],
            Self::Gestor => &[
                SeeOwnVisits,
                GoOnVisits,
                SeeVisits,
                PlanVisits,
                SeeLeads,
                WorkLeads,
                SeeQuotes,
                WriteQuotes,
                SeeFigures,
                SeeMargins,
                KeepData,
                RunOutbox,
                RunCompany,
            ],
            Self::Administrador => &Permission::ALL,
        }
    }

    pub fn may(self, permission: Permission) -> bool {
        self.permissions().contains(&permission)
    }

    /// What the role allows, as the panel shows it.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Obra => "ve sus visitas y obras, sin precios, y añade fotos, notas y medidas",
            Self::Lectura => "ve leads, calendario, presupuestos y cifras, sin cambiar nada",
            Self::Comercial => "trabaja con leads, presupuestos y visitas",
            Self::Gestor => "además, lleva precios, textos, envíos y márgenes",
            Self::Administrador => "todo, en todas las empresas, y las personas",
        }
    }
}

/// A person's membership in a company.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Membership {
    pub empresa: EmpresaId,
    pub role: Role,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_companies_have_members() {
        assert_eq!(Role::parse_in_empresa("gestor"), Some(Role::Gestor));
        assert_eq!(Role::parse_in_empresa("obra"), Some(Role::Obra));
        assert_eq!(Role::parse_in_empresa("administrador"), None);
    }

    #[test]
    fn a_worker_sees_their_own_visits_and_no_price() {
        assert_eq!(Role::Obra.permissions(), [SeeOwnVisits, GoOnVisits]);
        assert!(Role::IN_EMPRESA.into_iter().all(|role| role.may(SeeOwnVisits) && !role.may(Administer)));
    }

    #[test]
    fn a_reader_changes_nothing_and_sees_no_margin() {
        let writes =
            [GoOnVisits, PlanVisits, WorkLeads, WriteQuotes, SeeMargins, KeepData, RunOutbox, RunCompany];
        assert!(writes.into_iter().all(|permission| !Role::Lectura.may(permission)));
        assert!([SeeVisits, SeeLeads, SeeQuotes, SeeFigures].into_iter().all(|p| Role::Lectura.may(p)));
    }

    #[test]
    fn each_permission_is_in_the_list_once() {
        let twice = |p: &Permission| Permission::ALL.iter().filter(|other| *other == p).count() != 1;
        assert!(!Permission::ALL.iter().any(twice));
        for role in Role::IN_EMPRESA {
            assert!(role.permissions().iter().all(|p| Permission::ALL.contains(p)), "{role}");
        }
    }
}

//! Who wants which notices.

use embudo_domain::notice::{Recipient, Topics};
use embudo_domain::{EmpresaId, LeadId, UserId};

use super::Query;
use crate::rows;

/// The people who ever chose notices of a company, may sign in, and belong to it or are administrators; in no order.
fn entitled() -> Query<Recipient> {
    Query::new(include_str!("../../sql/aviso_persona/list.sql"), rows::recipient)
        .only("usuario.activo = true")
        .only("(usuario.administrador = true OR p.rol IS NOT NULL)")
}

pub fn recipients(empresa: EmpresaId) -> Query<Recipient> {
    entitled().only("c.empresa_id = :empresa").bind("empresa", empresa.0)
}

pub fn choices_of(user: UserId) -> Query<Recipient> {
    entitled().only("c.usuario_id = :usuario").bind("usuario", user.0)
}

/// The companies of which a person ever chose notices, even if the person does not belong to them.
pub fn chosen_by(user: UserId) -> Query<EmpresaId> {
    let text = include_str!("../../sql/aviso_persona/empresas.sql");
    Query::new(text, |c| Ok(EmpresaId(c.get("empresa_id")?))).bind("usuario", user.0)
}

/// The topics that at least one of these people wants, if they may get notices about leads.
pub fn union(recipients: &[Recipient]) -> Topics {
    let both = |recipient: &Recipient| recipient.choice.topics.and(recipient.choice.on_devices);
    let hearing = recipients.iter().filter(|recipient| recipient.may_hear());
    hearing.fold(Topics::NONE, |all, recipient| all.and(both(recipient)))
}

pub fn assigned_to(lead: LeadId) -> Query<Option<UserId>> {
    let text = include_str!("../../sql/lead_gestion/assigned.sql");
    Query::new(text, |c| Ok(c.get::<Option<_>>("asignado_id")?.map(UserId))).bind("lead", lead.0)
}

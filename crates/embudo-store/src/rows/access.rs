//! People, their sessions, and the audit log.

use std::net::IpAddr;

use embudo_domain::audit::{AuditAction, AuditEntry};
use embudo_domain::contact::Email;
use embudo_domain::notice::{NoticeChoice, Recipient, Topics};
use embudo_domain::push::{PushDevice, PushTarget};
use embudo_domain::role::{Membership, Role};
use embudo_domain::session::Session;
use embudo_domain::user::User;
use embudo_domain::{AuditId, EmpresaId, PushId, SessionId, UserId};

use crate::Result;
use crate::credentials::{StoredCredentials, StoredTotp};
use crate::row::{Columns, damaged};

/// A person without their companies.
pub fn user(c: &Columns<'_>) -> Result<User> {
    Ok(User {
        id: UserId(c.get("id")?),
        email: Email { typed: c.get("email")?, normal: c.get("email_normal")? },
        nombre: c.get("nombre")?,
        is_admin: c.get("administrador")?,
        is_active: c.get("activo")?,
        has_password: c.get("tiene_clave")?,
        has_totp: c.get("tiene_totp")?,
        creado_en: c.get("creado_en")?,
        memberships: Vec::new(),
    })
}

pub fn membership(c: &Columns<'_>) -> Result<(UserId, Membership)> {
    let membership =
        Membership { empresa: EmpresaId(c.get("empresa_id")?), role: c.word("rol", Role::parse_in_empresa)? };
    Ok((UserId(c.get("usuario_id")?), membership))
}

pub fn recipient(c: &Columns<'_>) -> Result<Recipient> {
    let role = match c.get("administrador")? {
        true => Role::Administrador,
        false => c.word("rol", Role::parse_in_empresa)?,
    };
    let choice = NoticeChoice {
        topics: c.word("elegidos", Topics::parse)?,
        on_devices: c.word("en_dispositivos", Topics::parse)?,
        only_assigned: c.get("solo_asignados")?,
    };
    Ok(Recipient {
        empresa: EmpresaId(c.get("empresa_id")?),
        user: UserId(c.get("usuario_id")?),
        nombre: c.get("nombre")?,
        email: c.get("email")?,
        role,
        choice,
    })
}

pub fn push_device(c: &Columns<'_>) -> Result<PushDevice> {
    let bytes = |name| c.get::<Vec<u8>>(name);
    Ok(PushDevice {
        id: PushId(c.get("id")?),
        user: UserId(c.get("usuario_id")?),
        session: SessionId(c.get("sesion_id")?),
        target: PushTarget {
            endpoint: c.get("endpoint")?,
            p256dh: bytes("p256dh")?.try_into().map_err(|_| damaged("p256dh"))?,
            auth: bytes("auth")?.try_into().map_err(|_| damaged("auth"))?,
        },
        agent: c.get("agente")?,
        creado_en: c.get("creado_en")?,
        usado_en: c.get("usado_en")?,
    })
}

pub fn credentials(c: &Columns<'_>) -> Result<StoredCredentials> {
    let totp = match c.get::<Option<Vec<u8>>>("secreto")? {
        Some(secret) => Some(StoredTotp { secret, last_step: c.get("ultimo_paso")? }),
        None => None,
    };
    Ok(StoredCredentials { password: c.get("clave")?, totp, codes: c.get("codigos")? })
}

pub fn session(c: &Columns<'_>) -> Result<Session> {
    Ok(Session {
        id: SessionId(c.get("id")?),
        user: UserId(c.get("usuario_id")?),
        empresa: c.get::<Option<_>>("empresa_id")?.map(EmpresaId),
        own_device: c.get("propio")?,
        halfway: c.get("a_medias")?,
        agent: c.get("agente")?,
        ip: c.word_opt("ip", read_ip)?,
        creada_en: c.get("creada_en")?,
        usada_en: c.get("usada_en")?,
        expira_en: c.get("expira_en")?,
    })
}

pub fn audit_entry(c: &Columns<'_>) -> Result<AuditEntry> {
    Ok(AuditEntry {
        id: AuditId(c.get("id")?),
        at: c.get("en")?,
        user: c.get::<Option<_>>("usuario_id")?.map(UserId),
        who: c.get("quien")?,
        empresa: c.get::<Option<_>>("empresa_id")?.map(EmpresaId),
        action: c.word("accion", AuditAction::parse)?,
        object: c.get("objeto")?,
        ip: c.word_opt("ip", read_ip)?,
        before: c.get("antes")?,
        after: c.get("despues")?,
    })
}

pub(super) fn read_ip(text: &str) -> Option<IpAddr> {
    text.parse().ok()
}

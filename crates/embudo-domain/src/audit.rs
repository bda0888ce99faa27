//! What people changed: who, when, from where, what, before and after.

use std::net::IpAddr;

use jiff::Timestamp;

use crate::{AuditId, EmpresaId, UserId};

enumeration! {
    /// What somebody did. A new kind of change is a line here and its words in [`AuditAction::words`].
    AuditAction {
        SetUp = "puesta_en_marcha",
        SignedIn = "sesion_iniciada",
        SignedOut = "sesion_cerrada",
        SessionEnded = "sesion_terminada",
        NameChanged = "nombre_cambiado",
        PasswordChanged = "clave_cambiada",
        ResetAsked = "clave_olvidada",
        PasswordReset = "clave_recuperada",
        TotpOn = "segundo_factor_activado",
        TotpOff = "segundo_factor_quitado",
        CodesRenewed = "codigos_renovados",
        CodeSpent = "codigo_gastado",
        UserCreated = "usuario_creado",
        UserChanged = "usuario_cambiado",
        UserInvited = "usuario_invitado",
        LeadsAssigned = "leads_asignados",
        LeadsArchived = "leads_archivados",
        LeadsReopened = "leads_reabiertos",
        LeadsExported = "leads_exportados",
        JobRetried = "envio_reintentado",
        JobDiscarded = "envio_descartado",
        JobTakenAsSent = "envio_dado_por_enviado",
        JobRepeated = "envio_repetido",
        DestinationPaused = "destino_pausado",
        DestinationResumed = "destino_reanudado",
        LeadCreated = "lead_creado",
        LeadChanged = "lead_cambiado",
        LeadMessaging = "lead_mensajeria",
        LeadComplete = "lead_perfil_completo",
        LeadResignalled = "lead_resenalado",
        LeadFinalized = "lead_finalizado",
        LeadCalled = "lead_llamada",
        LeadPhotos = "lead_fotos",
    }
}

impl AuditAction {
    /// What happened, for people.
    pub fn words(self) -> &'static str {
        match self {
            Self::SetUp => "Puso en marcha el panel",
            Self::SignedIn => "Entró",
            Self::SignedOut => "Salió",
            Self::SessionEnded => "Cerró sesiones",
            Self::NameChanged => "Cambió su nombre",
            Self::PasswordChanged => "Cambió su contraseña",
            Self::ResetAsked => "Pidió recuperar su contraseña",
            Self::PasswordReset => "Eligió una contraseña con su enlace",
            Self::TotpOn => "Activó el segundo factor",
            Self::TotpOff => "Quitó el segundo factor",
            Self::CodesRenewed => "Renovó los códigos de recuperación",
            Self::CodeSpent => "Entró con un código de recuperación",
            Self::UserCreated => "Dio de alta a una persona",
            Self::UserChanged => "Cambió los permisos de una persona",
            Self::UserInvited => "Hizo un enlace para que una persona elija contraseña",
            Self::LeadsAssigned => "Asignó leads",
            Self::LeadsArchived => "Archivó leads",
            Self::LeadsReopened => "Reabrió leads",
            Self::LeadsExported => "Exportó leads",
            Self::JobRetried => "Volvió a poner en marcha un envío",
            Self::JobDiscarded => "Descartó un envío",
            Self::JobTakenAsSent => "Dio por enviado un correo",
            Self::JobRepeated => "Repitió un envío",
            Self::DestinationPaused => "Puso en pausa un destino",
            Self::DestinationResumed => "Reanudó un destino",
            Self::LeadCreated => "Dio de alta un lead",
            Self::LeadChanged => "Cambió datos de un lead",
            Self::LeadMessaging => "Inició la mensajería con un lead",
            Self::LeadComplete => "Marcó completo el perfil de un lead",
            Self::LeadResignalled => "Volvió a señalar el perfil de un lead",
            Self::LeadFinalized => "Hizo y envió el presupuesto de un lead",
            Self::LeadCalled => "Apuntó una llamada a un lead",
            Self::LeadPhotos => "Añadió fotos a un lead",
        }
    }
}

/// One line of the audit log. It holds no password, code or token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    pub id: AuditId,
    pub at: Timestamp,
    /// Who did it; nobody signed in: a command on the server.
    pub user: Option<UserId>,
    /// What that person was called then.
    pub who: String,
    /// In which company; none: in the installation.
    pub empresa: Option<EmpresaId>,
    pub action: AuditAction,
    /// To whom or what it was done, if not to oneself.
    pub object: Option<String>,
    pub ip: Option<IpAddr>,
    pub before: Option<String>,
    pub after: Option<String>,
}

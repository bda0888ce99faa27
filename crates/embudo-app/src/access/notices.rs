//! Who gets which notices: people choose for themselves, managers choose for the company's own address.

use embudo_domain::EmpresaId;
use embudo_domain::audit::AuditAction;
use embudo_domain::empresa::Empresa;
use embudo_domain::notice::{NoticeChoice, SharedNotices, Topics};
use embudo_store::notices::{ChooseNotices, SetSharedNotices};

use super::{Access, Actor, OpenSession, Origin, Result};

impl Access<'_> {
    /// Stores which notices of a company a person wants.
    pub async fn choose_notices(
        self,
        open: &OpenSession,
        empresa: &Empresa,
        choice: NoticeChoice,
        origin: &Origin,
    ) -> Result<()> {
        let user = &open.user;
        let kept = self.app.store.choices_of(user.id).await?;
        let before = kept.iter().find(|kept| kept.empresa == empresa.id).map(|kept| kept.choice);
        let before = before.unwrap_or_default();
        if before == choice {
            return Ok(());
        }
        let mut audit = self.audit(&Actor::person(user, origin), AuditAction::NoticesChosen);
        audit.empresa = Some(empresa.id);
        audit.object = Some(empresa.nombre.clone());
        (audit.before, audit.after) = (Some(audit_text(before)), Some(audit_text(choice)));
        let command = ChooseNotices { user: user.id, empresa: empresa.id, choice, audit };
        Ok(self.app.store.choose_notices(command).await?)
    }

    /// Sets which notices a company's own address gets. Returns `false` and stores nothing if somebody changed it since
    /// `before`.
    pub async fn set_shared_notices(
        self,
        empresa: EmpresaId,
        before: SharedNotices,
        after: SharedNotices,
        actor: &Actor,
    ) -> Result<bool> {
        let mut audit = self.audit(actor, AuditAction::EmpresaNoticesSet);
        audit.empresa = Some(empresa);
        (audit.before, audit.after) = (Some(shared(&before)), Some(shared(&after)));
        let command = SetSharedNotices { empresa, before, after, audit };
        Ok(self.app.store.set_shared_notices(command).await?)
    }
}

fn audit_text(choice: NoticeChoice) -> String {
    let only = if choice.only_assigned { "; solo de sus leads" } else { "" };
    let devices = match choice.on_devices {
        Topics::NONE => String::new(),
        topics => format!("; en sus dispositivos: {}", topics.label()),
    };
    format!("{}{devices}{only}", choice.topics.label())
}

fn shared(notices: &SharedNotices) -> String {
    format!("{}: {}", notices.email.as_deref().unwrap_or("sin correo"), notices.topics.label())
}

//! Who gets which notices by mail.

use async_trait::async_trait;
use embudo_domain::notice::{Recipient, Topics};
use embudo_domain::{EmpresaId, LeadId, UserId};
use embudo_store::notices::{ChooseNotices, SetSharedNotices};
use embudo_store::{NoticeReads, NoticeStore, Result, StoreError};

use super::Memory;

impl Memory {
    /// Stores for each company the topics that at least one of its people wants.
    pub(super) fn gather(&self) {
        let choices = self.people().entitled();
        for empresa in &mut self.world().empresas {
            let own = choices.iter().filter(|choice| choice.empresa == empresa.id && choice.may_hear());
            let topics = own.map(|own| own.choice.topics.and(own.choice.on_devices));
            empresa.personal_topics = topics.fold(Topics::NONE, Topics::and);
        }
    }
}

#[async_trait]
impl NoticeStore for Memory {
    async fn choose_notices(&self, command: ChooseNotices) -> Result<()> {
        let ChooseNotices { user, empresa, choice, audit } = command;
        drop(self.company_of(empresa).map_err(|_| StoreError::UserNotFound)?);
        self.people().choose(user, empresa, choice, audit)?;
        self.gather();
        Ok(())
    }

    async fn set_shared_notices(&self, command: SetSharedNotices) -> Result<bool> {
        let mut world = self.world();
        let found = world.empresas.iter_mut().find(|e| e.id == command.empresa);
        let empresa = found.ok_or(StoreError::EmpresaNotFound)?;
        if empresa.shared() != command.before {
            return Ok(false);
        }
        (empresa.notices, empresa.topics) = command.columns(empresa.topics);
        empresa.email_avisos = command.after.email;
        self.people().note(command.audit);
        Ok(true)
    }
}

#[async_trait]
impl NoticeReads for Memory {
    async fn recipients(&self, empresa: EmpresaId) -> Result<Vec<Recipient>> {
        let mut all = self.people().entitled();
        all.retain(|recipient| recipient.empresa == empresa);
        all.sort_by_key(|recipient| recipient.nombre.clone());
        Ok(all)
    }

    async fn choices_of(&self, user: UserId) -> Result<Vec<Recipient>> {
        let mut all = self.people().entitled();
        all.retain(|recipient| recipient.user == user);
        Ok(all)
    }

    /// The model does not keep who is assigned to a lead.
    async fn assigned_to(&self, _: LeadId) -> Result<Option<UserId>> {
        unimplemented!()
    }
}

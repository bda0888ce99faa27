//! Who gets which notices: a company's own address, and each person in the company as they choose.

use async_trait::async_trait;
use embudo_domain::audit::AuditEntry;
use embudo_domain::notice::{NoticeChoice, SharedNotices, Topics};
use embudo_domain::{EmpresaId, UserId};

use crate::Result;

/// A person's choice for one company.
#[derive(Debug, Clone)]
pub struct ChooseNotices {
    pub user: UserId,
    pub empresa: EmpresaId,
    pub choice: NoticeChoice,
    pub audit: AuditEntry,
}

/// Sets what a company's own address gets from now on.
#[derive(Debug, Clone)]
pub struct SetSharedNotices {
    pub empresa: EmpresaId,
    /// The values that the form showed. If they have changed since, nothing is written.
    pub before: SharedNotices,
    /// Without topics the address gets nothing until somebody chooses again; the former topics are remembered.
    pub after: SharedNotices,
    pub audit: AuditEntry,
}

impl SetSharedNotices {
    /// The columns to write: whether the address wants notices, and of which topics. `kept` are the topics so far.
    pub fn columns(&self, kept: Topics) -> (bool, Topics) {
        match self.after.topics {
            Topics::NONE => (false, kept),
            topics => (true, topics),
        }
    }
}

/// Notices by mail and on devices.
///
/// With every change, and when a person joins, leaves or changes role, the engine stores which topics at least one
/// person of a company wants ([`Empresa::personal_topics`](embudo_domain::empresa::Empresa::personal_topics)), so that
/// a notice that nobody wants is not made.
#[async_trait]
pub trait NoticeStore: Send + Sync + 'static {
    /// [`crate::StoreError::UserNotFound`] if there is no such person or company.
    async fn choose_notices(&self, command: ChooseNotices) -> Result<()>;
    /// `false`, and nothing is written, if the current values are not `before`. [`crate::StoreError::EmpresaNotFound`].
    async fn set_shared_notices(&self, command: SetSharedNotices) -> Result<bool>;
}

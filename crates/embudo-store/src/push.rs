//! Devices that are told of things by web push, and the key that speaks to their push services.

use async_trait::async_trait;
use embudo_domain::audit::AuditEntry;
use embudo_domain::notice::Topics;
use embudo_domain::push::PushDevice;
use embudo_domain::{EmpresaId, PushId, Timestamp, UserId};

use crate::Result;

/// A device on which a person switches notices on.
#[derive(Debug, Clone)]
pub struct Subscribe {
    pub device: PushDevice,
    /// What they want to see on their devices, of which companies, if they have not chosen anything yet.
    pub topics: Topics,
    pub empresas: Vec<EmpresaId>,
    pub audit: AuditEntry,
}

/// Web push.
///
/// A device goes with the session that it belongs to where somebody ends that: signs out, closes it from the list,
/// changes the password. A session that runs out leaves it, because a telephone in a pocket is to be told.
#[async_trait]
pub trait PushStore: Send + Sync + 'static {
    /// The installation's key pair: `proposed` if there was none, the one that is kept otherwise. Safe to call from
    /// several processes.
    async fn ensure_push_key(&self, proposed: Vec<u8>) -> Result<Vec<u8>>;
    /// Adds a device. The same endpoint is the same device, whosever it was; above
    /// [`MAX_DEVICES`](embudo_domain::push::MAX_DEVICES) the one goes that was used longest ago.
    /// [`crate::StoreError::UserNotFound`] if its person is not there or may not sign in.
    async fn subscribe(&self, command: Subscribe) -> Result<()>;
    /// Removes a device of a person; `false` if they have no such device.
    async fn unsubscribe(&self, user: UserId, id: PushId, audit: AuditEntry) -> Result<bool>;
    /// Removes a device whose push service knows it no more.
    async fn forget_device(&self, id: PushId) -> Result<()>;
    /// Writes down that its push service took something.
    async fn touch_device(&self, id: PushId, at: Timestamp) -> Result<()>;
}

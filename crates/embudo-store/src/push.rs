//! Devices that get notices by web push, and the key for their push services.

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
    /// The topics that the person wants on devices, for these companies, if they have not chosen anything yet.
    pub topics: Topics,
    pub empresas: Vec<EmpresaId>,
    pub audit: AuditEntry,
}

/// Web push.
///
/// A device is removed with its session when a person ends the session: signs out, closes it from the list, changes the
/// password. If the session expires, the device stays, because a telephone in a pocket should still get notices.
#[async_trait]
pub trait PushStore: Send + Sync + 'static {
    /// The installation's key pair: stores `proposed` if there is none, and returns the stored one otherwise. Safe to
    /// call from several processes.
    async fn ensure_push_key(&self, proposed: Vec<u8>) -> Result<Vec<u8>>;
    /// Adds a device. The same endpoint is the same device, even if it belonged to another person; above
    /// [`MAX_DEVICES`](embudo_domain::push::MAX_DEVICES) the device that was used longest ago is removed.
    /// [`crate::StoreError::UserNotFound`] if its person does not exist or may not sign in.
    async fn subscribe(&self, command: Subscribe) -> Result<()>;
    /// Removes a device of a person; `false` if they have no such device.
    async fn unsubscribe(&self, user: UserId, id: PushId, audit: AuditEntry) -> Result<bool>;
    /// Removes a device that its push service does not know any more.
    async fn forget_device(&self, id: PushId) -> Result<()>;
    /// Records that the push service accepted a message for the device.
    async fn touch_device(&self, id: PushId, at: Timestamp) -> Result<()>;
}

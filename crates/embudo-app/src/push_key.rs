//! The installation's key for web push. It is created when it is first needed, and stored with the other secrets in the
//! database. So every process signs with the same key, and a backup contains it.

use std::sync::Arc;

use embudo_delivery::PushKey;
use embudo_store::StoreError;
use tokio::sync::OnceCell;

use crate::App;

/// The cached key of this process.
#[derive(Default)]
pub(crate) struct KnownPushKey(OnceCell<Arc<PushKey>>);

impl App {
    pub(crate) async fn push_key(&self) -> Result<Arc<PushKey>, StoreError> {
        let known = self.known_push_key.0.get_or_try_init(|| async {
            let kept = self.store.ensure_push_key(PushKey::generate()).await?;
            let key = PushKey::read(&kept).map_err(|error| StoreError::Internal(error.to_string()))?;
            Ok::<_, StoreError>(Arc::new(key))
        });
        known.await.cloned()
    }

    /// A contact that push services can use if there is a problem with our messages.
    pub(crate) fn push_contact(&self) -> Option<String> {
        let outbound = &self.outbound;
        let address = outbound.links.as_ref().map(|links| links.public_url.clone());
        let mail = || outbound.mail.as_ref().map(|mail| format!("mailto:{}", mail.from));
        address.filter(|url| url.starts_with("https://")).or_else(mail)
    }
}

//! Browsers in which somebody has signed in: each has its own quota of attempts, so that strangers who use theirs up
//! lock nobody out.

use embudo_delivery::Pass;
use embudo_domain::Digest;
use embudo_domain::user::User;
use jiff::SignedDuration;

use super::{Access, Result};

/// How long a browser is known after somebody has signed in there.
pub const DEVICE_LIFE: SignedDuration = SignedDuration::from_hours(180 * 24);

/// A browser that somebody has signed in with.
#[derive(Debug, Clone)]
pub struct KnownDevice {
    /// As what its attempts are counted.
    pub token_digest: Digest,
    /// Who signed in there last.
    pub user: User,
}

impl Access<'_> {
    /// The pass that a browser keeps once this person has signed in there. It opens nothing.
    pub(super) fn device_pass(self, user: &User) -> String {
        self.app.outbound.passes.write(Pass::Device(user.id), Some(self.app.now() + DEVICE_LIFE))
    }

    /// The browser that shows such a pass, if its person may still sign in.
    pub async fn known_device(self, pass: &str) -> Result<Option<KnownDevice>> {
        let Ok(Pass::Device(user)) = self.app.outbound.passes.read(pass, self.app.now()) else {
            return Ok(None);
        };
        let user = self.app.store.user(user).await?.filter(|user| user.is_active);
        Ok(user.map(|user| KnownDevice { token_digest: Digest::of(pass.as_bytes()), user }))
    }
}

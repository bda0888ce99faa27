//! Browsers in which a person has signed in. Each has its own quota of attempts, so that strangers who use up their own
//! quota lock nobody out.

use embudo_delivery::Pass;
use embudo_domain::Digest;
use embudo_domain::user::User;
use jiff::SignedDuration;

use super::{Access, Result};

/// How long a browser is known after a person has signed in there.
pub const DEVICE_LIFE: SignedDuration = SignedDuration::from_hours(180 * 24);

/// A browser in which a person has signed in.
#[derive(Debug, Clone)]
pub struct KnownDevice {
    /// The key under which its attempts are counted.
    pub token_digest: Digest,
    /// The person for whom the browser's pass was written.
    pub user: User,
}

impl Access<'_> {
    /// The pass that a browser stores after this person has signed in there. It gives no access to anything.
    pub(super) fn device_pass(self, user: &User) -> String {
        self.app.outbound.passes.write(Pass::Device(user.id), Some(self.app.now() + DEVICE_LIFE))
    }

    /// The browser that presents such a pass, if its person may still sign in.
    pub async fn known_device(self, pass: &str) -> Result<Option<KnownDevice>> {
        let Ok(Pass::Device(user)) = self.app.outbound.passes.read(pass, self.app.now()) else {
            return Ok(None);
        };
        let user = self.app.store.user(user).await?.filter(|user| user.is_active);
        Ok(user.map(|user| KnownDevice { token_digest: Digest::of(pass.as_bytes()), user }))
    }
}

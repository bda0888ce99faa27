//! Limits guessing: passwords, codes and links, per account and per address.
//!
//! Every attempt counts, right or wrong. Unknown accounts are counted like known ones, so that a caller cannot tell
//! them apart. A browser that has signed in before has its own counts, so that strangers cannot lock its owner out. GET
//! requests are not counted here; `Caller::guessed` counts those with an invalid link. All processes share the counts.

use embudo_app::{App, Counted, KnownDevice};
use embudo_domain::UserId;

use super::Caller;
use crate::parts::{Refusal, network};

/// How many samples a person may cause in a quarter of an hour: test mails, sample signals and checks of receivers.
const SAMPLES: u32 = 20;

/// How many attempts are allowed in a quarter of an hour.
#[derive(Debug, Clone, Copy)]
pub struct LoginQuota {
    /// Attempts at one account. All strangers share this number; each browser that the person has used has the same
    /// number for itself.
    pub per_account: u32,
    /// Attempts from one address, at any account. Each known browser has the same number for itself.
    pub per_address: u32,
}

impl Default for LoginQuota {
    fn default() -> Self {
        Self { per_account: 10, per_address: 40 }
    }
}

impl LoginQuota {
    /// Fewer links than attempts at passwords are allowed, so that nobody can flood a mailbox.
    fn links(self) -> u32 {
        (self.per_account / 3).max(1)
    }
}

/// The limits and their counters.
pub(crate) struct Throttle {
    app: App,
    quota: LoginQuota,
}

impl Throttle {
    pub fn new(app: App, quota: LoginQuota) -> Self {
        Self { app, quota }
    }

    /// Counts an attempt to sign in at the account with this e-mail address.
    pub async fn password(&self, email: &str, caller: &Caller) -> Result<(), Refusal> {
        self.at_account(Counted::SignInAccount, email, self.quota.per_account, caller).await
    }

    /// Counts a request for a link by mail.
    pub async fn link(&self, email: &str, caller: &Caller) -> Result<(), Refusal> {
        self.at_account(Counted::Link, email, self.quota.links(), caller).await
    }

    /// Counts an attempt at the second factor, after the right password.
    pub async fn code(&self, user: UserId, caller: &Caller) -> Result<(), Refusal> {
        let own = self.place(caller).await?.filter(|device| device.user.id == user);
        self.account(Counted::SignInAccount, user.0.as_bytes(), self.quota.per_account, own.as_ref()).await
    }

    /// Counts an attempt at the password of a signed-in person. The session identifies the person, so the address is
    /// not counted.
    pub async fn again(&self, user: UserId, caller: &Caller) -> Result<(), Refusal> {
        let own = self.device(caller).await?.filter(|device| device.user.id == user);
        self.account(Counted::SignInAccount, user.0.as_bytes(), self.quota.per_account, own.as_ref()).await
    }

    /// Counts a test mail, a sample signal, or the check of a receiver's address.
    pub async fn sample(&self, user: UserId) -> Result<(), Refusal> {
        self.count(Counted::Sample, user.0.as_bytes(), SAMPLES).await
    }

    /// Counts an attempt at a secret that does not name an account. It is counted for the browser if that is known,
    /// otherwise for the address.
    pub async fn place(&self, caller: &Caller) -> Result<Option<KnownDevice>, Refusal> {
        let device = self.device(caller).await?;
        let (kind, subject) = match &device {
            Some(device) => (Counted::SignInDevice, device.token_digest.0.to_vec()),
            None => (Counted::SignInAddress, network(caller.cliente.0)),
        };
        self.count(kind, &subject, self.quota.per_address).await?;
        Ok(device)
    }

    async fn device(&self, caller: &Caller) -> Result<Option<KnownDevice>, Refusal> {
        match &caller.device {
            Some(pass) => Ok(self.app.access().known_device(pass).await?),
            None => Ok(None),
        }
    }

    async fn at_account(
        &self,
        kind: Counted,
        email: &str,
        limit: u32,
        caller: &Caller,
    ) -> Result<(), Refusal> {
        let email = email.trim().to_lowercase();
        let own = self.place(caller).await?.filter(|device| device.user.email.normal == email);
        self.account(kind, email.as_bytes(), limit, own.as_ref()).await
    }

    /// Counts an attempt at an account. An attempt from one of the person's own browsers is counted apart from all
    /// others.
    async fn account(
        &self,
        kind: Counted,
        account: &[u8],
        limit: u32,
        own: Option<&KnownDevice>,
    ) -> Result<(), Refusal> {
        match own {
            Some(device) => self.count(kind, &[&device.token_digest.0, account].concat(), limit).await,
            None => self.count(kind, account, limit).await,
        }
    }

    /// Counts an attempt, or refuses it. All methods above refuse attempts through this one.
    async fn count(&self, kind: Counted, subject: &[u8], limit: u32) -> Result<(), Refusal> {
        let counted = self.app.limits().count(kind, subject, 1, limit).await;
        counted.map_err(|wait_s| Refusal::TooMuch(wait_s.max(10)))
    }
}

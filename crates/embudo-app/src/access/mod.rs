//! Access to the panel: set-up, sign-in, sessions, passwords, second factors, people.
//!
//! Tokens are 256 random bits and are stored as digests; passwords are stored as Argon2id hashes. Whatever a person
//! changes is written together with its audit log entry, in the same command. Limits on attempts are the responsibility
//! of the pages.

mod account;
mod devices;
mod failures;
mod hashing;
mod letters;
mod notices;
mod people;
mod push;
mod recovery;
mod set_up;
mod sign_in;
mod totp;

use std::net::IpAddr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use embudo_domain::audit::{AuditAction, AuditEntry};
use embudo_domain::session::{Session, life, short_agent};
use embudo_domain::user::User;
use embudo_domain::{AuditId, Digest, EmpresaId, SessionId, UserId};
use embudo_store::StoreError;
use embudo_store::projection::Heard;
use embudo_store::sessions::NewSession;

use crate::App;

pub use account::{Enrolment, TotpChange};
pub use devices::{DEVICE_LIFE, KnownDevice};
pub(crate) use failures::Failures;
pub(crate) use hashing::Passwords;
pub use people::{Change, NewPerson};
pub use recovery::{INVITE_LIFE, RESET_LIFE, ResetError};
pub use set_up::{FirstPerson, SetUpError};
pub use sign_in::{Attempt, SecondStep, SignIn};
pub use totp::authenticator_code;

/// Why a use case failed, if a person cannot correct it.
#[derive(Debug, thiserror::Error)]
pub enum AccessError {
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Too many passwords wait to be checked, so this one would wait too long.
    #[error("too many passwords are being checked")]
    Busy,
}

type Result<T, E = AccessError> = std::result::Result<T, E>;

/// The origin of a request.
#[derive(Debug, Clone, Default)]
pub struct Origin {
    pub ip: Option<IpAddr>,
    /// The browser's `User-Agent`.
    pub agent: String,
}

/// The author of an action, for the audit log.
#[derive(Debug, Clone)]
pub struct Actor {
    pub user: Option<UserId>,
    /// The author's name.
    pub who: String,
    pub ip: Option<IpAddr>,
}

impl Actor {
    pub fn person(user: &User, origin: &Origin) -> Self {
        Self { user: Some(user.id), who: user.nombre.clone(), ip: origin.ip }
    }

    /// A person who runs a command on the server.
    pub fn command() -> Self {
        Self { user: None, who: "embudo usuario".to_owned(), ip: None }
    }
}

/// A token for the browser to keep.
#[derive(Debug, Clone)]
pub struct SessionToken {
    pub token: String,
    pub own_device: bool,
    /// The pass by which the browser is known from now on; `None` while the second factor is still required.
    pub device: Option<String>,
}

/// A valid session, and its person.
#[derive(Debug, Clone)]
pub struct OpenSession {
    pub session: Session,
    pub user: User,
}

/// People and their sessions.
#[derive(Clone, Copy)]
pub struct Access<'a> {
    pub(crate) app: &'a App,
}

impl Access<'_> {
    /// A new audit log entry, to be completed.
    pub fn audit(self, actor: &Actor, action: AuditAction) -> AuditEntry {
        AuditEntry {
            id: AuditId(self.app.id()),
            at: self.app.now(),
            user: actor.user,
            who: actor.who.clone(),
            empresa: None,
            action,
            object: None,
            ip: actor.ip,
            before: None,
            after: None,
        }
    }

    /// The session of a token, if it is valid: its person may sign in, and it is neither idle nor too old. The session
    /// counts as used.
    pub async fn open(self, token: &str) -> Result<Option<OpenSession>> {
        let Some(mut open) = self.look(token).await? else { return Ok(None) };
        let now = self.app.now();
        if open.session.is_stale(now) {
            self.app.store.touch_session(open.session.id, now).await?;
            open.session.usada_en = now;
        }
        Ok(Some(open))
    }

    /// The session of a token, if it is valid, for requests that a page makes by itself: they do not count as use.
    pub async fn look(self, token: &str) -> Result<Option<OpenSession>> {
        Ok(self.find(token).await?.filter(|open| !open.session.halfway))
    }

    /// Switches this session to another company of the person; `false` if the person does not belong to that company.
    pub async fn choose_empresa(self, open: &OpenSession, empresa: EmpresaId) -> Result<bool> {
        if open.user.role_in(empresa).is_none() {
            return Ok(false);
        }
        self.app.store.choose_empresa(open.session.id, empresa).await?;
        Ok(true)
    }

    /// Makes every stream of a person, here and in other processes, check whether it may continue.
    fn tell_of(self, person: UserId) {
        let heard = Heard::People(vec![person]);
        self.app.changes.publish(&heard);
        self.app.store.tell_changes(heard);
    }

    /// The session of a token, complete or still waiting for the second factor.
    async fn find(self, token: &str) -> Result<Option<OpenSession>> {
        let Some(session) = self.app.store.session(token_digest(token)).await? else { return Ok(None) };
        if !session.is_live(self.app.now()) {
            return Ok(None);
        }
        let user = self.app.store.user(session.user).await?.filter(|user| user.is_active);
        Ok(user.map(|user| OpenSession { session, user }))
    }

    /// Opens a session. `replaces` is the earlier token of the browser, which is no longer valid from now on.
    async fn start(
        self,
        user: &User,
        origin: &Origin,
        kind: NewKind,
        replaces: Option<&str>,
        audit: Option<AuditEntry>,
    ) -> Result<SessionToken> {
        let NewKind { own_device, halfway } = kind;
        let (token, now) = (new_token(), self.app.now());
        let session = Session {
            id: SessionId(self.app.id()),
            user: user.id,
            empresa: None,
            own_device,
            halfway,
            agent: short_agent(&origin.agent),
            ip: origin.ip,
            creada_en: now,
            usada_en: now,
            expira_en: now + life(own_device, halfway),
        };
        let replaces = replaces.map(token_digest);
        let former = match replaces {
            Some(digest) => self.app.store.session(digest).await?,
            None => None,
        };
        let new = NewSession { session, token: token_digest(&token), replaces, audit };
        self.app.store.create_session(new).await?;
        if let Some(former) = former {
            self.tell_of(former.user);
        }
        let device = (!halfway).then(|| self.device_pass(user));
        Ok(SessionToken { token, own_device, device })
    }
}

/// The kind of a new session: on the person's own device or not, and halfway while the second factor is still required.
#[derive(Clone, Copy)]
struct NewKind {
    own_device: bool,
    halfway: bool,
}

/// The digest under which a token is stored.
fn token_digest(token: &str) -> Digest {
    Digest::of(token.as_bytes())
}

/// 256 random bits as a text for cookies and links.
pub(crate) fn new_token() -> String {
    let mut bytes = [0_u8; 32];
    fill_random(&mut bytes);
    URL_SAFE_NO_PAD.encode(bytes)
}

pub(crate) fn fill_random(bytes: &mut [u8]) {
    getrandom::fill(bytes).expect("the system gives random numbers");
}

//! Failed attempts to sign in, for the audit log: one entry for each account or address and each stretch of time. The
//! entry counts further attempts while the stretch lasts.
//!
//! A stranger who guesses must not fill the log: a known account has one entry an hour for each kind of failure;
//! addresses, and accounts of which only the typed name is known, share a few entries, and then one for all. Nothing
//! that was typed is stored, because people type passwords into the wrong field. Each process counts for itself. A
//! count may be half a minute behind, and a killed process loses that much.

use std::collections::{BTreeSet, HashMap};
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use embudo_domain::audit::{AuditAction, AuditEntry};
use embudo_domain::contact::Email;
use embudo_domain::user::User;
use embudo_domain::{AuditId, Digest, Timestamp, UserId};
use jiff::SignedDuration;

use super::{Access, Actor, Origin, Result};

/// How long an entry counts further attempts.
const STRETCH: SignedDuration = SignedDuration::from_hours(1);
/// The maximum number of entries at a time that name no account.
const MAX_STRANGERS: usize = 20;
/// The maximum number of addresses that are counted for one entry.
const MAX_ADDRESSES: usize = 50;
const STRANGER: &str = "Alguien";

/// The account or address of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Subject {
    Person(UserId),
    Address(IpAddr),
    /// An account that was typed, known or not.
    Typed(Digest),
    Anybody,
}

#[derive(Debug)]
struct Stretch {
    entry: AuditId,
    since: Timestamp,
    count: u64,
    written: u64,
    addresses: BTreeSet<IpAddr>,
}

impl Stretch {
    fn audit_text(&self) -> String {
        let tries = match self.count {
            1 => "1 intento".to_owned(),
            count => format!("{count} intentos"),
        };
        match self.addresses.len() {
            0 | 1 => tries,
            MAX_ADDRESSES => format!("{tries} desde {MAX_ADDRESSES} direcciones o más"),
            several => format!("{tries} desde {several} direcciones"),
        }
    }
}

/// The recent failures in this process.
#[derive(Debug, Default)]
pub(crate) struct Failures(Mutex<HashMap<(AuditAction, Subject), Stretch>>);

impl Failures {
    /// Counts an attempt. For the first attempt of a stretch, returns the account or address that the entry may name;
    /// `None`: an entry already exists.
    fn count(
        &self,
        action: AuditAction,
        wanted: Subject,
        ip: Option<IpAddr>,
        now: Timestamp,
        entry: AuditId,
    ) -> Option<Subject> {
        let mut open = self.open();
        let is_stranger = |subject: &Subject| !matches!(subject, Subject::Person(_));
        let strangers = open.keys().filter(|(_, subject)| is_stranger(subject)).count();
        let has_room =
            !is_stranger(&wanted) || strangers < MAX_STRANGERS || open.contains_key(&(action, wanted));
        let subject = if has_room { wanted } else { Subject::Anybody };
        let stretch = open.entry((action, subject)).or_insert_with(|| Stretch {
            entry,
            since: now,
            count: 0,
            written: 1,
            addresses: BTreeSet::new(),
        });
        stretch.count += 1;
        if stretch.addresses.len() < MAX_ADDRESSES {
            stretch.addresses.extend(ip);
        }
        (stretch.count == 1).then_some(subject)
    }

    /// The entries whose count must be written again. Stretches that are over are dropped.
    fn take_grown(&self, now: Timestamp) -> Vec<(AuditId, String)> {
        let mut grown = Vec::new();
        self.open().retain(|_, stretch| {
            if stretch.count > stretch.written {
                stretch.written = stretch.count;
                grown.push((stretch.entry, stretch.audit_text()));
            }
            now.duration_since(stretch.since) < STRETCH
        });
        grown
    }

    fn open(&self) -> MutexGuard<'_, HashMap<(AuditAction, Subject), Stretch>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Access<'_> {
    /// The password is wrong, or there is no such person.
    pub(super) fn sign_in_failed(self, user: Option<&User>, origin: &Origin) {
        let stranger = origin.ip.map_or(Subject::Anybody, |ip| Subject::Address(network(ip)));
        let subject = user.map_or(stranger, |user| Subject::Person(user.id));
        self.failed(AuditAction::SignInFailed, subject, user.cloned(), None, origin);
    }

    /// The password was right, but the second factor was wrong.
    pub(super) fn code_failed(self, user: &User, origin: &Origin) {
        let subject = Subject::Person(user.id);
        self.failed(AuditAction::CodeFailed, subject, Some(user.clone()), None, origin);
    }

    /// A signed-in person typed a wrong password where it is asked for again.
    pub(super) fn password_failed(self, user: &User, origin: &Origin) {
        let subject = Subject::Person(user.id);
        self.failed(AuditAction::PasswordFailed, subject, Some(user.clone()), None, origin);
    }

    /// There were too many attempts to sign in to this account, so this attempt was refused.
    pub fn locked_out(self, typed: &str, origin: &Origin) {
        let email = Email::parse(typed.trim()).ok();
        let account = email.as_ref().map_or("", |email| email.normal.as_str());
        let subject = Subject::Typed(Digest::of(account.as_bytes()));
        self.failed(AuditAction::LockedOut, subject, None, email, origin);
    }

    /// There were too many attempts at this person's second factor, so this attempt was refused.
    pub fn locked_out_of_code(self, user: UserId, origin: &Origin) {
        self.failed(AuditAction::LockedOut, Subject::Person(user), None, None, origin);
    }

    /// Counts the attempt, and writes the entry outside the request, so that the response time does not show what was
    /// found.
    fn failed(
        self,
        action: AuditAction,
        subject: Subject,
        user: Option<User>,
        email: Option<Email>,
        origin: &Origin,
    ) {
        let actor = match (action, &user) {
            (AuditAction::PasswordFailed, Some(user)) => Actor::person(user, origin),
            _ => Actor { user: None, who: STRANGER.to_owned(), ip: origin.ip },
        };
        let line = AuditEntry { after: Some("1 intento".to_owned()), ..self.audit(&actor, action) };
        let Some(counted) = self.app.failures.count(action, subject, origin.ip, line.at, line.id) else {
            return;
        };
        let app = self.app.clone();
        tokio::spawn(async move {
            let found = match (counted, user, email) {
                (Subject::Anybody, ..) => Ok(None),
                (_, Some(user), _) => Ok(Some(user)),
                (Subject::Person(id), None, _) => app.store.user(id).await,
                (_, None, Some(email)) => app.store.user_by_email(email.normal).await,
                (_, None, None) => Ok(None),
            };
            let written = match found {
                Ok(user) => {
                    app.store
                        .record_audit(AuditEntry { object: user.map(|user| user.email.typed), ..line })
                        .await
                }
                Err(error) => Err(error),
            };
            if let Err(error) = written {
                tracing::warn!(%error, "a failed sign-in could not be written down");
            }
        });
    }

    /// Writes the new counts, and returns how many entries were written.
    pub async fn write_failures(self) -> Result<usize> {
        let grown = self.app.failures.take_grown(self.app.now());
        let lines = grown.len();
        for (entry, words) in grown {
            self.app.store.grow_audit(entry, words).await?;
        }
        Ok(lines)
    }
}

/// The part of an address that identifies a visitor. Of IPv6 it is the first 64 bits, because a visitor has 2⁶⁴
/// addresses.
fn network(ip: IpAddr) -> IpAddr {
    match ip.to_canonical() {
        IpAddr::V6(v6) => IpAddr::from((v6.to_bits() >> 64 << 64).to_be_bytes()),
        v4 => v4,
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    const ACTION: AuditAction = AuditAction::SignInFailed;

    fn at(minutes: i64) -> Timestamp {
        Timestamp::UNIX_EPOCH + SignedDuration::from_mins(minutes)
    }

    fn id(n: u128) -> AuditId {
        AuditId(Uuid::from_u128(n))
    }

    #[test]
    fn a_stretch_is_one_line_with_a_count() {
        let failures = Failures::default();
        let ana = Subject::Person(UserId(Uuid::from_u128(1)));
        let ip = |n: u8| Some(IpAddr::from([192, 0, 2, n]));
        assert_eq!(failures.count(ACTION, ana, ip(1), at(0), id(1)), Some(ana));
        assert_eq!(failures.take_grown(at(0)), [], "the first is written as it comes");
        for n in 2..=5 {
            assert_eq!(failures.count(ACTION, ana, ip(n), at(1), id(9)), None);
        }
        assert_eq!(failures.take_grown(at(2)), [(id(1), "5 intentos desde 5 direcciones".to_owned())]);
        assert_eq!(failures.take_grown(at(61)), []);
        assert_eq!(failures.count(ACTION, ana, ip(1), at(61), id(2)), Some(ana), "a new stretch, a new line");
    }

    #[test]
    fn strangers_have_a_few_lines_together() {
        let failures = Failures::default();
        let mut lines = 0;
        for n in 0..10_000_u32 {
            let ip = IpAddr::from(n.to_be_bytes());
            lines +=
                usize::from(failures.count(ACTION, Subject::Address(ip), Some(ip), at(0), id(1)).is_some());
        }
        assert_eq!(lines, MAX_STRANGERS + 1);
        let ana = Subject::Person(UserId(Uuid::from_u128(1)));
        assert_eq!(
            failures.count(ACTION, ana, None, at(0), id(2)),
            Some(ana),
            "who is known is told all the same"
        );
    }

    #[test]
    fn a_network_of_ipv6_is_one_address() {
        let [one, two] =
            ["2001:db8::1", "2001:db8::ffff:2"].map(|text| network(text.parse().expect("an address")));
        assert_eq!(one, two);
        assert_ne!(network(IpAddr::from([192, 0, 2, 1])), network(IpAddr::from([192, 0, 2, 2])));
    }
}

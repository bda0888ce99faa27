//! People, their sessions, and what they did.

use async_trait::async_trait;
use embudo_domain::audit::AuditEntry;
use embudo_domain::notice::{NoticeChoice, Recipient};
use embudo_domain::role::Membership;
use embudo_domain::session::Session;
use embudo_domain::user::User;
use embudo_domain::{AuditId, Digest, EmpresaId, SessionId, Timestamp, UserId};
use embudo_store::audit::{AuditCursor, AuditFilter};
use embudo_store::credentials::{
    LinkKind, NewReset, SessionsEnd, SetPassword, SetTotp, StoredCredentials, StoredTotp, UseReset,
};
use embudo_store::sessions::NewSession;
use embudo_store::users::{NewUser, UserPatch};
use embudo_store::{AccessReads, AuditStore, CredentialStore, Result, SessionStore, StoreError, UserStore};

use super::Memory;

/// All people and their data.
#[derive(Default)]
pub(super) struct People {
    users: Vec<Person>,
    sessions: Vec<(Digest, Session)>,
    /// Digest, person and expiry of each link.
    resets: Vec<(Digest, (UserId, LinkKind), Timestamp)>,
    audit: Vec<AuditEntry>,
    choices: Vec<(UserId, EmpresaId, NoticeChoice)>,
}

struct Person {
    user: User,
    password: Option<String>,
    totp: Option<StoredTotp>,
    codes: Vec<Digest>,
}

impl Person {
    fn shown(&self) -> User {
        let (has_password, has_totp) = (self.password.is_some(), self.totp.is_some());
        let mut user = User { has_password, has_totp, ..self.user.clone() };
        user.memberships.sort_by_key(|m| m.empresa);
        user
    }
}

impl People {
    fn find(&mut self, id: UserId) -> Result<&mut Person> {
        self.users.iter_mut().find(|p| p.user.id == id).ok_or(StoreError::UserNotFound)
    }

    fn add(&mut self, new: NewUser) -> Result<()> {
        if self.users.iter().any(|p| p.user.email.normal == new.user.email.normal) {
            return Err(StoreError::EmailTaken);
        }
        self.users.push(Person { user: new.user, password: new.password, totp: None, codes: Vec::new() });
        self.audit.push(new.audit);
        Ok(())
    }

    pub(super) fn choose(
        &mut self,
        user: UserId,
        empresa: EmpresaId,
        choice: NoticeChoice,
        audit: AuditEntry,
    ) -> Result<()> {
        self.find(user)?;
        self.choices.retain(|(who, of, _)| (*who, *of) != (user, empresa));
        self.choices.push((user, empresa, choice));
        self.audit.push(audit);
        Ok(())
    }

    pub(super) fn note(&mut self, audit: AuditEntry) {
        self.audit.push(audit);
    }

    /// The choices of people who may sign in, for the companies that they belong to.
    pub(super) fn entitled(&self) -> Vec<Recipient> {
        let of = |(id, empresa, choice): &(UserId, EmpresaId, NoticeChoice)| {
            let user = &self.users.iter().find(|p| p.user.id == *id && p.user.is_active)?.user;
            Some(Recipient {
                empresa: *empresa,
                user: *id,
                nombre: user.nombre.clone(),
                email: user.email.typed.clone(),
                role: user.role_in(*empresa)?,
                choice: *choice,
            })
        };
        self.choices.iter().filter_map(of).collect()
    }

    fn end_all(&mut self, user: UserId, keep: Option<SessionId>) -> u64 {
        let before = self.sessions.len();
        self.sessions.retain(|(_, s)| s.user != user || Some(s.id) == keep);
        (before - self.sessions.len()) as u64
    }
}

impl Memory {
    fn known(&self, memberships: &[Membership]) -> Result<()> {
        let world = self.world();
        let known = |m: &Membership| world.empresas.iter().any(|e| e.id == m.empresa);
        if memberships.iter().all(known) { Ok(()) } else { Err(StoreError::EmpresaNotFound) }
    }
}

#[async_trait]
impl UserStore for Memory {
    async fn create_first_user(&self, new: NewUser) -> Result<bool> {
        let mut people = self.people();
        if !people.users.is_empty() {
            return Ok(false);
        }
        people.add(new).map(|()| true)
    }

    async fn create_user(&self, new: NewUser) -> Result<()> {
        self.known(&new.user.memberships)?;
        self.people().add(new)
    }

    async fn update_user(&self, id: UserId, patch: UserPatch, audit: AuditEntry) -> Result<()> {
        if let Some(memberships) = &patch.memberships {
            self.known(memberships)?;
        }
        let mut people = self.people();
        let other = people.users.iter().any(|p| p.user.id != id && p.user.is_admin && p.user.is_active);
        let user = &mut people.find(id)?.user;
        let (is_admin, is_active) =
            (patch.is_admin.unwrap_or(user.is_admin), patch.is_active.unwrap_or(user.is_active));
        if user.is_admin && user.is_active && !(is_admin && is_active) && !other {
            return Err(StoreError::LastAdmin);
        }
        (user.is_admin, user.is_active) = (is_admin, is_active);
        user.nombre = patch.nombre.unwrap_or(std::mem::take(&mut user.nombre));
        user.memberships = patch.memberships.unwrap_or(std::mem::take(&mut user.memberships));
        if !is_active {
            people.end_all(id, None);
            people.resets.retain(|(_, (of, _), _)| *of != id);
        }
        people.audit.push(audit);
        drop(people);
        self.gather();
        Ok(())
    }
}

#[async_trait]
impl CredentialStore for Memory {
    async fn set_password(&self, command: SetPassword) -> Result<()> {
        let mut people = self.people();
        people.find(command.user)?.password = Some(command.password);
        people.end_all(command.user, command.keep);
        people.resets.retain(|(_, (of, _), _)| *of != command.user);
        people.audit.push(command.audit);
        Ok(())
    }

    async fn set_totp(&self, command: SetTotp) -> Result<()> {
        let mut people = self.people();
        let person = people.find(command.user)?;
        (person.totp, person.codes) = (command.totp, command.codes);
        match command.ends {
            SessionsEnd::None => {}
            SessionsEnd::AllBut(keep) => drop(people.end_all(command.user, Some(keep))),
            SessionsEnd::All => drop(people.end_all(command.user, None)),
        }
        people.audit.push(command.audit);
        Ok(())
    }

    async fn spend_step(&self, user: UserId, step: i64) -> Result<bool> {
        let mut people = self.people();
        let totp = people.find(user).ok().and_then(|p| p.totp.as_mut()).filter(|t| t.last_step < step);
        Ok(totp.map(|t| t.last_step = step).is_some())
    }

    async fn spend_code(&self, user: UserId, code: Digest) -> Result<bool> {
        let mut people = self.people();
        let Ok(person) = people.find(user) else { return Ok(false) };
        let before = person.codes.len();
        person.codes.retain(|c| *c != code);
        Ok(person.codes.len() < before)
    }

    async fn create_reset(&self, command: NewReset) -> Result<()> {
        let mut people = self.people();
        people.find(command.user)?;
        let of = (command.user, command.kind);
        people.resets.retain(|(_, other, _)| *other != of);
        people.resets.push((command.digest, of, command.expira_en));
        people.audit.push(command.audit);
        Ok(())
    }

    async fn use_reset(&self, command: UseReset) -> Result<Option<UserId>> {
        let Some(user) = self.reset_user(command.digest, command.at).await? else { return Ok(None) };
        let mut people = self.people();
        if !people.resets.iter().any(|(d, _, _)| *d == command.digest) {
            return Ok(None);
        }
        people.resets.retain(|(_, (of, _), _)| *of != user);
        people.find(user)?.password = Some(command.password);
        people.end_all(user, None);
        people.audit.push(command.audit);
        Ok(Some(user))
    }
}

#[async_trait]
impl SessionStore for Memory {
    async fn create_session(&self, new: NewSession) -> Result<()> {
        let mut people = self.people();
        if !people.find(new.session.user)?.user.is_active {
            return Err(StoreError::UserNotFound);
        }
        people.sessions.retain(|(token, _)| Some(*token) != new.replaces);
        people.sessions.push((new.token, new.session));
        people.audit.extend(new.audit);
        Ok(())
    }

    async fn touch_session(&self, id: SessionId, at: Timestamp) -> Result<()> {
        for (_, session) in self.people().sessions.iter_mut().filter(|(_, s)| s.id == id) {
            session.usada_en = session.usada_en.max(at);
        }
        Ok(())
    }

    async fn choose_empresa(&self, id: SessionId, empresa: EmpresaId) -> Result<()> {
        for (_, session) in self.people().sessions.iter_mut().filter(|(_, s)| s.id == id) {
            session.empresa = Some(empresa);
        }
        Ok(())
    }

    async fn end_session(&self, user: UserId, id: SessionId, audit: AuditEntry) -> Result<bool> {
        let mut people = self.people();
        let before = people.sessions.len();
        people.sessions.retain(|(_, s)| s.user != user || s.id != id);
        if people.sessions.len() == before {
            return Ok(false);
        }
        people.audit.push(audit);
        Ok(true)
    }

    async fn end_other_sessions(&self, user: UserId, keep: SessionId, audit: AuditEntry) -> Result<u64> {
        let mut people = self.people();
        people.audit.push(audit);
        Ok(people.end_all(user, Some(keep)))
    }

    async fn purge_access(&self, now: Timestamp, max: u32) -> Result<u64> {
        let mut people = self.people();
        let mut deleted = 0;
        let mut keep = |end: Timestamp, left: &mut u32| {
            let goes = end <= now && *left > 0;
            if goes {
                *left -= 1;
                deleted += 1;
            }
            !goes
        };
        let (mut sessions, mut resets) = (max, max);
        people.sessions.retain(|(_, s)| keep(s.expira_en, &mut sessions));
        people.resets.retain(|(_, _, end)| keep(*end, &mut resets));
        Ok(deleted)
    }
}

#[async_trait]
impl AuditStore for Memory {
    async fn record_audit(&self, entry: AuditEntry) -> Result<()> {
        self.people().audit.push(entry);
        Ok(())
    }

    async fn grow_audit(&self, id: AuditId, after: String) -> Result<()> {
        for entry in self.people().audit.iter_mut().filter(|entry| entry.id == id) {
            entry.after = Some(after.clone());
        }
        Ok(())
    }
}

#[async_trait]
impl AccessReads for Memory {
    async fn any_user(&self) -> Result<bool> {
        Ok(!self.people().users.is_empty())
    }

    async fn user(&self, id: UserId) -> Result<Option<User>> {
        Ok(self.people().find(id).ok().map(|p| p.shown()))
    }

    async fn user_by_email(&self, normal: String) -> Result<Option<User>> {
        Ok(self.people().users.iter().find(|p| p.user.email.normal == normal).map(Person::shown))
    }

    async fn list_users(&self) -> Result<Vec<User>> {
        let mut users: Vec<User> = self.people().users.iter().map(Person::shown).collect();
        users.sort_by(|a, b| (&a.nombre, a.id).cmp(&(&b.nombre, b.id)));
        Ok(users)
    }

    async fn credentials(&self, user: UserId) -> Result<StoredCredentials> {
        Ok(self.people().find(user).map_or_else(
            |_| StoredCredentials::default(),
            |p| StoredCredentials {
                password: p.password.clone(),
                totp: p.totp.clone(),
                codes: p.codes.len() as u32,
            },
        ))
    }

    async fn reset_user(&self, digest: Digest, now: Timestamp) -> Result<Option<UserId>> {
        let mut people = self.people();
        let found =
            people.resets.iter().find(|(d, _, end)| *d == digest && *end > now).map(|(_, (of, _), _)| *of);
        Ok(found.filter(|id| people.find(*id).is_ok_and(|p| p.user.is_active)))
    }

    async fn session(&self, token: Digest) -> Result<Option<Session>> {
        Ok(self.people().sessions.iter().find(|(t, _)| *t == token).map(|(_, s)| s.clone()))
    }

    async fn sessions_of(&self, user: UserId) -> Result<Vec<Session>> {
        let people = self.people();
        let own = people.sessions.iter().filter(|(_, s)| s.user == user);
        let mut own: Vec<Session> = own.map(|(_, s)| s.clone()).collect();
        own.sort_by_key(|s| (std::cmp::Reverse(s.usada_en), s.id));
        Ok(own)
    }

    async fn audit_log(
        &self,
        filter: AuditFilter,
        after: Option<AuditCursor>,
        limit: u32,
    ) -> Result<Vec<AuditEntry>> {
        let mut log = self.people().audit.clone();
        log.sort_by_key(|e| std::cmp::Reverse((e.at, e.id)));
        log.retain(|e| filter.user.is_none_or(|user| e.user == Some(user)));
        log.retain(|e| filter.empresa.is_none_or(|empresa| e.empresa == Some(empresa)));
        log.retain(|e| after.is_none_or(|c| (e.at, e.id) < (c.at, c.id)));
        log.truncate(limit as usize);
        Ok(log)
    }
}

//! API keys that are bound to one company. People create and revoke them. The API caches the keys, so that it does not
//! query the database for each call.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};

use embudo_domain::audit::{AuditAction, AuditEntry};
use embudo_domain::company_key::{CompanyKey, LiveKey, MOVED_STEP, USE_STEP, digest, prefix, write};
use embudo_domain::{CompanyKeyId, Digest, EmpresaId, LeadId, Timestamp};
use embudo_store::company_keys::{NewCompanyKey, RevokeCompanyKey};
use embudo_store::{Result, StoreError};

use crate::access::fill_random;
use crate::{Actor, App};

/// How long cached keys are used. After this time a revoked key is refused by every process.
const LIFE: Duration = Duration::from_secs(2);
/// How long this process does not ask again after the database failed to answer.
const AFTER_FAILURE: Duration = Duration::from_secs(1);
/// How long a call waits for the keys to be read.
const PATIENCE: Duration = Duration::from_secs(5);
/// The maximum number of leads whose company is cached. A lead never changes its company.
const MAX_LEADS: usize = 20_000;

/// The cache of keys in this process: all keys that are in force, read in one query. An unknown key costs the same as a
/// known one and is not stored. However many keys are tried, the database is queried only once in [`LIFE`].
#[derive(Default)]
pub(crate) struct Keyring {
    known: RwLock<Known>,
    /// One call reads the keys, the others wait for it.
    reading: tokio::sync::Mutex<()>,
    leads: Mutex<HashMap<LeadId, EmpresaId>>,
}

#[derive(Default)]
struct Known {
    keys: HashMap<Digest, LiveKey>,
    /// The cache held all keys when they were last read, and this process has not changed any key since.
    is_whole: bool,
    read_at: Option<Instant>,
    failed_at: Option<Instant>,
    /// When this process last stored the use of a key, and the address of that use.
    touched: HashMap<CompanyKeyId, (Timestamp, Option<IpAddr>)>,
}

impl Known {
    fn is_fresh(&self) -> bool {
        self.read_at.is_some_and(|at| at.elapsed() < LIFE)
    }

    fn has_just_failed(&self) -> bool {
        self.failed_at.is_some_and(|at| at.elapsed() < AFTER_FAILURE)
    }
}

/// The keys of companies.
#[derive(Clone, Copy)]
pub struct CompanyKeys<'a> {
    pub(crate) app: &'a App,
}

impl CompanyKeys<'_> {
    /// Creates a key for a company and returns it. The key is shown once and stored nowhere. `None`: the company
    /// already has the maximum number of keys.
    pub async fn create(self, empresa: EmpresaId, nombre: String, actor: &Actor) -> Result<Option<String>> {
        let mut random = [0; 32];
        fill_random(&mut random);
        let text = write(&random);
        let key = CompanyKey {
            id: CompanyKeyId(self.app.id()),
            empresa,
            nombre,
            prefix: prefix(&text),
            creada_por: actor.who.clone(),
            creada_en: self.app.now(),
            usada_en: None,
            usada_desde: None,
            revocada_en: None,
        };
        let audit = self.audit(&key, AuditAction::KeyCreated, actor);
        let digest = digest(text.as_bytes()).expect("it was written here");
        let is_made = self.app.store.create_company_key(NewCompanyKey { key, digest, audit }).await?;
        self.forget();
        Ok(is_made.then_some(text))
    }

    /// Revokes a key of a company. `false`: the company has no such key in force.
    pub async fn revoke(self, empresa: EmpresaId, id: CompanyKeyId, actor: &Actor) -> Result<bool> {
        let own = self.app.store.company_keys(empresa).await?;
        let Some(key) = own.into_iter().find(|key| key.id == id) else { return Ok(false) };
        let audit = self.audit(&key, AuditAction::KeyRevoked, actor);
        let command = RevokeCompanyKey { empresa, id, at: self.app.now(), audit };
        let is_revoked = self.app.store.revoke_company_key(command).await?;
        self.forget();
        Ok(is_revoked)
    }

    /// The key in force that equals the presented one; `from` is the caller's address. `None`: there is no such key in
    /// force.
    pub async fn find(self, presented: &[u8], from: Option<IpAddr>) -> Result<Option<LiveKey>> {
        let Some(digest) = digest(presented) else { return Ok(None) };
        if !self.known().is_fresh() {
            let read = tokio::time::timeout(PATIENCE, self.read());
            if let Err(error) = read.await.unwrap_or_else(|_| Err(out_of_reach())) {
                // Without the database only the last known keys can be checked: a key that is not among them gets 401,
                // the others 503.
                let known = self.known();
                let is_wrong = known.is_whole && !known.keys.contains_key(&digest);
                return if is_wrong { Ok(None) } else { Err(error) };
            }
        }
        let found = self.known().keys.get(&digest).copied();
        if let Some(key) = found {
            self.note_use(key, from);
        }
        Ok(found)
    }

    /// Whether a lead belongs to this company.
    pub async fn owns(self, empresa: EmpresaId, lead: LeadId) -> Result<bool> {
        if let Some(owner) = self.leads().get(&lead) {
            return Ok(*owner == empresa);
        }
        let Some(owner) = self.app.store.lead_empresa(lead).await? else { return Ok(false) };
        let mut leads = self.leads();
        if leads.len() >= MAX_LEADS {
            leads.clear();
        }
        leads.insert(lead, owner);
        Ok(owner == empresa)
    }

    async fn read(self) -> Result<()> {
        let _one = self.app.keyring.reading.lock().await;
        {
            let known = self.known();
            if known.is_fresh() {
                return Ok(());
            }
            if known.has_just_failed() {
                return Err(out_of_reach());
            }
        }
        let asked_at = Instant::now();
        let read = self.app.store.live_company_keys().await;
        let mut known = self.app.keyring.known.write().unwrap_or_else(PoisonError::into_inner);
        match read {
            Ok(keys) => {
                known.keys = keys.into_iter().map(|key| (key.digest, key)).collect();
                known.is_whole = true;
                known.read_at = Some(asked_at);
                let Known { keys, touched, .. } = &mut *known;
                touched.retain(|id, _| keys.values().any(|key| key.id == *id));
                Ok(())
            }
            Err(error) => {
                known.failed_at = Some(Instant::now());
                Err(error)
            }
        }
    }

    /// Marks the cache as outdated, so that a change by this process is effective here at once.
    fn forget(self) {
        let mut known = self.app.keyring.known.write().unwrap_or_else(PoisonError::into_inner);
        (known.read_at, known.is_whole) = (None, false);
    }

    /// Stores from time to time that a key was used, and from which address. No call waits for it.
    fn note_use(self, key: LiveKey, from: Option<IpAddr>) {
        let now = self.app.now();
        let is_old = |at: Timestamp, step| now.duration_since(at) >= step;
        let is_due = match self.known().touched.get(&key.id) {
            Some((at, before)) => is_old(*at, USE_STEP) || *before != from && is_old(*at, MOVED_STEP),
            // Another process may just have stored the use.
            None => key.usada_en.is_none_or(|at| is_old(at, MOVED_STEP)),
        };
        if !is_due {
            return;
        }
        let mut known = self.app.keyring.known.write().unwrap_or_else(PoisonError::into_inner);
        known.touched.insert(key.id, (now, from));
        drop(known);
        let app = self.app.clone();
        tokio::spawn(async move {
            if let Err(error) = app.store.touch_company_key(key.id, now, from).await {
                tracing::warn!(%error, "the use of an API key could not be written down");
            }
        });
    }

    fn known(&self) -> std::sync::RwLockReadGuard<'_, Known> {
        self.app.keyring.known.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn leads(&self) -> MutexGuard<'_, HashMap<LeadId, EmpresaId>> {
        self.app.keyring.leads.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn audit(self, key: &CompanyKey, action: AuditAction, actor: &Actor) -> AuditEntry {
        let object = Some(format!("{} ({}…)", key.nombre, key.prefix));
        AuditEntry { empresa: Some(key.empresa), object, ..self.app.access().audit(actor, action) }
    }
}

fn out_of_reach() -> StoreError {
    StoreError::Unavailable("the keys of companies cannot be read".into())
}

//! The model as a store, so that the suite itself is tested: if a case and the model disagree, one of them has a
//! mistake, which is found before any engine is blamed. Nothing here is durable, and nothing ships.

mod access;
mod blob_marks;
mod company_keys;
mod counts;
mod desk;
mod drafts;
mod empresas;
mod figures;
mod fotos;
mod idempotency;
mod inbox;
mod installation;
mod lead_writes;
mod leads;
mod leases;
mod loop_deadlines;
mod notices;
mod outbox;
mod outbox_admin;
mod pauses;
mod presupuestos;
mod push;
mod reminders;
mod replies;
mod rights;
mod sheet;
mod visits;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;

use embudo_domain::brand::Brand;
use embudo_domain::company_key::CompanyKey;
use embudo_domain::empresa::Empresa;
use embudo_domain::settings::Settings;
use embudo_domain::{Digest, EmpresaId, ProcessId, Timestamp};
use embudo_store::counts::CountKey;
use embudo_store::empresas::StoredTarifa;
use embudo_store::leases::Lease;
use embudo_store::touches::Touches;
use embudo_store::{Done, Result, Store, StoreError};

use crate::model::step::Step;
use crate::model::world::World;

mod cases {
    use super::memory;

    crate::store_conformance!(memory);
}

async fn memory() -> (Arc<dyn Store>, ()) {
    (Arc::new(Memory::default()), ())
}

#[derive(Default)]
struct Memory(Mutex<World>, Mutex<Installation>, Mutex<access::People>, Touches);

impl Memory {
    fn world(&self) -> MutexGuard<'_, World> {
        self.0.lock().expect("no case panics while it holds the model")
    }

    fn make(&self, step: Step) -> Result<()> {
        self.world().make(step).map(drop)
    }

    /// The model answers a replay as text; reading the key's row again is simpler than parsing that text.
    fn with_key(&self, step: Step) -> Result<Done> {
        let mut world = self.world();
        let before = step.key().and_then(|key| world.decide(key));
        before.unwrap_or_else(|| world.make(step).map(|_| Done::Now))
    }
}

impl World {
    fn por_defecto(&self) -> Option<&Empresa> {
        self.empresas.iter().find(|e| e.por_defecto)
    }

    fn make_default(&mut self, id: EmpresaId) {
        for e in &mut self.empresas {
            e.por_defecto = e.id == id;
        }
    }

    /// Gives a company another slug; the company keeps the former one.
    fn rename(&mut self, id: EmpresaId, slug: &str) -> Result<()> {
        let is_other = |of: &EmpresaId| *of != id;
        let is_taken = self.empresas.iter().any(|e| e.id != id && e.slug == slug)
            || self.former_slugs.get(slug).is_some_and(is_other);
        let own = self.empresas.iter_mut().find(|e| e.id == id).ok_or(StoreError::EmpresaNotFound)?;
        if is_taken {
            return Err(StoreError::SlugTaken);
        }
        let before = std::mem::replace(&mut own.slug, slug.to_owned());
        self.former_slugs.insert(before, id);
        self.former_slugs.remove(slug);
        Ok(())
    }

    fn add(&mut self, empresa: Empresa) -> Result<()> {
        let is_former = self.former_slugs.contains_key(&empresa.slug);
        if is_former || self.empresas.iter().any(|e| e.slug == empresa.slug) {
            return Err(StoreError::SlugTaken);
        }
        let (id, takes) = (empresa.id, empresa.por_defecto || self.empresas.is_empty());
        self.empresas.push(empresa);
        if takes {
            self.make_default(id);
        }
        Ok(())
    }
}

/// What belongs to companies and to the installation.
#[derive(Default)]
struct Installation {
    /// In the order of loading.
    tarifas: Vec<(EmpresaId, StoredTarifa)>,
    marks: HashMap<EmpresaId, Brand>,
    settings: HashMap<EmpresaId, Settings>,
    logos: HashMap<EmpresaId, Vec<u8>>,
    secrets: HashMap<String, [u8; 32]>,
    leases: HashMap<Lease, (ProcessId, Instant)>,
    keys: Vec<(CompanyKey, Digest)>,
    counts: HashMap<CountKey, (i64, Timestamp)>,
}

impl Memory {
    /// The data of companies, if this company exists.
    fn company_of(&self, empresa: EmpresaId) -> Result<MutexGuard<'_, Installation>> {
        let exists = self.world().empresas.iter().any(|e| e.id == empresa);
        if exists { Ok(self.company()) } else { Err(StoreError::EmpresaNotFound) }
    }

    fn people(&self) -> MutexGuard<'_, access::People> {
        self.2.lock().expect("no case panics while it holds the model")
    }

    fn company(&self) -> MutexGuard<'_, Installation> {
        self.1.lock().expect("no case panics while it holds the model")
    }
}

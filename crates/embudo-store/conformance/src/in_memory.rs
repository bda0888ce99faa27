//! The model as a store, so that the suite is tested by itself: a case and the model that disagree show a mistake in
//! one of them before any engine is blamed. Nothing here is durable, and nothing ships.

use std::sync::{Arc, Mutex, MutexGuard};

use async_trait::async_trait;
use embudo_domain::empresa::Empresa;
use embudo_domain::record::{Foto, LeadRecord, LeadSummary, StateChange};
use embudo_domain::{Digest, EmpresaId, FotoId, LeadId, Timestamp};

use super::model::steps::Step;
use super::model::world::World;
use embudo_store::command::{
    AppendTurno, BlobMark, ClearPerfil, CreateLead, EmpresaPatch, Ingest, RecordEvent, RecordIntento,
    SetNota, UpdateContact, UpdatePerfil, UpsertCalificacion,
};
use embudo_store::query::{Cursor, EventCursor, LeadFilter, ListedEvent};
use embudo_store::{Done, Result, Store, StoreError};

mod outbox;
mod quotes;

crate::store_conformance!(memory);

async fn memory() -> (Arc<dyn Store>, ()) {
    (Arc::new(Memory::default()), ())
}

#[derive(Default)]
struct Memory(Mutex<World>, Mutex<quotes::Installation>);

impl Memory {
    fn world(&self) -> MutexGuard<'_, World> {
        self.0.lock().expect("no case panics while it holds the model")
    }

    fn make(&self, step: Step) -> Result<()> {
        self.world().make(step).map(drop)
    }

    /// The model answers a replay as text; asking it again for the row is simpler than parsing that.
    fn with_key(&self, step: Step) -> Result<Done> {
        let mut world = self.world();
        let antes = step.key().and_then(|key| world.decide(key));
        antes.unwrap_or_else(|| world.make(step).map(|_| Done::Now))
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

    fn add(&mut self, empresa: Empresa) -> Result<()> {
        if self.empresas.iter().any(|e| e.slug == empresa.slug) {
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

#[async_trait]
impl Store for Memory {
    async fn ping(&self) -> Result<()> {
        Ok(())
    }

    async fn create_empresa(&self, empresa: Empresa, _: Timestamp) -> Result<()> {
        self.world().add(empresa)
    }

    async fn ensure_default_empresa(&self, empresa: Empresa, _: Timestamp) -> Result<Empresa> {
        let mut world = self.world();
        if world.por_defecto().is_none() {
            world.add(empresa)?;
        }
        Ok(world.por_defecto().expect("the first company is the default one").clone())
    }

    async fn update_empresa(&self, id: EmpresaId, patch: EmpresaPatch) -> Result<Empresa> {
        let mut world = self.world();
        if world.empresas.iter().any(|e| e.id != id && Some(&e.slug) == patch.slug.as_ref()) {
            return Err(StoreError::SlugTaken);
        }
        let empresa = world.empresas.iter_mut().find(|e| e.id == id).ok_or(StoreError::EmpresaNotFound)?;
        empresa.nombre = patch.nombre.unwrap_or(std::mem::take(&mut empresa.nombre));
        empresa.slug = patch.slug.unwrap_or(std::mem::take(&mut empresa.slug));
        if let Some(email) = patch.email_avisos {
            empresa.email_avisos = Some(email).filter(|e| !e.is_empty());
        }
        empresa.notices = patch.notices.unwrap_or(empresa.notices);
        if patch.por_defecto {
            world.make_default(id);
        }
        Ok(world.empresas.iter().find(|e| e.id == id).expect("found before").clone())
    }

    async fn list_empresas(&self) -> Result<Vec<Empresa>> {
        let mut all = self.world().empresas.clone();
        all.sort_by_key(|e| (!e.por_defecto, e.nombre.clone()));
        Ok(all)
    }

    async fn create_lead(&self, mut command: CreateLead) -> Result<Done> {
        let por_defecto = self.world().por_defecto().map(|e| e.id);
        command.empresa = command.empresa.or(por_defecto);
        self.with_key(Step::Create(Box::new(command)))
    }

    async fn update_contact(&self, command: UpdateContact) -> Result<()> {
        self.make(Step::Contact(command))
    }

    async fn record(&self, lead: LeadId) -> Result<LeadRecord> {
        self.world().record(lead)
    }

    async fn list_leads(
        &self,
        filter: LeadFilter,
        cursor: Option<Cursor>,
        limit: u32,
    ) -> Result<Vec<LeadSummary>> {
        let mut list = self.world().list(&filter);
        list.retain(|r| cursor.is_none_or(|c| (r.lead.creado_en, r.lead.id) < (c.creado_en, c.id)));
        list.truncate(limit as usize);
        Ok(list)
    }

    async fn events(
        &self,
        lead: LeadId,
        cursor: Option<EventCursor>,
        limit: u32,
    ) -> Result<Vec<ListedEvent>> {
        let mut events = self.world().events(lead)?;
        events.retain(|e| cursor.is_none_or(|c| e.cursor > c));
        events.truncate(limit as usize);
        Ok(events)
    }

    async fn history(&self, lead: LeadId) -> Result<Vec<StateChange>> {
        let world = self.world();
        world.record(lead)?;
        Ok(world.history(lead).to_vec())
    }

    async fn append_turno(&self, command: AppendTurno) -> Result<Done> {
        self.with_key(Step::Turno(command))
    }

    async fn update_perfil(&self, command: UpdatePerfil) -> Result<Done> {
        self.with_key(Step::Perfil(command))
    }

    async fn clear_perfil(&self, command: ClearPerfil) -> Result<()> {
        self.make(Step::Empty(command))
    }

    async fn set_nota(&self, command: SetNota) -> Result<()> {
        self.make(Step::Nota(command))
    }

    async fn upsert_calificacion(&self, command: UpsertCalificacion) -> Result<Done> {
        self.with_key(Step::Calificacion(command))
    }

    async fn record_intento(&self, command: RecordIntento) -> Result<Done> {
        self.with_key(Step::Intento(command))
    }

    async fn ingest(&self, command: Ingest) -> Result<Done> {
        self.with_key(Step::Ingesta(command))
    }

    async fn record_event(&self, command: RecordEvent) -> Result<Done> {
        self.with_key(Step::Event(command))
    }

    async fn foto(&self, lead: LeadId, foto: FotoId) -> Result<Foto> {
        let record = self.world().record(lead).map_err(|_| StoreError::FotoNotFound)?;
        record.fotos.into_iter().find(|f| f.id == foto).ok_or(StoreError::FotoNotFound)
    }

    async fn delete_foto(&self, lead: LeadId, foto: FotoId) -> Result<()> {
        self.make(Step::DeleteFoto(lead, foto))
    }

    async fn blob_in_use(&self, lead: LeadId, digest: Digest) -> Result<bool> {
        Ok(self.world().in_use(lead, digest))
    }

    async fn mark_blob(&self, lead: LeadId, digest: Digest, at: Timestamp) -> Result<Option<i64>> {
        let mut world = self.world();
        let is_marked = world.make(Step::Mark(lead, digest, at))? == "true";
        Ok(is_marked.then(|| world.marks[&(lead, digest)].0.nth))
    }

    async fn blob_swept(&self, lead: LeadId, digest: Digest, nth: i64) -> Result<()> {
        let mut world = self.world();
        let esa = world.marks.get(&(lead, digest)).is_some_and(|(m, _)| m.nth == nth);
        if esa { world.make(Step::Sweep(lead, digest)).map(drop) } else { Ok(()) }
    }

    async fn blob_marks(&self, lead: LeadId) -> Result<Vec<BlobMark>> {
        let world = self.world();
        Ok(world.marks.iter().filter(|((of, _), _)| *of == lead).map(|(_, (brand, _))| *brand).collect())
    }

    async fn purge_marks(&self, antes: Timestamp, max: u32) -> Result<u64> {
        let mut world = self.world();
        let traces = world.marks.iter().filter(|(_, (brand, at))| brand.sweep && *at < antes);
        let these: Vec<_> = traces.map(|(k, _)| *k).take(max as usize).collect();
        world.marks.retain(|k, _| !these.contains(k));
        Ok(these.len() as u64)
    }

    async fn marked_blobs(&self) -> Result<Vec<(LeadId, Digest)>> {
        Ok(self.world().marked())
    }

    async fn purge_idempotency(&self, at: Timestamp, max: u32) -> Result<u64> {
        Ok(self.world().purge(at, max))
    }
}

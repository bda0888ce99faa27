//! The model as a store, so that the suite is tested by itself: a case and the model that disagree show a mistake in
//! one of them before any engine is blamed. Nothing here is durable, and nothing ships.

use std::sync::{Arc, Mutex, MutexGuard};

use async_trait::async_trait;
use embudo_domain::empresa::Empresa;
use embudo_domain::ficha::{CambioEstado, Ficha, Foto, LeadResumen};
use embudo_domain::{EmpresaId, FotoId, Huella, LeadId, Timestamp};

use super::model::steps::Paso;
use super::model::world::Mundo;
use embudo_store::command::{
    AppendTurno, ClearPerfil, CreateLead, EmpresaPatch, Ingest, MarcaBlob, RecordEvento, RecordIntento,
    SetNota, UpdateContacto, UpdatePerfil, UpsertCalificacion,
};
use embudo_store::query::{Cursor, CursorEvento, EventoEnLista, FiltroLeads};
use embudo_store::{Hecho, Result, Store, StoreError};

mod outbox;
mod quotes;

crate::store_conformance!(memoria);

async fn memoria() -> (Arc<dyn Store>, ()) {
    (Arc::new(Memoria::default()), ())
}

#[derive(Default)]
struct Memoria(Mutex<Mundo>, Mutex<quotes::Casa>);

impl Memoria {
    fn mundo(&self) -> MutexGuard<'_, Mundo> {
        self.0.lock().expect("no case panics while it holds the model")
    }

    fn hacer(&self, paso: Paso) -> Result<()> {
        self.mundo().hacer(paso).map(drop)
    }

    /// The model answers a replay as text; asking it again for the row is simpler than parsing that.
    fn con_clave(&self, paso: Paso) -> Result<Hecho> {
        let mut mundo = self.mundo();
        let antes = paso.clave().and_then(|clave| mundo.decidir(clave));
        antes.unwrap_or_else(|| mundo.hacer(paso).map(|_| Hecho::Ahora))
    }
}

impl Mundo {
    fn por_defecto(&self) -> Option<&Empresa> {
        self.empresas.iter().find(|e| e.por_defecto)
    }

    fn hacer_por_defecto(&mut self, id: EmpresaId) {
        for e in &mut self.empresas {
            e.por_defecto = e.id == id;
        }
    }

    fn anadir(&mut self, empresa: Empresa) -> Result<()> {
        if self.empresas.iter().any(|e| e.slug == empresa.slug) {
            return Err(StoreError::SlugTaken);
        }
        let (id, toma) = (empresa.id, empresa.por_defecto || self.empresas.is_empty());
        self.empresas.push(empresa);
        if toma {
            self.hacer_por_defecto(id);
        }
        Ok(())
    }
}

#[async_trait]
impl Store for Memoria {
    async fn ping(&self) -> Result<()> {
        Ok(())
    }

    async fn create_empresa(&self, empresa: Empresa, _: Timestamp) -> Result<()> {
        self.mundo().anadir(empresa)
    }

    async fn ensure_default_empresa(&self, empresa: Empresa, _: Timestamp) -> Result<Empresa> {
        let mut mundo = self.mundo();
        if mundo.por_defecto().is_none() {
            mundo.anadir(empresa)?;
        }
        Ok(mundo.por_defecto().expect("the first company is the default one").clone())
    }

    async fn update_empresa(&self, id: EmpresaId, patch: EmpresaPatch) -> Result<Empresa> {
        let mut mundo = self.mundo();
        if mundo.empresas.iter().any(|e| e.id != id && Some(&e.slug) == patch.slug.as_ref()) {
            return Err(StoreError::SlugTaken);
        }
        let empresa = mundo.empresas.iter_mut().find(|e| e.id == id).ok_or(StoreError::EmpresaNotFound)?;
        empresa.nombre = patch.nombre.unwrap_or(std::mem::take(&mut empresa.nombre));
        empresa.slug = patch.slug.unwrap_or(std::mem::take(&mut empresa.slug));
        if let Some(email) = patch.email_avisos {
            empresa.email_avisos = Some(email).filter(|e| !e.is_empty());
        }
        empresa.avisos = patch.avisos.unwrap_or(empresa.avisos);
        if patch.por_defecto {
            mundo.hacer_por_defecto(id);
        }
        Ok(mundo.empresas.iter().find(|e| e.id == id).expect("found before").clone())
    }

    async fn list_empresas(&self) -> Result<Vec<Empresa>> {
        let mut todas = self.mundo().empresas.clone();
        todas.sort_by_key(|e| (!e.por_defecto, e.nombre.clone()));
        Ok(todas)
    }

    async fn create_lead(&self, mut command: CreateLead) -> Result<Hecho> {
        let por_defecto = self.mundo().por_defecto().map(|e| e.id);
        command.empresa = command.empresa.or(por_defecto);
        self.con_clave(Paso::Crear(Box::new(command)))
    }

    async fn update_contacto(&self, command: UpdateContacto) -> Result<()> {
        self.hacer(Paso::Contacto(command))
    }

    async fn ficha(&self, lead: LeadId) -> Result<Ficha> {
        self.mundo().ficha(lead)
    }

    async fn list_leads(
        &self,
        filtro: FiltroLeads,
        cursor: Option<Cursor>,
        limit: u32,
    ) -> Result<Vec<LeadResumen>> {
        let mut lista = self.mundo().lista(&filtro);
        lista.retain(|r| cursor.is_none_or(|c| (r.lead.creado_en, r.lead.id) < (c.creado_en, c.id)));
        lista.truncate(limit as usize);
        Ok(lista)
    }

    async fn eventos(
        &self,
        lead: LeadId,
        cursor: Option<CursorEvento>,
        limit: u32,
    ) -> Result<Vec<EventoEnLista>> {
        let mut eventos = self.mundo().eventos(lead)?;
        eventos.retain(|e| cursor.is_none_or(|c| e.cursor > c));
        eventos.truncate(limit as usize);
        Ok(eventos)
    }

    async fn historial(&self, lead: LeadId) -> Result<Vec<CambioEstado>> {
        let mundo = self.mundo();
        mundo.ficha(lead)?;
        Ok(mundo.historial(lead).to_vec())
    }

    async fn append_turno(&self, command: AppendTurno) -> Result<Hecho> {
        self.con_clave(Paso::Turno(command))
    }

    async fn update_perfil(&self, command: UpdatePerfil) -> Result<Hecho> {
        self.con_clave(Paso::Perfil(command))
    }

    async fn clear_perfil(&self, command: ClearPerfil) -> Result<()> {
        self.hacer(Paso::Vaciar(command))
    }

    async fn set_nota(&self, command: SetNota) -> Result<()> {
        self.hacer(Paso::Nota(command))
    }

    async fn upsert_calificacion(&self, command: UpsertCalificacion) -> Result<Hecho> {
        self.con_clave(Paso::Calificacion(command))
    }

    async fn record_intento(&self, command: RecordIntento) -> Result<Hecho> {
        self.con_clave(Paso::Intento(command))
    }

    async fn ingest(&self, command: Ingest) -> Result<Hecho> {
        self.con_clave(Paso::Ingesta(command))
    }

    async fn record_evento(&self, command: RecordEvento) -> Result<Hecho> {
        self.con_clave(Paso::Evento(command))
    }

    async fn foto(&self, lead: LeadId, foto: FotoId) -> Result<Foto> {
        let ficha = self.mundo().ficha(lead).map_err(|_| StoreError::FotoNotFound)?;
        ficha.fotos.into_iter().find(|f| f.id == foto).ok_or(StoreError::FotoNotFound)
    }

    async fn delete_foto(&self, lead: LeadId, foto: FotoId) -> Result<()> {
        self.hacer(Paso::BorrarFoto(lead, foto))
    }

    async fn blob_in_use(&self, lead: LeadId, huella: Huella) -> Result<bool> {
        Ok(self.mundo().en_uso(lead, huella))
    }

    async fn mark_blob(&self, lead: LeadId, huella: Huella, en: Timestamp) -> Result<Option<i64>> {
        let mut mundo = self.mundo();
        let marcado = mundo.hacer(Paso::Marcar(lead, huella, en))? == "true";
        Ok(marcado.then(|| mundo.marcas[&(lead, huella)].0.vez))
    }

    async fn blob_swept(&self, lead: LeadId, huella: Huella, vez: i64) -> Result<()> {
        let mut mundo = self.mundo();
        let esa = mundo.marcas.get(&(lead, huella)).is_some_and(|(m, _)| m.vez == vez);
        if esa { mundo.hacer(Paso::Barrido(lead, huella)).map(drop) } else { Ok(()) }
    }

    async fn blob_marks(&self, lead: LeadId) -> Result<Vec<MarcaBlob>> {
        let mundo = self.mundo();
        Ok(mundo.marcas.iter().filter(|((de, _), _)| *de == lead).map(|(_, (marca, _))| *marca).collect())
    }

    async fn purge_marks(&self, antes: Timestamp, max: u32) -> Result<u64> {
        let mut mundo = self.mundo();
        let rastros = mundo.marcas.iter().filter(|(_, (marca, en))| marca.barrido && *en < antes);
        let estos: Vec<_> = rastros.map(|(k, _)| *k).take(max as usize).collect();
        mundo.marcas.retain(|k, _| !estos.contains(k));
        Ok(estos.len() as u64)
    }

    async fn marked_blobs(&self) -> Result<Vec<(LeadId, Huella)>> {
        Ok(self.mundo().marcados())
    }

    async fn purge_idempotencia(&self, en: Timestamp, max: u32) -> Result<u64> {
        Ok(self.mundo().purgar(en, max))
    }
}

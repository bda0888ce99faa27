//! The outbox: jobs committed with the data that caused them, taken under a lease, kept until they end.
//!
//! A lease says which process works on a job; it runs on the database's clock, so that the clocks of several processes do not
//! matter. When a job is *due* is said by the caller, whose clock tests can move. A lease that ran out frees the job.

use std::time::Duration;

use async_trait::async_trait;
use embudo_domain::bucle::{Bucle, PasoBucle, Plazos};
use embudo_domain::evento::Evento;
use embudo_domain::ficha::Ficha;
use embudo_domain::senal::{MensajeriaSenal, PerfilSenal};
use embudo_domain::trabajo::{Entrega, EstadoTrabajo, TipoTrabajo, Trabajo};
use embudo_domain::{LeadId, ProcesoId, Timestamp, TrabajoId};

use crate::{Outcome, Result, StoreError};

/// A job to be made, inside the command that causes it.
///
/// The engine fills in lead and company. A newer job of a kind that [`TipoTrabajo::se_sustituye`] ends older ones of the same
/// kind and lead that wait (pending and under no living lease) as [`EstadoTrabajo::Sustituido`]. A mail to the company
/// ([`TipoTrabajo::es_aviso`]) is made only if the company has an address for notices and wants them.
#[derive(Debug, Clone)]
pub struct NuevoTrabajo {
    /// Its id.
    pub id: TrabajoId,
    /// What it sends.
    pub tipo: TipoTrabajo,
    /// What it says.
    pub carga: CargaNueva,
    /// The process that will try first; `None` leaves it to whoever comes.
    pub arriendo: Option<Arriendo>,
    /// When it is due; `None`: at once.
    pub proximo_en: Option<Timestamp>,
}

/// What a new job says.
#[derive(Debug, Clone)]
pub enum CargaNueva {
    /// The profile as it stands at the end of this very transaction
    /// ([`PerfilSenal::from`](embudo_domain::senal::PerfilSenal::from), as JSON).
    Perfil,
    /// The start of a conversation ([`MensajeriaSenal::from`](embudo_domain::senal::MensajeriaSenal::from), as JSON).
    Mensajeria,
    /// This text.
    Texto(String),
}

impl NuevoTrabajo {
    /// The job as it will stand, with what it says fixed now. `None`: the lead's company does not want it.
    ///
    /// A record without photos and notes will do, except for [`CargaNueva::Perfil`].
    pub fn make(&self, ficha: &Ficha, en: Timestamp) -> Result<Option<Trabajo>> {
        let empresa = &ficha.lead.empresa;
        if self.tipo.es_aviso() && !empresa.wants_notices() {
            return Ok(None);
        }
        Ok(Some(Trabajo {
            id: self.id,
            lead: ficha.lead.id,
            empresa: empresa.id,
            tipo: self.tipo,
            carga: self.carga.text(ficha)?,
            estado: EstadoTrabajo::Pendiente,
            intentos: 0,
            proximo_en: self.proximo_en.unwrap_or(en),
            en_duda: false,
            ultimo_error: None,
            creado_en: en,
            terminado_en: None,
        }))
    }
}

impl CargaNueva {
    fn text(&self, ficha: &Ficha) -> Result<String> {
        let json = match self {
            Self::Perfil => serde_json::to_string(&PerfilSenal::from(ficha)),
            Self::Mensajeria => serde_json::to_string(&MensajeriaSenal::from(&ficha.lead)),
            Self::Texto(texto) => return Ok(texto.clone()),
        };
        json.map_err(|e| StoreError::Internal(format!("a signal cannot be written as JSON: {e}")))
    }
}

/// A lease.
#[derive(Debug, Clone, Copy)]
pub struct Arriendo {
    /// Who holds it.
    pub quien: ProcesoId,
    /// How long from now, by the database's clock.
    pub dura: Duration,
}

/// How many jobs of a kind a process would take.
#[derive(Debug, Clone, Copy)]
pub struct Cupo {
    /// The kind.
    pub tipo: TipoTrabajo,
    /// At most so many.
    pub cuantos: u32,
    /// Only jobs that were never tried: the receiver is known to be down.
    pub solo_primeros: bool,
}

/// How an attempt ended, to be written down as a whole.
#[derive(Debug, Clone)]
pub struct FinIntento {
    /// Which job.
    pub id: TrabajoId,
    /// Who tried.
    pub quien: ProcesoId,
    /// What becomes of the job.
    pub resultado: Resultado,
    /// The line of the delivery log.
    pub entrega: Entrega,
    /// What the lead's history says.
    pub evento: Option<Evento>,
    /// A failed attempt of a profile signal: what its event says if something of what it asks for came in since its first attempt
    /// (of this run, where a person had it tried again). The job is then `Hecho` all the same, its event is ok, and `trabajos` are
    /// not made; a newer job of its kind comes first.
    pub answered: Option<String>,
    /// The loop starts if the job is `Hecho`
    /// ([`Bucle::tras_senal`](embudo_domain::bucle::Bucle::tras_senal), with what came in since the job was made).
    pub bucle: Option<Plazos>,
    /// Jobs that follow from it (a notice to the company).
    pub trabajos: Vec<NuevoTrabajo>,
    /// Now.
    pub en: Timestamp,
}

/// What becomes of a job after an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resultado {
    /// It was accepted.
    Hecho,
    /// Again at this moment; if a newer job took its place meanwhile, it ends as `Sustituido` instead.
    Reintentar(Timestamp),
    /// Never again by itself.
    Muerto,
    /// A person decides.
    Aparcado,
}

/// Which jobs a list shows.
#[derive(Debug, Clone, Default)]
pub struct FiltroTrabajos {
    /// In this state.
    pub estado: Option<EstadoTrabajo>,
    /// Of this kind.
    pub tipo: Option<TipoTrabajo>,
    /// Of this lead.
    pub lead: Option<LeadId>,
}

/// How many jobs of a kind are in a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct JobCount {
    /// The kind.
    pub tipo: TipoTrabajo,
    /// The state.
    pub estado: EstadoTrabajo,
    /// How many.
    pub count: u64,
}

/// A lead whose step in the loop is overdue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BucleVencido {
    /// The lead.
    pub lead: LeadId,
    /// The step.
    pub paso: PasoBucle,
    /// Signals already sent by themselves.
    pub resenales: u32,
}

/// Writes down that a step is overdue.
#[derive(Debug, Clone)]
pub struct VencerBucle {
    /// The lead.
    pub lead: LeadId,
    /// The step; nothing happens if the lead has moved on.
    pub paso: PasoBucle,
    /// What the lead's history says.
    pub evento: Evento,
    /// A new profile signal, counted as sent by itself. The flag is set all the same; the accepted signal clears it.
    pub resenal: Option<NuevoTrabajo>,
    /// Notices to the company.
    pub avisos: Vec<NuevoTrabajo>,
    /// Now.
    pub en: Timestamp,
}

impl VencerBucle {
    /// Where the lead stands once it is marked. `None`: it has moved on, or is marked already. A step that a newer signal started over
    /// since it was listed is not overdue.
    pub fn decide(&self, antes: Option<Bucle>) -> Option<Bucle> {
        let is_overdue = |b: &Bucle| b.paso == self.paso && !b.vencido && b.limite <= self.en;
        let bucle = antes.filter(is_overdue)?;
        let resenales = bucle.resenales + u32::from(self.resenal.is_some());
        Some(Bucle { vencido: true, resenales, ..bucle })
    }
}

/// The outbox.
#[async_trait]
pub trait Cola: Send + Sync + 'static {
    /// Takes jobs that are pending, due at `ahora` and under no living lease, oldest due first, and leases them.
    /// Several processes never take the same one.
    async fn claim(&self, cupos: Vec<Cupo>, arriendo: Arriendo, ahora: Timestamp) -> Result<Vec<Trabajo>>;
    /// Prolongs the leases of these jobs; returns those that this process still holds.
    async fn renew(&self, ids: Vec<TrabajoId>, arriendo: Arriendo) -> Result<Vec<TrabajoId>>;
    /// Gives back every job this process holds: at a clean stop, and at the start after a crash. `en_duda` stays.
    async fn release(&self, quien: ProcesoId) -> Result<u64>;
    /// Notes that a mail is about to be handed over (`en_duda`). `false` if the job is no longer this process's.
    async fn begin_send(&self, id: TrabajoId, quien: ProcesoId) -> Result<bool>;
    /// Writes down how an attempt ended, counts it, and frees the job. `false`, and nothing done, if the job is no longer
    /// this process's. Clears `en_duda` except for [`Resultado::Aparcado`].
    async fn finish(&self, fin: FinIntento) -> Result<bool>;
    /// When the next pending job of these kinds that nobody holds is due, or the next lease of any kind runs out.
    async fn next_due(&self, tipos: Vec<TipoTrabajo>) -> Result<Option<Timestamp>>;
    /// Resolves when another process may have made work for this one; may take for ever.
    async fn woken(&self);

    /// One job and its delivery log, oldest attempt first. [`crate::StoreError::TrabajoNotFound`].
    async fn trabajo(&self, id: TrabajoId) -> Result<(Trabajo, Vec<Entrega>)>;
    /// Several jobs, as they stand, in the order asked; unknown ones are left out.
    async fn trabajos(&self, ids: Vec<TrabajoId>) -> Result<Vec<Trabajo>>;
    /// Several jobs that this process has just made under its own lease, to be tried at once; in the order asked, unknown ones left
    /// out. An engine may know them without asking the database ([`crate::Recientes`]).
    async fn recien_hechos(&self, ids: Vec<TrabajoId>) -> Result<Vec<Trabajo>> {
        self.trabajos(ids).await
    }
    /// Jobs, newest first (`creado_en`, `id`), at most `limit`, after the one given.
    async fn list_trabajos(
        &self,
        filtro: FiltroTrabajos,
        despues_de: Option<(Timestamp, TrabajoId)>,
        limit: u32,
    ) -> Result<Vec<Trabajo>>;
    /// How many jobs are pending, dead and parked, by kind; kinds without any are left out.
    async fn count_trabajos(&self) -> Result<Vec<JobCount>>;
    /// Makes a job that ended otherwise than `Hecho` pending and due at `en`, with all its attempts before it, and no longer in
    /// doubt; a pending one becomes due now. [`crate::StoreError::TrabajoNotFound`], [`crate::StoreError::TrabajoTerminado`] if it is `Hecho`.
    async fn retry(&self, id: TrabajoId, en: Timestamp) -> Result<()>;
    /// Ends a job that need not be sent. [`crate::StoreError::TrabajoNotFound`], [`crate::StoreError::TrabajoTerminado`] if it is `Hecho`.
    async fn discard(&self, id: TrabajoId, en: Timestamp) -> Result<()>;
    /// Deletes at most `max` jobs that ended before `antes`, with their logs; returns how many.
    async fn purge_trabajos(&self, antes: Timestamp, max: u32) -> Result<u64>;

    /// Stores the final outcome of a call whose key was stored with a provisional one. The key is free again at `expira_en`, or
    /// when it would have been; an outcome that is final already stays as it is, and so does its end.
    async fn complete_outcome(
        &self,
        ambito: String,
        clave: String,
        outcome: Outcome,
        expira_en: Option<Timestamp>,
    ) -> Result<()>;

    /// Leads whose step is overdue at `ahora` and not yet marked so.
    async fn bucles_vencidos(&self, ahora: Timestamp, max: u32) -> Result<Vec<BucleVencido>>;
    /// Marks one, in one transaction with its event and signal; `false` if the lead has moved on or is marked already.
    async fn vencer_bucle(&self, command: VencerBucle) -> Result<bool>;
}

//! Use cases that take more than one step, the outbox worker, and housekeeping.
//!
//! A one-step command goes from the HTTP handler straight to the [`Store`]; what needs blobs and rows together, sends
//! something out, or runs by itself, is here, one file each. Ids and times are made here ([`App::id`], [`App::ahora`]) and
//! nowhere else. This crate must not know HTTP, SQL or settings.

mod avisos;
mod barrido;
mod blobs;
mod bucle;
mod call_end;
mod carta;
mod client_answer;
mod cortacircuitos;
mod error;
mod finalize_once;
mod formulario;
mod foto;
mod ingesta;
mod intento;
mod lead;
mod limpieza;
mod mensajeria;
mod obrero;
mod presupuesto;
mod ready;
mod reloj;
mod rendiciones;
mod salidas;
mod takeover;
mod taller;
mod trabajo;

use std::sync::Arc;

use embudo_blobs::Blobs;
use embudo_domain::Timestamp;
use embudo_store::Store;
use embudo_supervisor::Supervisor;

pub use barrido::{Barrido, Orphans};
pub use call_end::CallEnd;
pub use client_answer::{ClientAnswer, TEXTO_ACEPTACION};
pub use embudo_delivery::{Pase, PaseInvalido, Pases};
pub use embudo_quote::{Dibujante, Hijo, Limites as LimitesPlantilla, Plantilla, hijo as quote_child};
pub use error::AppError;
pub use finalize_once::KnownBy;
pub use formulario::{Boleto, VIDA_DEL_PASE};
pub use foto::{Bytes as BytesDeFoto, Recibida};
pub use limpieza::{EDAD_MINIMA_BLOB, Ritmo};
pub use presupuesto::logo;
pub use reloj::{Reloj, RelojDelSistema};
pub use rendiciones::Tamano;
pub use salidas::{ConEnlaces, CorreoSalida, EnDuda, Salidas};

/// The application: its storage, its clock, and what leaves the house. Clones are handles on the same one.
#[derive(Clone)]
pub struct App {
    /// The database.
    pub store: Arc<dyn Store>,
    /// Photos' bytes.
    pub blobs: Blobs,
    /// What is configured to leave the house.
    pub salidas: Arc<Salidas>,
    /// What runs beside the requests.
    pub supervisor: Supervisor,
    reloj: Arc<dyn Reloj>,
    taller: Arc<taller::Taller>,
    fotos: Arc<rendiciones::Fotos>,
    readiness: Arc<ready::Readiness>,
}

impl App {
    /// An application on this storage, with the system's clock.
    pub fn new(store: Arc<dyn Store>, blobs: Blobs, salidas: Salidas) -> Self {
        Self::con_reloj(store, blobs, salidas, Arc::new(RelojDelSistema))
    }

    /// An application with a clock of the caller's.
    pub fn con_reloj(store: Arc<dyn Store>, blobs: Blobs, salidas: Salidas, reloj: Arc<dyn Reloj>) -> Self {
        Self {
            store,
            blobs,
            salidas: Arc::new(salidas),
            supervisor: Supervisor::default(),
            reloj,
            taller: Arc::default(),
            fotos: Arc::default(),
            readiness: Arc::default(),
        }
    }

    /// Now, to the microsecond that both engines keep.
    pub fn ahora(&self) -> Timestamp {
        embudo_domain::fecha::a_microsegundos(self.reloj.ahora())
    }

    /// A new id; later ones sort after earlier ones.
    pub fn id(&self) -> uuid::Uuid {
        uuid::Uuid::now_v7()
    }
}

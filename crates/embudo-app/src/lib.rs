//! Use cases that take more than one step, and housekeeping.
//!
//! A one-step command goes from the HTTP handler straight to the [`Store`]; what needs blobs and rows together, or
//! runs by itself, is here, one file each. Ids and times are made here ([`App::id`], [`App::ahora`]) and nowhere else. This
//! crate must not know HTTP, SQL or settings.

mod barrido;
mod error;
mod foto;
mod ingesta;
mod lead;
mod limpieza;
mod reloj;

use std::sync::Arc;

use embudo_blobs::Blobs;
use embudo_domain::Timestamp;
use embudo_store::Store;

pub use barrido::Barrido;
pub use error::AppError;
pub use limpieza::Ritmo;
pub use reloj::{Reloj, RelojDelSistema};

/// The application: its storage and its clock.
#[derive(Clone)]
pub struct App {
    /// The database.
    pub store: Arc<dyn Store>,
    /// Photos' bytes.
    pub blobs: Blobs,
    reloj: Arc<dyn Reloj>,
}

impl App {
    /// An application on this storage, with the system's clock.
    pub fn new(store: Arc<dyn Store>, blobs: Blobs) -> Self {
        Self::con_reloj(store, blobs, Arc::new(RelojDelSistema))
    }

    /// An application with a clock of the caller's.
    pub fn con_reloj(store: Arc<dyn Store>, blobs: Blobs, reloj: Arc<dyn Reloj>) -> Self {
        Self { store, blobs, reloj }
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

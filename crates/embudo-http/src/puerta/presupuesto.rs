//! The bytes that request bodies may take in memory at once, all connections together.
//!
//! Small bodies are free; a larger one waits its turn, first come first served, before it is read,
//! so that two hundred uploads at once queue instead of filling the memory. It must not read.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

const UNIT_BYTES: u64 = 1024;

/// The figures of body reading.
#[derive(Debug, Clone)]
pub struct AjustesCuerpo {
    /// All bodies together; what is held is counted in KiB.
    pub total_bytes: u64,
    /// A body up to this size takes nothing from the total.
    pub libre_bytes: u64,
    /// How long a body waits for its share before it is refused.
    pub espera: Duration,
    /// The length of one window of minimum progress.
    pub ventana: Duration,
    /// What each window must bring, unless the body ends in it.
    pub ventana_minimo_bytes: u64,
}

impl Default for AjustesCuerpo {
    fn default() -> Self {
        Self {
            total_bytes: 128 * 1024 * 1024,
            libre_bytes: 64 * 1024,
            espera: Duration::from_secs(15),
            ventana: Duration::from_secs(10),
            ventana_minimo_bytes: 16 * 1024,
        }
    }
}

/// The shared budget. Clones are handles on the same one.
#[derive(Debug, Clone)]
pub struct Presupuesto {
    ajustes: Arc<AjustesCuerpo>,
    units: Arc<Semaphore>,
    total_units: u32,
}

impl Default for Presupuesto {
    fn default() -> Self {
        Self::new(AjustesCuerpo::default())
    }
}

impl Presupuesto {
    /// A budget of its own with these figures.
    #[must_use]
    pub fn new(ajustes: AjustesCuerpo) -> Self {
        let most = u64::try_from(Semaphore::MAX_PERMITS).unwrap_or(u64::MAX).min(u64::from(u32::MAX));
        let total_units = u32::try_from((ajustes.total_bytes / UNIT_BYTES).clamp(1, most))
            .expect("clamped to the range of u32");
        Self {
            units: Arc::new(Semaphore::new(total_units as usize)),
            total_units,
            ajustes: Arc::new(ajustes),
        }
    }

    /// The figures it was made with.
    #[must_use]
    pub fn ajustes(&self) -> &AjustesCuerpo {
        &self.ajustes
    }

    /// What nobody holds at this moment, in bytes.
    #[must_use]
    pub fn available_bytes(&self) -> u64 {
        self.units.available_permits() as u64 * UNIT_BYTES
    }

    /// Waits for `bytes`, in order of arrival; `None` when [`AjustesCuerpo::espera`] is over. A
    /// wish larger than the whole budget waits for the whole budget, or it would wait for ever.
    pub(super) async fn reserve(&self, bytes: u64) -> Option<Permiso> {
        let units = self.units_for(bytes);
        let turn = self.units.clone().acquire_many_owned(units);
        match tokio::time::timeout(self.ajustes.espera, turn).await {
            Ok(Ok(permit)) => Some(Permiso(Some(permit))),
            Ok(Err(_closed)) => unreachable!("the semaphore is never closed"),
            Err(_elapsed) => None,
        }
    }

    fn units_for(&self, bytes: u64) -> u32 {
        u32::try_from(bytes.div_ceil(UNIT_BYTES)).unwrap_or(u32::MAX).min(self.total_units)
    }
}

/// A share of the budget, given back when dropped. Keep it as long as the bytes.
#[derive(Debug, Default)]
pub struct Permiso(Option<OwnedSemaphorePermit>);

impl Permiso {
    /// Gives back what is not needed for `bytes`.
    pub(super) fn shrink_to(&mut self, bytes: u64) {
        if let Some(permit) = &mut self.0 {
            let needed = usize::try_from(bytes.div_ceil(UNIT_BYTES)).unwrap_or(usize::MAX);
            let spare = permit.num_permits().saturating_sub(needed);
            drop(permit.split(spare));
        }
    }
}

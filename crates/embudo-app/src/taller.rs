//! What the attempts of this process share: places by kind, the record of each receiver, and who is at work.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use embudo_domain::trabajo::TipoTrabajo;
use embudo_domain::{Timestamp, TrabajoId};
use embudo_store::cola::Cupo;
use tokio::sync::{Notify, Semaphore};

use crate::cortacircuitos::{Cortacircuitos, Paso};
use crate::jobs::Salud;

/// Attempts at the same time, by kind: one slow receiver takes no place from another, and a mail server is spared.
const SENALES_A_LA_VEZ: usize = 128;
const CORREOS_A_LA_VEZ: usize = 8;
/// Drawing takes a processor, not a line.
const PRESUPUESTOS_A_LA_VEZ: usize = 2;

/// What the attempts of this process share.
pub(crate) struct Taller {
    pub plazas: BTreeMap<TipoTrabajo, Arc<Semaphore>>,
    cortacircuitos: Mutex<BTreeMap<TipoTrabajo, Cortacircuitos>>,
    en_curso: Mutex<BTreeSet<TrabajoId>>,
    pub hay_trabajo: Notify,
    pub libre: Notify,
}

impl Default for Taller {
    fn default() -> Self {
        let plazas = TipoTrabajo::TODOS.map(|tipo| {
            let cuantas = match tipo {
                TipoTrabajo::Presupuesto => PRESUPUESTOS_A_LA_VEZ,
                tipo if tipo.es_correo() => CORREOS_A_LA_VEZ,
                _ => SENALES_A_LA_VEZ,
            };
            (tipo, Arc::new(Semaphore::new(cuantas)))
        });
        Self {
            plazas: plazas.into(),
            cortacircuitos: Mutex::default(),
            en_curso: Mutex::default(),
            hay_trabajo: Notify::new(),
            libre: Notify::new(),
        }
    }
}

impl Taller {
    /// Says that there may be something to claim.
    pub fn avisar(&self) {
        self.hay_trabajo.notify_one();
    }

    pub fn cupos(&self, ahora: Timestamp) -> Vec<Cupo> {
        let cortacircuitos = self.cortacircuitos.lock().unwrap_or_else(PoisonError::into_inner);
        let cupo = |(tipo, plazas): (&TipoTrabajo, &Arc<Semaphore>)| {
            let libres = u32::try_from(plazas.available_permits()).unwrap_or(u32::MAX);
            let (cuantos, solo_primeros) =
                match cortacircuitos.get(tipo).map_or(Paso::Libre, |c| c.paso(ahora)) {
                    Paso::Libre => (libres, false),
                    Paso::Uno => (libres.min(1), false),
                    Paso::Primeros => (libres, true),
                };
            Cupo { tipo: *tipo, cuantos, solo_primeros }
        };
        self.plazas.iter().map(cupo).filter(|c| c.cuantos > 0).collect()
    }

    pub fn anotar(&self, tipo: TipoTrabajo, salud: Salud, ahora: Timestamp) {
        let is_well = match salud {
            Salud::Buena => true,
            Salud::Mala => false,
            Salud::Desconocida => return,
        };
        let mut cortacircuitos = self.cortacircuitos.lock().unwrap_or_else(PoisonError::into_inner);
        cortacircuitos.entry(tipo).or_default().anotar(is_well, ahora);
    }

    pub fn en_curso(&self) -> Vec<TrabajoId> {
        self.en_curso.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect()
    }

    pub fn entrar(self: &Arc<Self>, id: TrabajoId) -> EnCurso {
        self.en_curso.lock().unwrap_or_else(PoisonError::into_inner).insert(id);
        EnCurso { taller: self.clone(), id }
    }

    /// The same, unless the job is being tried already: a process that stalled finds its own leases run out.
    pub fn enter_once(self: &Arc<Self>, id: TrabajoId) -> Option<EnCurso> {
        let is_new = self.en_curso.lock().unwrap_or_else(PoisonError::into_inner).insert(id);
        is_new.then(|| EnCurso { taller: self.clone(), id })
    }
}

/// A job that is being tried; its lease is kept alive while this lives.
pub(crate) struct EnCurso {
    taller: Arc<Taller>,
    id: TrabajoId,
}

impl Drop for EnCurso {
    fn drop(&mut self) {
        self.taller.en_curso.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.id);
        self.taller.libre.notify_waiters();
    }
}

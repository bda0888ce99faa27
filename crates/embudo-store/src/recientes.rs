//! Jobs that were just made, kept in memory for whoever tries them first.
//!
//! A request that makes a job tries it at once. What the job says was decided inside its transaction, so the engine leaves it
//! here after the commit and spares the read. Nothing depends on it: what is not found is read from the database.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use embudo_domain::TrabajoId;
use embudo_domain::trabajo::Trabajo;

/// The most jobs that are kept. A caller that gave up leaves its job behind, so the number must have an end.
const MAX: usize = 512;
/// A job that says more than this is read again instead.
const MAX_CARGA: usize = 32 * 1024;

/// The jobs, by id.
#[derive(Debug, Default)]
pub struct Recientes(Mutex<HashMap<TrabajoId, Trabajo>>);

impl Recientes {
    /// Leaves jobs that are committed and under a lease of this process.
    pub fn dejar(&self, trabajos: impl IntoIterator<Item = Trabajo>) {
        let mut trabajos = trabajos.into_iter().filter(|t| t.carga.len() <= MAX_CARGA).peekable();
        if trabajos.peek().is_none() {
            return;
        }
        let mut dejados = self.dejados();
        for trabajo in trabajos {
            if dejados.len() >= MAX {
                dejados.clear();
            }
            dejados.insert(trabajo.id, trabajo);
        }
    }

    /// Takes these jobs, in the order asked; `None` if one of them is not here.
    pub fn tomar(&self, ids: &[TrabajoId]) -> Option<Vec<Trabajo>> {
        let mut dejados = self.dejados();
        ids.iter().map(|id| dejados.remove(id)).collect()
    }

    fn dejados(&self) -> MutexGuard<'_, HashMap<TrabajoId, Trabajo>> {
        // A map of jobs is whole whatever panicked while holding it.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use embudo_domain::trabajo::{EstadoTrabajo, TipoTrabajo};
    use embudo_domain::{EmpresaId, LeadId, Timestamp};
    use uuid::Uuid;

    use super::*;

    fn trabajo(carga: &str) -> Trabajo {
        Trabajo {
            id: TrabajoId(Uuid::new_v4()),
            lead: LeadId(Uuid::new_v4()),
            empresa: EmpresaId(Uuid::new_v4()),
            tipo: TipoTrabajo::Perfil,
            carga: carga.to_owned(),
            estado: EstadoTrabajo::Pendiente,
            intentos: 0,
            proximo_en: Timestamp::UNIX_EPOCH,
            en_duda: false,
            ultimo_error: None,
            creado_en: Timestamp::UNIX_EPOCH,
            terminado_en: None,
        }
    }

    #[test]
    fn a_job_is_taken_once_and_a_stranger_is_read() {
        let recientes = Recientes::default();
        let (uno, dos) = (trabajo("1"), trabajo("2"));
        recientes.dejar([uno.clone(), dos.clone()]);
        assert_eq!(recientes.tomar(&[dos.id, uno.id]), Some(vec![dos, uno.clone()]));
        assert_eq!(recientes.tomar(&[uno.id]), None);
    }

    #[test]
    fn it_never_grows_without_end() {
        let recientes = Recientes::default();
        let largo = trabajo(&"x".repeat(MAX_CARGA + 1));
        recientes.dejar([largo.clone()]);
        assert_eq!(recientes.tomar(&[largo.id]), None);
        recientes.dejar((0..3 * MAX).map(|_| trabajo("x")));
        assert!(recientes.dejados().len() <= MAX);
    }
}

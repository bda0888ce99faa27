//! The same call twice, one effect (contract §2.6).

use embudo_domain::{Timestamp, TrabajoId};
use jiff::SignedDuration;

use crate::Outcome;

/// What makes a call the same as an earlier one.
#[derive(Debug, Clone)]
pub struct CallKey {
    /// Method and full path, or what a use case does once.
    pub ambito: String,
    pub clave: String,
    pub cuerpo_sha256: [u8; 32],
    pub life: SignedDuration,
}

impl CallKey {
    /// What is stored with the work of the call. Jobs whose first attempt the outcome waits for make it provisional.
    pub fn with(self, outcome: Outcome, trabajos: Vec<TrabajoId>, now: Timestamp) -> Idempotencia {
        let Self { ambito, clave, cuerpo_sha256, life } = self;
        let expira_en = now + life;
        Idempotencia { ambito, clave, cuerpo_sha256, outcome, trabajos, creada_en: now, expira_en }
    }
}

/// What is stored with the work of a call that has a key.
#[derive(Debug, Clone)]
pub struct Idempotencia {
    pub ambito: String,
    pub clave: String,
    pub cuerpo_sha256: [u8; 32],
    /// Where jobs decide it, this is what is known so far.
    pub outcome: Outcome,
    /// The jobs whose first attempt the outcome waits for; empty means that it is final.
    pub trabajos: Vec<TrabajoId>,
    pub creada_en: Timestamp,
    /// From when on the key is free again.
    pub expira_en: Timestamp,
}

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hecho {
    /// It was done now.
    Ahora,
    /// It was done before under the same key, and this came of it.
    Antes(Outcome),
    /// It was done before under the same key, and its outcome waits for these jobs, or waited when its process died.
    EnCurso {
        /// What was known when the work was committed.
        outcome: Outcome,
        trabajos: Vec<TrabajoId>,
    },
}

/// A stored key, as an engine reads it.
#[derive(Debug)]
pub struct KeyRow {
    pub cuerpo_sha256: Vec<u8>,
    pub status: i32,
    pub cuerpo: String,
    pub trabajos: String,
    pub expira_en: Timestamp,
}

/// What a stored key means for a call that brings it again.
///
/// Engines find the row; this decides, so that both decide alike. `None`: the row has expired and the key is free.
pub fn decide(row: &KeyRow, key: &Idempotencia) -> Option<crate::Result<Hecho>> {
    if row.expira_en <= key.creada_en {
        return None;
    }
    if row.cuerpo_sha256 != key.cuerpo_sha256 {
        return Some(Err(crate::StoreError::KeyReused));
    }
    let trabajos = read_jobs(&row.trabajos);
    let outcome = Outcome::read(&key.ambito, row.status, &row.cuerpo);
    Some(outcome.map(|outcome| match trabajos.is_empty() {
        true => Hecho::Antes(outcome),
        false => Hecho::EnCurso { outcome, trabajos },
    }))
}

/// The job ids of a provisional outcome as one text, for the engines' column; empty for none.
pub fn write_jobs(trabajos: &[TrabajoId]) -> String {
    trabajos.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

fn read_jobs(texto: &str) -> Vec<TrabajoId> {
    texto.split_whitespace().filter_map(embudo_domain::ids::parse_uuid).map(TrabajoId).collect()
}

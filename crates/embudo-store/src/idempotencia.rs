//! The same call twice, one effect (contract §2.6).

use embudo_domain::{Timestamp, TrabajoId};

/// What is stored with the work of a call that carries an `Idempotency-Key`.
#[derive(Debug, Clone)]
pub struct Idempotencia {
    /// Method and full path.
    pub ambito: String,
    /// The key.
    pub clave: String,
    /// SHA-256 of the body's bytes.
    pub cuerpo_sha256: [u8; 32],
    /// The answer. Where jobs decide it, this is what is known so far.
    pub respuesta: Respuesta,
    /// The jobs whose first attempt the answer waits for; empty means that the answer is final.
    pub trabajos: Vec<TrabajoId>,
    /// Now.
    pub creada_en: Timestamp,
    /// From when on the key is free again.
    pub expira_en: Timestamp,
}

/// An answer as it was first given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Respuesta {
    /// HTTP status.
    pub status: u16,
    /// `Location` header, if it had one.
    pub location: Option<String>,
    /// The JSON body.
    pub cuerpo: String,
}

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hecho {
    /// It was done now.
    Ahora,
    /// It was done before under the same key; this was the answer.
    Antes(Respuesta),
    /// It was done before under the same key, and its answer waits for these jobs, or waited when its process died.
    EnCurso {
        /// What was known when the work was committed.
        respuesta: Respuesta,
        /// The jobs that decide the rest.
        trabajos: Vec<TrabajoId>,
    },
}

/// A stored key.
#[derive(Debug)]
pub struct Fila {
    /// SHA-256 of the first call's body.
    pub cuerpo_sha256: Vec<u8>,
    /// Its answer, final or so far.
    pub respuesta: Respuesta,
    /// The jobs that a provisional answer waits for; empty once it is final.
    pub trabajos: Vec<TrabajoId>,
    /// From when on the key is free again.
    pub expira_en: Timestamp,
}

/// What a stored key means for a call that brings it again.
///
/// Engines find the row; this decides, so that both decide alike. `None`: the row has expired and the key is free.
pub fn decidir(fila: Fila, cuerpo_sha256: &[u8; 32], ahora: Timestamp) -> Option<crate::Result<Hecho>> {
    if fila.expira_en <= ahora {
        return None;
    }
    if fila.cuerpo_sha256 != cuerpo_sha256 {
        return Some(Err(crate::StoreError::KeyReused));
    }
    let Fila { respuesta, trabajos, .. } = fila;
    Some(Ok(if trabajos.is_empty() {
        Hecho::Antes(respuesta)
    } else {
        Hecho::EnCurso { respuesta, trabajos }
    }))
}

/// The job ids of a provisional answer as one text, for the engines' column; empty for none.
pub fn escribir_trabajos(trabajos: &[TrabajoId]) -> String {
    trabajos.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// Reads [`escribir_trabajos`] back.
pub fn leer_trabajos(texto: &str) -> Vec<TrabajoId> {
    texto.split_whitespace().filter_map(embudo_domain::ids::parse_uuid).map(TrabajoId).collect()
}

//! The same call twice, one effect (contract §2.6).

use embudo_domain::Timestamp;

/// What is stored with the work of a call that carries an `Idempotency-Key`.
#[derive(Debug, Clone)]
pub struct Idempotencia {
    /// Method and full path.
    pub ambito: String,
    /// The key.
    pub clave: String,
    /// SHA-256 of the body's bytes.
    pub cuerpo_sha256: [u8; 32],
    /// The answer, where it is known before the work is done; stored in the same transaction.
    pub respuesta: Option<Respuesta>,
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
}

/// What a stored key means for a call that brings it again.
///
/// Engines find the row; this decides, so that both decide alike. `None`: the row has expired and the key is free.
pub fn decidir(fila: &Fila, cuerpo_sha256: &[u8; 32], ahora: Timestamp) -> Option<crate::Result<Hecho>> {
    if fila.expira_en <= ahora {
        return None;
    }
    if fila.cuerpo_sha256 != cuerpo_sha256 {
        return Some(Err(crate::StoreError::KeyReused));
    }
    Some(match &fila.respuesta {
        Some(respuesta) => Ok(Hecho::Antes(respuesta.clone())),
        None => Err(crate::StoreError::KeyInProgress),
    })
}

/// A stored key.
#[derive(Debug)]
pub struct Fila {
    /// SHA-256 of the first call's body.
    pub cuerpo_sha256: Vec<u8>,
    /// Its answer, once known.
    pub respuesta: Option<Respuesta>,
    /// From when on the key is free again.
    pub expira_en: Timestamp,
}

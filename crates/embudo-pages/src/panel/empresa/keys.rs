//! The company's API keys, as `/panel/empresa/conexiones` lists them. A key is shown only once, when it is created.

use embudo_domain::company_key::CompanyKey;
use embudo_domain::{EmpresaId, Timestamp};

use crate::WebState;
use crate::panel::words::ago;
use crate::parts::Refusal;

/// The field with the name of a new key.
pub(super) const NAME: &str = "clave_nombre";

/// A key in the list.
pub(super) struct ShownKey {
    pub id: String,
    pub nombre: String,
    pub prefix: String,
    pub made: String,
    pub used: String,
    pub revoked: Option<String>,
}

/// The company's keys, for the list.
pub(super) async fn list(state: &WebState, empresa: EmpresaId) -> Result<Vec<ShownKey>, Refusal> {
    let now = state.app.now();
    let mut keys = state.app.store.company_keys(empresa).await?;
    // Valid keys first. The sort is stable, so within each group the order of creation stays.
    keys.sort_by_key(|key| key.revocada_en.is_some());
    Ok(keys.into_iter().map(|key| shown(key, now)).collect())
}

fn shown(key: CompanyKey, now: Timestamp) -> ShownKey {
    ShownKey {
        id: key.id.to_string(),
        prefix: key.prefix,
        made: format!("{}, por {}", ago(key.creada_en, now), key.creada_por),
        used: match (key.usada_en, key.usada_desde) {
            (None, _) => "Todavía no".to_owned(),
            (Some(at), None) => ago(at, now),
            (Some(at), Some(ip)) => format!("{}, desde {ip}", ago(at, now)),
        },
        revoked: key.revocada_en.map(|at| ago(at, now)),
        nombre: key.nombre,
    }
}

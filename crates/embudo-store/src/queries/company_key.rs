//! API keys that are bound to one company.

use embudo_domain::EmpresaId;
use embudo_domain::company_key::{CompanyKey, LiveKey, MAX_KNOWN};

use super::Query;
use crate::rows;

fn all() -> Query<CompanyKey> {
    Query::new(include_str!("../../sql/clave_api/list.sql"), rows::company_key)
}

/// A company's keys, the newest first.
pub fn of_empresa(empresa: EmpresaId) -> Query<CompanyKey> {
    let own = all().only("empresa_id = :empresa").bind("empresa", empresa.0);
    own.then("ORDER BY creada_en DESC, id DESC LIMIT 100")
}

/// Every key in force.
pub fn live() -> Query<LiveKey> {
    Query::new(include_str!("../../sql/clave_api/list_live.sql"), rows::live_key)
        .then("ORDER BY creada_en, id LIMIT :limit")
        .bind("limit", MAX_KNOWN)
}

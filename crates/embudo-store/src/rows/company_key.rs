//! API keys that are bound to one company.

use embudo_domain::company_key::{CompanyKey, LiveKey};
use embudo_domain::{CompanyKeyId, EmpresaId};

use super::access::read_ip;
use crate::Result;
use crate::row::Columns;

pub fn company_key(c: &Columns<'_>) -> Result<CompanyKey> {
    Ok(CompanyKey {
        id: CompanyKeyId(c.get("id")?),
        empresa: EmpresaId(c.get("empresa_id")?),
        nombre: c.get("nombre")?,
        prefix: c.get("prefijo")?,
        creada_por: c.get("creada_por")?,
        creada_en: c.get("creada_en")?,
        usada_en: c.get("usada_en")?,
        usada_desde: c.word_opt("usada_desde", read_ip)?,
        revocada_en: c.get("revocada_en")?,
    })
}

pub fn live_key(c: &Columns<'_>) -> Result<LiveKey> {
    Ok(LiveKey {
        id: CompanyKeyId(c.get("id")?),
        empresa: EmpresaId(c.get("empresa_id")?),
        digest: c.get("huella")?,
        usada_en: c.get("usada_en")?,
    })
}

//! Rows of companies: data, brand, settings and price tables.

use embudo_domain::EmpresaId;
use embudo_domain::empresa::Empresa;
use embudo_domain::notice::Topics;
use embudo_domain::settings::Settings;

use crate::Result;
use crate::empresas::{StoredBrand, StoredTarifa, TarifaVersion};
use crate::row::Columns;

pub fn empresa(c: &Columns<'_>) -> Result<Empresa> {
    Ok(Empresa {
        id: EmpresaId(c.get("id")?),
        nombre: c.get("nombre")?,
        slug: c.get("slug")?,
        por_defecto: c.get("por_defecto")?,
        email_avisos: c.get("email_avisos")?,
        notices: c.get("avisos")?,
        topics: c.word("avisos_elegidos", Topics::parse)?,
        personal_topics: c.word("avisos_personas", Topics::parse)?,
    })
}

pub fn tarifa(c: &Columns<'_>) -> Result<StoredTarifa> {
    Ok(StoredTarifa {
        version: c.get("version")?,
        since: c.get("desde")?,
        text: c.get("texto")?,
        creada_en: c.get("creado_en")?,
    })
}

pub fn tarifa_version(c: &Columns<'_>) -> Result<TarifaVersion> {
    Ok(TarifaVersion { version: c.get("version")?, since: c.get("desde")?, creada_en: c.get("creado_en")? })
}

/// A brand, without the bytes of its logo.
pub fn brand(c: &Columns<'_>) -> Result<StoredBrand> {
    let brand = c.word_opt("datos", |json| serde_json::from_str(json).ok())?;
    Ok(StoredBrand { brand: brand.unwrap_or_default(), logo: c.get("logo_huella")? })
}

pub fn settings(c: &Columns<'_>) -> Result<Settings> {
    c.word("datos", |json| serde_json::from_str(json).ok())
}

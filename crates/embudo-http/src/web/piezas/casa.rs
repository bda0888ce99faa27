//! The company whose page is shown, with its brand.

use embudo_domain::empresa::{Empresa, es_slug};
use embudo_domain::marca::Marca;
use embudo_domain::tarifa::Tarifa;

use super::Fallo;
use crate::Estado;

/// A company and what its clients see of it.
#[derive(Debug, Clone)]
pub(crate) struct Casa {
    /// The company.
    pub empresa: Empresa,
    /// Its brand; the default one if it has none.
    pub marca: Marca,
    /// The mark of its logo, if it has one: it stands in the logo's address, so that a new one is seen at once.
    pub logo: Option<String>,
}

impl Casa {
    /// The company with this slug.
    pub async fn de_slug(estado: &Estado, slug: &str) -> Result<Self, Fallo> {
        if !es_slug(slug) {
            return Err(Fallo::NoExiste);
        }
        Self::buscar(estado, |e| e.slug == slug).await
    }

    /// The default company.
    pub async fn por_defecto(estado: &Estado) -> Result<Self, Fallo> {
        Self::buscar(estado, |e| e.por_defecto).await
    }

    /// The company of a lead or quote that was already read.
    pub async fn de_empresa(_estado: &Estado, empresa: Empresa) -> Result<Self, Fallo> {
        Ok(Self { empresa, marca: Marca::default(), logo: None })
    }

    async fn buscar(estado: &Estado, es: impl Fn(&Empresa) -> bool) -> Result<Self, Fallo> {
        let empresas = estado.app.store.list_empresas().await?;
        let empresa = empresas.into_iter().find(es).ok_or(Fallo::NoExiste)?;
        Self::de_empresa(estado, empresa).await
    }

    /// Its logo's bytes (PNG).
    pub async fn bytes_del_logo(&self, _estado: &Estado) -> Result<Option<Vec<u8>>, Fallo> {
        Ok(None)
    }

    /// The price table that holds for it today.
    pub async fn tarifa(&self, _estado: &Estado) -> Result<Tarifa, Fallo> {
        Ok(Tarifa::por_defecto())
    }
}

//! The company whose page is shown, with its brand.

use std::borrow::Cow;

use embudo_domain::empresa::{Empresa, es_slug};
use embudo_domain::marca::Marca;
use embudo_domain::tarifa::Tarifa;

use super::Refusal;
use crate::WebState;

/// A company and what its clients see of it.
#[derive(Debug, Clone)]
pub(crate) struct Storefront {
    /// The company.
    pub empresa: Empresa,
    /// Its brand; the default one if it has none.
    pub marca: Marca,
    /// The mark of its logo, if it has one: it stands in the logo's address, so that a new one is seen at once.
    pub logo: Option<String>,
}

impl Storefront {
    /// The company with this slug.
    pub async fn de_slug(estado: &WebState, slug: &str) -> Result<Self, Refusal> {
        if !es_slug(slug) {
            return Err(Refusal::NoExiste);
        }
        Self::buscar(estado, Some(slug.to_owned())).await
    }

    /// The default company.
    pub async fn por_defecto(estado: &WebState) -> Result<Self, Refusal> {
        Self::buscar(estado, None).await
    }

    async fn buscar(estado: &WebState, slug: Option<String>) -> Result<Self, Refusal> {
        let empresa = estado.app.store.empresa_by_slug(slug).await?.ok_or(Refusal::NoExiste)?;
        Self::de_empresa(estado, empresa).await
    }

    /// The company of a lead or quote that was already read.
    pub async fn de_empresa(estado: &WebState, empresa: Empresa) -> Result<Self, Refusal> {
        let guardada = estado.app.store.marca(empresa.id).await?;
        let logo = guardada.logo.map(|huella| huella.to_string().chars().take(12).collect());
        Ok(Self { empresa, marca: guardada.marca, logo })
    }

    /// Its logo's bytes (PNG).
    pub async fn bytes_del_logo(&self, estado: &WebState) -> Result<Option<Vec<u8>>, Refusal> {
        Ok(estado.app.store.logo(self.empresa.id).await?)
    }

    /// The price table that holds for it today.
    pub async fn tarifa(&self, estado: &WebState) -> Result<Cow<'static, Tarifa>, Refusal> {
        Ok(estado.app.quotes().tarifa(self.empresa.id, estado.app.hoy()).await?)
    }
}

//! The company whose page is shown, and its brand.

use std::borrow::Cow;

use embudo_domain::brand::Brand;
use embudo_domain::empresa::{Empresa, is_slug};
use embudo_domain::tarifa::Tarifa;

use super::Refusal;
use crate::WebState;

/// A company and the brand that its clients see.
#[derive(Debug, Clone)]
pub(crate) struct Storefront {
    pub empresa: Empresa,
    /// The company's brand, or the default brand.
    pub brand: Brand,
    /// The version of the company's logo, if it has one. It is part of the logo's address, so that a new logo appears
    /// at once.
    pub logo: Option<String>,
}

impl Storefront {
    /// Reads the company with this slug.
    pub async fn of_slug(state: &WebState, slug: &str) -> Result<Self, Refusal> {
        if !is_slug(slug) {
            return Err(Refusal::NotFound);
        }
        Self::find(state, Some(slug.to_owned())).await
    }

    /// Reads the default company.
    pub async fn of_default(state: &WebState) -> Result<Self, Refusal> {
        Self::find(state, None).await
    }

    async fn find(state: &WebState, slug: Option<String>) -> Result<Self, Refusal> {
        let empresa = state.app.store.empresa_by_slug(slug).await?.ok_or(Refusal::NotFound)?;
        Self::of_empresa(state, empresa).await
    }

    /// Adds the brand to a company that was already read.
    pub async fn of_empresa(state: &WebState, empresa: Empresa) -> Result<Self, Refusal> {
        let stored = state.app.store.brand(empresa.id).await?;
        let logo = stored.logo.map(|digest| digest.to_string().chars().take(12).collect());
        Ok(Self { empresa, brand: stored.brand, logo })
    }

    /// The bytes of the company's logo (PNG).
    pub async fn logo_bytes(&self, state: &WebState) -> Result<Option<Vec<u8>>, Refusal> {
        Ok(state.app.store.logo(self.empresa.id).await?)
    }

    /// The company's price table in force today.
    pub async fn tarifa(&self, state: &WebState) -> Result<Cow<'static, Tarifa>, Refusal> {
        Ok(state.app.quotes().tarifa(self.empresa.id, state.app.today()).await?)
    }
}

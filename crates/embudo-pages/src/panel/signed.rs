//! Who is signed in, and what they may do.

use std::ops::Deref;
use std::sync::Arc;

use axum::extract::{FromRequestParts, OptionalFromRequestParts};
use embudo_app::{Actor, OpenSession, Origin};
use embudo_domain::empresa::Empresa;
use embudo_domain::role::Role;
use embudo_domain::{EmpresaId, LeadId};
use http::request::Parts;

use super::Caller;
use super::cookies::{self, Scheme};
use super::frame::Theme;
use crate::WebState;
use crate::parts::Refusal;

/// The person at the other end: their session, their companies, and the one that they look at. The gate has checked what the
/// page needs; cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Signed(Arc<Inner>);

/// What [`Signed`] shares.
#[derive(Debug)]
pub(crate) struct Inner {
    pub open: OpenSession,
    /// Their companies and what they may do there, the default one first; an administrator's are all.
    pub empresas: Vec<(Empresa, Role)>,
    /// Which of them they look at.
    chosen: Option<usize>,
    pub origin: Origin,
    pub theme: Option<Theme>,
}

impl Deref for Signed {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.0
    }
}

impl Signed {
    /// Who a token stands for; nobody, if it stands no more. What a page asks for by itself does not prolong the session.
    pub(super) async fn open(
        state: &WebState,
        token: &str,
        caller: &Caller,
    ) -> Result<Option<Self>, Refusal> {
        let access = state.app.access();
        let open = if caller.is_by_itself { access.look(token).await? } else { access.open(token).await? };
        let Some(open) = open else { return Ok(None) };
        let (origin, theme) = (caller.origin.clone(), caller.theme);
        Ok(Some(Self::of(state, open, origin, theme).await?))
    }

    async fn of(
        state: &WebState,
        open: OpenSession,
        origin: Origin,
        theme: Option<Theme>,
    ) -> Result<Self, Refusal> {
        let all = state.app.store.list_empresas().await?;
        let own = |e: Empresa| open.user.role_in(e.id).map(|role| (e, role));
        let empresas: Vec<_> = all.into_iter().filter_map(own).collect();
        let looked_at = empresas.iter().position(|(e, _)| Some(e.id) == open.session.empresa);
        let chosen = looked_at.or((!empresas.is_empty()).then_some(0));
        Ok(Self(Arc::new(Inner { open, empresas, chosen, origin, theme })))
    }

    /// The company that is looked at, and what they may do there; a person without companies looks at none.
    pub fn chosen(&self) -> Option<&(Empresa, Role)> {
        self.chosen.and_then(|i| self.empresas.get(i))
    }

    /// The company that is looked at, if they may do as much there; else 403.
    pub fn at_least(&self, role: Role) -> Result<&Empresa, Refusal> {
        match self.chosen() {
            Some((empresa, own)) if *own >= role => Ok(empresa),
            _ => Err(Refusal::Forbidden),
        }
    }

    /// A company, for what belongs to it: 404 if it is not theirs, 403 if they may not do as much there.
    pub fn within(&self, empresa: EmpresaId, role: Role) -> Result<&Empresa, Refusal> {
        let (empresa, own) = self.empresas.iter().find(|(e, _)| e.id == empresa).ok_or(Refusal::NotFound)?;
        if *own < role { Err(Refusal::Forbidden) } else { Ok(empresa) }
    }

    /// Writes down that they look at a lead: once a day, and never in the way of the page.
    pub async fn looks_at(&self, state: &WebState, lead: LeadId) {
        state.app.rights().saw(&[lead], self.open.user.id).await;
    }

    /// Who does something, for the audit log.
    pub fn actor(&self) -> Actor {
        Actor::person(&self.open.user, &self.origin)
    }
}

/// The company that the person of a token looks at.
pub(crate) async fn empresa_of(state: &WebState, token: &str) -> Result<Option<Empresa>, Refusal> {
    let Some(open) = state.app.access().look(token).await? else { return Ok(None) };
    let signed = Signed::of(state, open, Origin::default(), None).await?;
    Ok(signed.chosen().map(|(empresa, _)| empresa.clone()))
}

/// Whether a browser is signed in to a company's panel: who works there does not act as its client. It does not prolong the session.
pub(crate) async fn works_at(state: &WebState, parts: &Parts, empresa: EmpresaId) -> Result<bool, Refusal> {
    let scheme = Scheme::of(&parts.extensions, &parts.headers, &parts.uri, state);
    let Some(token) = cookies::read(&parts.headers, scheme.session_cookie()) else { return Ok(false) };
    let open = state.app.access().look(&token).await?;
    Ok(open.is_some_and(|open| open.user.role_in(empresa).is_some()))
}

impl FromRequestParts<WebState> for Signed {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &WebState) -> Result<Self, Refusal> {
        parts.extensions.get().cloned().ok_or(Refusal::Internal)
    }
}

impl OptionalFromRequestParts<WebState> for Signed {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &WebState) -> Result<Option<Self>, Refusal> {
        Ok(parts.extensions.get().cloned())
    }
}

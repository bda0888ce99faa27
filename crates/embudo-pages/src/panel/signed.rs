//! Who is signed in, and what they may do.

use std::ops::Deref;
use std::sync::Arc;

use axum::extract::{FromRequestParts, OptionalFromRequestParts};
use embudo_app::{Actor, OpenSession, Origin};
use embudo_domain::empresa::Empresa;
use embudo_domain::role::{Permission, Role};
use embudo_domain::{EmpresaId, LeadId};
use http::request::Parts;

use super::cookies::{self, Scheme};
use super::frame::Theme;
use super::{Caller, Needs};
use crate::WebState;
use crate::parts::Refusal;

/// The person at the other end: their session, their companies, and the one that they look at. The gate has checked
/// what the line of the page needs; cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Signed {
    inner: Arc<Inner>,
    /// What the line of the page needs.
    needs: Needs,
}

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
        &self.inner
    }
}

impl Signed {
    /// Who a token stands for; nobody, if it stands no more. What a page asks for by itself does not prolong the
    /// session.
    pub(super) async fn open(
        state: &WebState,
        token: &str,
        caller: &Caller,
        needs: Needs,
    ) -> Result<Option<Self>, Refusal> {
        let access = state.app.access();
        let open = if caller.is_by_itself { access.look(token).await? } else { access.open(token).await? };
        let Some(open) = open else { return Ok(None) };
        let (origin, theme) = (caller.origin.clone(), caller.theme);
        Ok(Some(Self::of(state, open, origin, theme, needs).await?))
    }

    async fn of(
        state: &WebState,
        open: OpenSession,
        origin: Origin,
        theme: Option<Theme>,
        needs: Needs,
    ) -> Result<Self, Refusal> {
        let all = state.app.store.list_empresas().await?;
        let own = |e: Empresa| open.user.role_in(e.id).map(|role| (e, role));
        let empresas: Vec<_> = all.into_iter().filter_map(own).collect();
        let looked_at = empresas.iter().position(|(e, _)| Some(e.id) == open.session.empresa);
        let chosen = looked_at.or((!empresas.is_empty()).then_some(0));
        Ok(Self { inner: Arc::new(Inner { open, empresas, chosen, origin, theme }), needs })
    }

    /// The company that is looked at, and what they may do there; a person without companies looks at none.
    pub fn chosen(&self) -> Option<&(Empresa, Role)> {
        self.chosen.and_then(|i| self.empresas.get(i))
    }

    /// The company that is looked at, if they may do there what the line of the page needs; else 403.
    pub fn empresa(&self) -> Result<&Empresa, Refusal> {
        let (empresa, role) = self.chosen().ok_or(Refusal::Forbidden)?;
        self.needs.holds(*role).then_some(empresa).ok_or(Refusal::Forbidden)
    }

    /// A company, for what belongs to it: 404 if it is not theirs, 403 if they may not do there what the line of the
    /// page needs.
    pub fn within(&self, empresa: EmpresaId) -> Result<&Empresa, Refusal> {
        let (empresa, role) = self.empresas.iter().find(|(e, _)| e.id == empresa).ok_or(Refusal::NotFound)?;
        self.needs.holds(*role).then_some(empresa).ok_or(Refusal::Forbidden)
    }

    /// Whether they may do something more in the company that is looked at.
    pub fn may(&self, permission: Permission) -> bool {
        self.chosen().is_some_and(|(_, role)| role.may(permission))
    }

    /// The same in a company.
    pub fn may_in(&self, empresa: EmpresaId, permission: Permission) -> bool {
        self.empresas.iter().any(|(e, role)| e.id == empresa && role.may(permission))
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
    let signed = Signed::of(state, open, Origin::default(), None, Needs::Person).await?;
    Ok(signed.chosen().map(|(empresa, _)| empresa.clone()))
}

/// Whether a browser is signed in to a company's panel: who works there does not act as its client. It does not prolong
/// the session.
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

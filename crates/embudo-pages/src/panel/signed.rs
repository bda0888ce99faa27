//! The signed-in person and their permissions.

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

/// The signed-in person: their session, their companies, and the current company. A handler gets it only after `gate`
/// has checked the page's line in the table of routes. Cloning is cheap.
#[derive(Debug, Clone)]
pub(crate) struct Signed {
    inner: Arc<Inner>,
    /// What the page requires, from its line in the table of routes.
    needs: Needs,
}

/// The contents that all clones of [`Signed`] share.
#[derive(Debug)]
pub(crate) struct Inner {
    pub open: OpenSession,
    /// The person's companies and their role in each, the default company first. An administrator has all companies.
    pub empresas: Vec<(Empresa, Role)>,
    /// The index of the current company.
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
    /// Opens the session of a token. `None` if the token is not valid (any more). A request that a page sends without
    /// the person does not prolong the session.
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

    /// The current company and the person's role there. `None` for a person without companies.
    pub fn chosen(&self) -> Option<&(Empresa, Role)> {
        self.chosen.and_then(|i| self.empresas.get(i))
    }

    /// The current company, if the person has there the permission that the page requires; otherwise 403.
    pub fn empresa(&self) -> Result<&Empresa, Refusal> {
        let (empresa, role) = self.chosen().ok_or(Refusal::Forbidden)?;
        self.needs.holds(*role).then_some(empresa).ok_or(Refusal::Forbidden)
    }

    /// The company of an object: 404 if the person does not belong to it, 403 if they lack the permission that the page
    /// requires there.
    pub fn within(&self, empresa: EmpresaId) -> Result<&Empresa, Refusal> {
        let (empresa, role) = self.empresas.iter().find(|(e, _)| e.id == empresa).ok_or(Refusal::NotFound)?;
        self.needs.holds(*role).then_some(empresa).ok_or(Refusal::Forbidden)
    }

    /// Whether the person has this permission in the current company.
    pub fn may(&self, permission: Permission) -> bool {
        self.chosen().is_some_and(|(_, role)| role.may(permission))
    }

    /// Whether the person has a permission in this company.
    pub fn may_in(&self, empresa: EmpresaId, permission: Permission) -> bool {
        self.empresas.iter().any(|(e, role)| e.id == empresa && role.may(permission))
    }

    /// Records that the person viewed a lead, once a day. A failure does not affect the page.
    pub async fn looks_at(&self, state: &WebState, lead: LeadId) {
        state.app.rights().saw(&[lead], self.open.user.id).await;
    }

    /// The person as the actor of an entry in the audit log.
    pub fn actor(&self) -> Actor {
        Actor::person(&self.open.user, &self.origin)
    }
}

/// The current company of the person with this token.
pub(crate) async fn empresa_of(state: &WebState, token: &str) -> Result<Option<Empresa>, Refusal> {
    let Some(open) = state.app.access().look(token).await? else { return Ok(None) };
    let signed = Signed::of(state, open, Origin::default(), None, Needs::Person).await?;
    Ok(signed.chosen().map(|(empresa, _)| empresa.clone()))
}

/// Whether a browser is signed in to the panel of this company. A person who works there must not act as the company's
/// client. The check does not prolong the session.
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

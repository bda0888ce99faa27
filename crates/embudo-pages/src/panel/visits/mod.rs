//! `/panel/visitas…`: a company's visits as a calendar, and the page of each visit with its actions.
//!
//! Times are shown and typed in the company's time zone. A form carries the revision that it was loaded from. If that
//! revision is stale, nothing is written and the typed values are shown beside the stored ones. Conflicts of an hour
//! are shown first and may be overridden. A worker on site sees only their own visits, with everything needed there and
//! without prices.

pub(super) mod actions;
pub(super) mod calendar;
pub(super) mod choose;
pub(super) mod create;
mod fields;
pub(super) mod measure;
pub(super) mod on_site;
mod own_works;
pub(super) mod settings;
pub(super) mod show;
mod shown;
mod site;
mod words;
mod works;

use axum::extract::{FromRequest, FromRequestParts, RawPathParams, Request};
use axum::response::Response;
use embudo_domain::VisitaId;
use embudo_domain::lead::Lead;
use embudo_domain::role::Permission;
use embudo_domain::visita::{SpanishTimeZone, Visita};
use http::request::Parts;

use super::Signed;
use super::form_state::FormState;
use crate::WebState;
use crate::parts::{FormFields, Refusal, fields_of, redirect};

const STYLES: &[&str] = &["visitas.css"];

/// The visit in the address. The person has the permission that the page requires.
pub(crate) struct OpenVisita {
    pub state: WebState,
    pub signed: Signed,
    pub visita: Visita,
    pub lead: Lead,
    pub zone: SpanishTimeZone,
}

impl FromRequestParts<WebState> for OpenVisita {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &WebState) -> Result<Self, Refusal> {
        let signed = <Signed as FromRequestParts<WebState>>::from_request_parts(parts, state).await?;
        let named = RawPathParams::from_request_parts(parts, state).await.map_err(|_| Refusal::NotFound)?;
        let id = named.iter().find(|(name, _)| *name == "id").map_or("", |(_, id)| id);
        let id = VisitaId::parse(id).ok_or(Refusal::NotFound)?;
        Self::load(state, signed, id).await
    }
}

impl OpenVisita {
    async fn load(state: &WebState, signed: Signed, id: VisitaId) -> Result<Self, Refusal> {
        let visita = state.app.store.visita(id).await?.ok_or(Refusal::NotFound)?;
        signed.within(visita.empresa)?;
        let is_own = visita.people.contains(&signed.open.user.id);
        if !is_own && !signed.may_in(visita.empresa, Permission::SeeVisits) {
            return Err(Refusal::NotFound);
        }
        signed.looks_at(state, visita.lead).await;
        let lead = state.app.store.lead(visita.lead).await?;
        let zone = state.app.visits().zone(visita.empresa).await?;
        Ok(Self { state: state.clone(), signed, visita, lead, zone })
    }

    /// Reads the visit again.
    async fn again(&self) -> Result<Self, Refusal> {
        Self::load(&self.state, self.signed.clone(), self.visita.id).await
    }

    /// Whether the person has this permission in the visit's company.
    pub fn may(&self, permission: Permission) -> bool {
        self.signed.may_in(self.visita.empresa, permission)
    }

    /// A person who sees only their own visits may not add anything to a cancelled visit, because they no longer take
    /// part in it.
    fn can_add(&self) -> Result<(), Refusal> {
        let takes_part = self.visita.is_of(self.signed.open.user.id);
        if takes_part || self.may(Permission::SeeVisits) { Ok(()) } else { Err(Refusal::NotFound) }
    }

    pub fn path(&self) -> String {
        format!("/panel/visitas/{}", self.visita.id)
    }

    /// Redirects to the visit's page, which says what was done.
    pub fn done(&self, what: &str) -> Response {
        redirect(&format!("{}?hecho={what}", self.path()))
    }
}

/// The visit together with the fields of the form.
pub(crate) struct PostedVisita {
    pub open: OpenVisita,
    pub fields: FormFields,
}

impl FromRequest<WebState> for PostedVisita {
    type Rejection = Refusal;

    async fn from_request(request: Request, state: &WebState) -> Result<Self, Refusal> {
        let (mut parts, body) = request.into_parts();
        let open = OpenVisita::from_request_parts(&mut parts, state).await?;
        open.can_add()?;
        let fields = fields_of(state, Request::from_parts(parts, body)).await?;
        Ok(Self { open, fields })
    }
}

impl PostedVisita {
    /// Checks that the form was loaded from the stored revision. Otherwise returns the error.
    fn check(&self) -> Result<(), FormState> {
        match self.fields.raw("revision").parse::<i64>() {
            Err(_) => Err(FormState::wrong("", "No ha llegado entero. Vuelve a pulsar el botón.")),
            Ok(seen) if seen != self.open.visita.revision => Err(FormState::wrong("", words::STALE)),
            Ok(_) => Ok(()),
        }
    }
}

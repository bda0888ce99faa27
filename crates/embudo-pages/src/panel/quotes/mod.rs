//! `/panel/presupuestos…`: a company's quotes by status, and the editor of drafts.
//!
//! The editor is one plain HTML form. Every line has fields under its own id. Every button posts the whole form, which
//! is saved before the button's step is done. Values that the form does not contain stay as they are, and names that
//! the draft does not know are ignored. The form carries the draft that it was loaded from. If somebody else saved
//! meanwhile, the changes of both people are kept, and the person is asked about the parts that both changed. If the
//! lines were made for other facts than the quote would print, the sums say so. A `GET` stores nothing: a draft that is
//! generated again from the lead is stored with the first form that is sent. Only people with `Permission::SeeMargins`
//! see costs and margins; the client's page never contains them.

pub(super) mod actions;
pub(super) mod by_phone;
mod differences;
pub(super) mod editor;
mod fields;
mod fill;
pub(super) mod list;
mod packed;
pub(super) mod preview;
mod questions;
mod revision;
mod sealed;
pub(super) mod send;
mod steps;
mod sums;
mod view;

use axum::extract::{FromRequestParts, RawPathParams};
use axum::response::Response;
use embudo_app::{CurrentDraft, Ingredients};
use embudo_domain::PresupuestoId;
use embudo_domain::presupuesto::{Draft, Presupuesto};
use embudo_domain::record::LeadRecord;
use embudo_domain::role::Permission;
use embudo_store::StoreError;
use embudo_store::drafts::{SeenDraft, StoredDraft};
use http::request::Parts;

use self::packed::{pack, unpack};
use self::revision::FormRevision;
use super::{Caller, Signed};
use crate::WebState;
use crate::parts::{Refusal, redirect};

const STYLES: &[&str] = &["cuadros.css", "editor.css"];

/// The draft or quote in the address. The person has the permission that the page requires.
pub(crate) struct OpenQuote {
    pub state: WebState,
    pub signed: Signed,
    /// The address at which people reach this server ([`Caller::home`]).
    pub home: String,
    pub id: PresupuestoId,
    pub record: LeadRecord,
    pub paper: Paper,
    /// Whether the store holds exactly this draft. False after a `GET` that generated the draft again; true for every
    /// form.
    is_saved: bool,
}

/// A quote keeps the id of the draft that it was made from.
pub(crate) enum Paper {
    Draft(StoredDraft),
    Quote(Box<Presupuesto>),
}

impl FromRequestParts<WebState> for OpenQuote {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &WebState) -> Result<Self, Refusal> {
        let signed = <Signed as FromRequestParts<WebState>>::from_request_parts(parts, state).await?;
        let home = <Caller as FromRequestParts<WebState>>::from_request_parts(parts, state).await?.home;
        let named = RawPathParams::from_request_parts(parts, state).await.map_err(|_| Refusal::NotFound)?;
        let id = named.iter().find(|(name, _)| *name == "id").map_or("", |(_, id)| id);
        let id = PresupuestoId::parse(id).ok_or(Refusal::NotFound)?;
        let store = &state.app.store;
        let paper = match store.draft(id).await? {
            Some(draft) => Paper::Draft(draft),
            None => match store.presupuesto(id).await {
                Ok(quote) => Paper::Quote(Box::new(quote)),
                Err(StoreError::PresupuestoNotFound) => return Err(Refusal::NotFound),
                Err(error) => return Err(error.into()),
            },
        };
        let (empresa, lead) = match &paper {
            Paper::Draft(draft) => (draft.empresa, draft.lead),
            Paper::Quote(quote) => (quote.empresa, quote.lead),
        };
        signed.within(empresa)?;
        signed.looks_at(state, lead).await;
        let record = store.record(lead).await?;
        let quotes = state.app.quotes();
        let (paper, is_saved) = match paper {
            Paper::Draft(draft) if parts.method.is_safe() => {
                let CurrentDraft { draft, is_saved } = quotes.current(draft, &record).await?;
                (Paper::Draft(draft), is_saved)
            }
            Paper::Draft(draft) => (Paper::Draft(quotes.store_current(draft, &record).await?), true),
            quote @ Paper::Quote(_) => (quote, true),
        };
        Ok(Self { state: state.clone(), signed, home, id, record, paper, is_saved })
    }
}

impl OpenQuote {
    /// Whether the person may see costs and margins.
    pub fn sees_costs(&self) -> bool {
        self.signed.may_in(self.record.lead.empresa.id, Permission::SeeMargins)
    }

    /// The draft as a form carries it. Costs are included only for people who may see them.
    fn pack(&self, draft: &Draft) -> String {
        if self.sees_costs() { pack(draft) } else { pack(&draft.without_costs()) }
    }

    /// Reads the draft that a form sends back. A person who may not see costs cannot change them either.
    fn unpack(&self, text: &str) -> Option<Draft> {
        let draft = unpack(text)?;
        Some(if self.sees_costs() { draft } else { draft.without_costs() })
    }

    /// Whether the person may edit, and not only view.
    pub fn can_write(&self) -> bool {
        self.signed.may_in(self.record.lead.empresa.id, Permission::WriteQuotes)
    }

    /// The address of the page.
    pub fn path(&self) -> String {
        format!("/panel/presupuestos/{}", self.id)
    }

    /// Redirects to the page, or to a place on it.
    pub fn to(&self, place: &str) -> Response {
        redirect(&format!("{}{place}", self.path()))
    }

    /// Redirects to the lead's page, which says what was done.
    pub fn to_lead(&self, what: &str) -> Response {
        redirect(&format!("/panel/leads/{}?hecho={what}", self.record.lead.id))
    }

    pub fn draft(&self) -> Option<&StoredDraft> {
        match &self.paper {
            Paper::Draft(draft) => Some(draft),
            Paper::Quote(_) => None,
        }
    }

    /// The revision that a form of the draft carries.
    fn form_revision(&self, draft: &StoredDraft) -> String {
        FormRevision::write(draft, self.is_saved)
    }

    /// The stored draft as a command expects it.
    pub fn seen(&self, stored: &StoredDraft) -> SeenDraft {
        SeenDraft { id: self.id, lead: self.record.lead.id, revision: stored.revision }
    }

    /// The data of the company that a quote needs.
    pub async fn ingredients(&self) -> Result<Ingredients, Refusal> {
        Ok(self.state.app.quotes().ingredients(&self.record).await?)
    }
}

/// Parses a stored draft. If that fails, the store is damaged; it is not an error of the person.
fn read_draft(stored: &StoredDraft) -> Result<Draft, Refusal> {
    Draft::read(stored.json.as_bytes()).map_err(|_| {
        tracing::error!(presupuesto.id = %stored.id, "a draft no longer reads");
        Refusal::Internal
    })
}

//! `/panel/presupuestos…`: a company's quotes by where they stand, and the editor of those that are still written.
//!
//! The editor is one plain form: every line has fields under its own id, and every button posts the whole form, which
//! is saved before the button's step is done. What a form does not name stays as it is, and names that the draft does
//! not know are passed over. A form carries what it was made from: of a stale one both people's changes are kept, and
//! what both changed is asked. Where the lines were made for other facts than the quote would print, the sums say so.
//! Looking stores nothing: a draft that is made again from the lead is stored by the first form that is sent. Costs and
//! margins stay on these pages, and only a gestor sees them.

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

/// A draft or a quote that the address names, for somebody who may do with it what the line of the page needs.
pub(crate) struct OpenQuote {
    pub state: WebState,
    pub signed: Signed,
    /// Where people reach this server ([`Caller::home`]).
    pub home: String,
    pub id: PresupuestoId,
    pub record: LeadRecord,
    pub paper: Paper,
    /// Whether a draft is stored as it is here. Always, where a form was sent.
    is_saved: bool,
}

/// A quote has the id of the draft that it was.
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
    /// Whether they see what it costs the company and what it leaves.
    pub fn sees_costs(&self) -> bool {
        self.signed.may_in(self.record.lead.empresa.id, Permission::SeeMargins)
    }

    /// A draft as a form carries it: with costs only for people who see them.
    fn pack(&self, draft: &Draft) -> String {
        if self.sees_costs() { pack(draft) } else { pack(&draft.without_costs()) }
    }

    /// A draft that a form brings back. What somebody does not see they do not change either.
    fn unpack(&self, text: &str) -> Option<Draft> {
        let draft = unpack(text)?;
        Some(if self.sees_costs() { draft } else { draft.without_costs() })
    }

    /// Whether they may change it, and not only look.
    pub fn can_write(&self) -> bool {
        self.signed.may_in(self.record.lead.empresa.id, Permission::WriteQuotes)
    }

    /// The address of its page.
    pub fn path(&self) -> String {
        format!("/panel/presupuestos/{}", self.id)
    }

    /// To its page, or a place of it.
    pub fn to(&self, place: &str) -> Response {
        redirect(&format!("{}{place}", self.path()))
    }

    /// To the lead's page, which says what was done.
    pub fn to_lead(&self, what: &str) -> Response {
        redirect(&format!("/panel/leads/{}?hecho={what}", self.record.lead.id))
    }

    pub fn draft(&self) -> Option<&StoredDraft> {
        match &self.paper {
            Paper::Draft(draft) => Some(draft),
            Paper::Quote(_) => None,
        }
    }

    /// What a form of the draft says that it was made from.
    fn form_revision(&self, draft: &StoredDraft) -> String {
        FormRevision::write(draft, self.is_saved)
    }

    /// The draft as it is stored, for a command.
    pub fn seen(&self, stored: &StoredDraft) -> SeenDraft {
        SeenDraft { id: self.id, lead: self.record.lead.id, revision: stored.revision }
    }

    /// The company's side of the quote.
    pub async fn ingredients(&self) -> Result<Ingredients, Refusal> {
        Ok(self.state.app.quotes().ingredients(&self.record).await?)
    }
}

/// What a draft says. One that does not read is damage of the store, not of a person.
fn read_draft(stored: &StoredDraft) -> Result<Draft, Refusal> {
    Draft::read(stored.json.as_bytes()).map_err(|_| {
        tracing::error!(presupuesto.id = %stored.id, "a draft no longer reads");
        Refusal::Internal
    })
}

//! `/panel/empresa…`: the company that is looked at, as its people set it up.
//!
//! Every page has the same tabs; one shows once its page is in the table of routes. What is typed goes through
//! [`edit`], which never overwrites another's change.

pub(super) mod blocked;
pub(super) mod brand;
pub(super) mod checklist;
pub(super) mod connections;
pub(super) mod connections_save;
pub(super) mod data;
mod edit;
pub(super) mod form;
mod form_questions;
mod form_slug;
mod keys;
pub(super) mod logo;
pub(super) mod privacy;
pub(super) mod quotes;
mod receivers;
pub(super) mod reminders;
pub(super) mod samples;
mod sender;
mod shown_once;
pub(super) mod tarifa;
pub(super) mod texts;
pub(super) mod texts_save;
mod words;

use embudo_domain::empresa::Empresa;
use embudo_store::empresas::StoredBrand;

use super::kit::form::Place;
use super::kit::tabs::Tabs;
use super::{PanelFrame, Section, Signed};
use crate::WebState;
use crate::parts::Refusal;

/// Where one of the pages stands.
fn tab(here: &'static str) -> Place {
    Place::Tab(Tabs { here })
}

/// The frame of one of the pages.
async fn frame(state: &WebState, signed: &Signed, title: &str) -> Result<PanelFrame, Refusal> {
    let frame = PanelFrame::new(state, signed, title, Section::Empresa).await?;
    Ok(frame.with(&["empresa.css"], &[]))
}

/// The company that is looked at and its brand, as they are now.
async fn company(state: &WebState, signed: &Signed) -> Result<(Empresa, StoredBrand), Refusal> {
    let id = signed.empresa()?.id;
    let all = state.app.store.list_empresas().await?;
    let empresa = all.into_iter().find(|empresa| empresa.id == id).ok_or(Refusal::NotFound)?;
    Ok((empresa, state.app.store.brand(id).await?))
}

/// The public address of a company's form.
fn form_address(home: &str, empresa: &Empresa) -> String {
    format!("{home}/f/{}", empresa.slug)
}

//! `/panel/empresa…`: the settings of the current company.
//!
//! All pages have the same tabs; a tab is shown once its page is in the table of routes. Company data is saved
//! through [`edit`], settings through `kit::settings_edit`; neither overwrites a concurrent change.

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

/// The position of a page among the tabs.
fn tab(here: &'static str) -> Place {
    Place::Tab(Tabs { here })
}

/// The frame of these pages.
async fn frame(state: &WebState, signed: &Signed, title: &str) -> Result<PanelFrame, Refusal> {
    let frame = PanelFrame::new(state, signed, title, Section::Empresa).await?;
    Ok(frame.with(&["empresa.css"], &[]))
}

/// The current company and its stored brand.
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

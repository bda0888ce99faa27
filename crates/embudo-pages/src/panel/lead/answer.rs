//! How the forms of a lead's page end that cannot be taken as they are: with the page again.

use http::StatusCode;

use super::show::render;
use super::shown::Shown;
use crate::panel::PanelResult;
use crate::panel::form_state::FormState;
use crate::panel::kit::work::{Posted, Work};

impl Work {
    /// The page again, with what is wrong.
    pub(super) async fn mistaken(&self, shown: Shown) -> PanelResult {
        self.page(StatusCode::UNPROCESSABLE_ENTITY, shown).await
    }

    pub(super) async fn page(&self, status: StatusCode, shown: Shown) -> PanelResult {
        render(&self.state, &self.signed, self.lead.id, status, shown).await
    }
}

impl Posted {
    /// The page again, for a button without its number.
    pub(super) async fn incomplete(&self) -> PanelResult {
        let form = FormState::wrong("", "No ha llegado entero. Vuelve a pulsar el botón.");
        self.mistaken(Shown { form, ..Shown::default() }).await
    }
}

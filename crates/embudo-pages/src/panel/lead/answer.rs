//! Shows a lead's page again, after one of its forms had errors.

use http::StatusCode;

use super::show::render;
use super::shown::Shown;
use crate::panel::PanelResult;
use crate::panel::form_state::FormState;
use crate::panel::kit::work::{OpenLead, Posted};

impl OpenLead {
    /// Shows the page again, with the errors.
    pub(super) async fn mistaken(&self, shown: Shown) -> PanelResult {
        self.page(StatusCode::UNPROCESSABLE_ENTITY, shown).await
    }

    pub(super) async fn page(&self, status: StatusCode, shown: Shown) -> PanelResult {
        render(&self.state, &self.signed, self.lead.id, status, shown).await
    }
}

impl Posted {
    /// Shows the page again, for a form that arrived without the random id of its button.
    pub(super) async fn incomplete(&self) -> PanelResult {
        let form = FormState::wrong("", "No ha llegado entero. Vuelve a pulsar el botón.");
        self.mistaken(Shown { form, ..Shown::default() }).await
    }
}

//! The progress of a company's set-up.

use embudo_domain::checklist::Item;
use embudo_domain::role::Permission;

use crate::WebState;
use crate::panel::Signed;
use crate::parts::Refusal;

pub(in crate::panel) struct SetUpProgress {
    pub done: usize,
    pub all: usize,
}

impl SetUpProgress {
    pub fn of(items: &[Item]) -> Self {
        let needed = || items.iter().filter(|item| !item.task.is_optional());
        Self { done: needed().filter(|item| item.is_done()).count(), all: needed().count() }
    }

    pub fn is_complete(&self) -> bool {
        self.done == self.all
    }
}

/// The progress of the current company's set-up, while steps are left that the person may do.
pub(in crate::panel) async fn left(
    state: &WebState,
    signed: &Signed,
) -> Result<Option<SetUpProgress>, Refusal> {
    let own = signed.chosen().filter(|(_, role)| role.may(Permission::RunCompany));
    let Some((empresa, _)) = own else { return Ok(None) };
    let progress = SetUpProgress::of(&state.app.empresas().checklist(empresa).await?);
    Ok(Some(progress).filter(|progress| !progress.is_complete()))
}

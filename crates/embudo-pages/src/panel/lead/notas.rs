//! Internal notes: what people of the company write for each other.

use axum::extract::Path;
use embudo_app::NotaRemoval;
use embudo_domain::NotaId;
use embudo_domain::role::Role;

use super::shown::Shown;
use crate::panel::PanelResult;
use crate::panel::form_state::FormState;
use crate::panel::kit::work::{Posted, nota_mistake, once};
use crate::parts::Refusal;

/// `POST /panel/leads/:id/notas`.
pub(crate) async fn add(form: Posted) -> PanelResult {
    let Some(once) = once(&form.fields) else { return form.incomplete().await };
    let text = form.fields.text("nota");
    if let Some(mistake) = nota_mistake(&text) {
        let shown = Shown { form: FormState::wrong("nota", mistake), nota: text, ..Shown::default() };
        return form.mistaken(shown).await;
    }
    let (desk, actor) = (form.state.app.desk(), form.signed.actor());
    desk.add_nota(&form.viewer(), &form.lead, once, text, &actor).await?;
    Ok(form.done("nota#notas"))
}

/// `POST /panel/leads/:id/notas/:nota/quitar`: removes a note. People may remove their own notes; a person who runs the
/// company may remove any note. Removing a note that is already gone succeeds.
pub(crate) async fn remove(Path((_, id)): Path<(String, String)>, form: Posted) -> PanelResult {
    let id = NotaId::parse(&id).ok_or(Refusal::NotFound)?;
    let role = form.signed.open.user.role_in(form.lead.empresa.id).unwrap_or(Role::Lectura);
    let (desk, actor) = (form.state.app.desk(), form.signed.actor());
    match desk.remove_nota(&form.viewer(), &form.lead, id, role, &actor).await? {
        NotaRemoval::Done => Ok(form.done("nota-quitada#notas")),
        NotaRemoval::Forbidden => Err(Refusal::Forbidden),
    }
}

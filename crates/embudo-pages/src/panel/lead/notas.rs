//! Internal notes: what people of the company write for each other.

use axum::extract::Path;
use embudo_domain::NotaId;
use embudo_domain::audit::AuditAction;
use embudo_domain::nota::NotaInterna;
use embudo_domain::role::Role;

use super::lines::may_remove;
use super::once;
use super::show::Shown;
use super::work::Posted;
use crate::panel::PanelResult;
use crate::panel::form_state::FormState;
use crate::parts::Refusal;

/// The longest note, in characters.
const MAX_NOTA: usize = 8_000;
/// How much of it the audit log keeps.
const TOLD: usize = 200;

/// `POST /panel/leads/:id/notas`.
pub(crate) async fn add(form: Posted) -> PanelResult {
    let Some(once) = once(&form.fields) else { return form.incomplete().await };
    let text = form.fields.text("nota");
    let mistake = match text.chars().count() {
        0 => Some("Escribe la nota."),
        n if n > MAX_NOTA => Some("Es demasiado larga: caben 8000 letras."),
        _ => None,
    };
    if let Some(mistake) = mistake {
        let shown = Shown { form: FormState::wrong("nota", mistake), nota: text, ..Shown::default() };
        return form.mistaken(shown).await;
    }
    let told = form.told(AuditAction::NotaWritten, None, Some(beginning(&text)));
    let (author, creada_en) = (form.signed.open.user.id, form.state.app.now());
    let nota = NotaInterna { id: NotaId::of_press(form.lead.id, once, &text), author, text, creada_en };
    form.state.app.store.add_nota_interna(&form.viewer(), form.lead.id, nota, told).await?;
    Ok(form.done("nota#notas"))
}

/// `POST /panel/leads/:id/notas/:nota/quitar`: one's own, or any for who leads the company. What is gone is gone already.
pub(crate) async fn remove(Path((_, id)): Path<(String, String)>, form: Posted) -> PanelResult {
    let (store, lead) = (&form.state.app.store, form.lead.id);
    let id = NotaId::parse(&id).ok_or(Refusal::NotFound)?;
    if let Some(nota) = store.nota_interna(lead, id).await? {
        let user = &form.signed.open.user;
        let role = user.role_in(form.lead.empresa.id).unwrap_or(Role::Lectura);
        if !may_remove(&nota, user.id, role) {
            return Err(Refusal::Forbidden);
        }
        let told = form.told(AuditAction::NotaRemoved, Some(beginning(&nota.text)), None);
        store.delete_nota_interna(&form.viewer(), lead, id, told).await?;
    }
    Ok(form.done("nota-quitada#notas"))
}

fn beginning(text: &str) -> String {
    text.chars().take(TOLD).collect()
}
